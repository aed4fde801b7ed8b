import GeoIndex
import Testing

/// The controls of the exactness run: it must notice what it is there to notice.
struct ExactAnswerTests {
  private static let right = [
    Neighbor(index: 4, distance: 1), Neighbor(index: 2, distance: 5),
    Neighbor(index: 9, distance: 5),
  ]

  @Test(arguments: [
    Array(right.dropLast()), [right[1], right[0], right[2]], [right[0], right[2], right[1]],
    right + [Neighbor(index: 0, distance: 6)],
    [right[0], right[1], Neighbor(index: 9, distance: 5.0.nextUp)],
    [right[0], right[1], Neighbor(index: 8, distance: 5)],
  ])
  func `a wrong list of neighbors is noticed`(_ wrong: [Neighbor]) {
    #expect(ExactAnswer.neighbors(wrong).fault(insteadOf: .neighbors(Self.right)) != nil)
    #expect(ExactAnswer.neighbors(Self.right).fault(insteadOf: .neighbors(Self.right)) == nil)
  }

  @Test func `another zero is another distance`() {
    let one = ExactAnswer.neighbors([Neighbor(index: 0, distance: 0)])
    let other = ExactAnswer.neighbors([Neighbor(index: 0, distance: -0.0)])
    #expect(one.fault(insteadOf: other) != nil)
  }

  @Test func `wrong positions and counts are noticed`() {
    #expect(ExactAnswer.positions([1, 3]).fault(insteadOf: .positions([1, 3])) == nil)
    #expect(ExactAnswer.positions([3, 1]).fault(insteadOf: .positions([1, 3])) != nil)
    #expect(ExactAnswer.positions([1]).fault(insteadOf: .positions([1, 3])) != nil)
    #expect(ExactAnswer.count(3).fault(insteadOf: .count(3)) == nil)
    #expect(ExactAnswer.count(2).fault(insteadOf: .count(3)) != nil)
    #expect(ExactAnswer.count(2).fault(insteadOf: .positions([1, 2])) != nil)
  }

  @Test func `the plan reaches every size it allows`() {
    let plan = ExactPlan(queries: 0, centersPerTree: 0, queriesPerCenter: 0, largestSize: 300_000)
    let sizes = Set((0..<100).map { plan.size(inRound: $0) })
    #expect(sizes.isSuperset(of: [0, 1, 2, 16, 17, 128, 129, 20_000, 100_000, 300_000]))
  }
}
