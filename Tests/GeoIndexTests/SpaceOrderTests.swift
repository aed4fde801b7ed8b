import TestSupport
import Testing

@testable import GeoIndex

struct SpaceOrderTests {
  @Test(arguments: Layout.allCases)
  func `the indexes are a permutation, along the curve and otherwise unchanged`(_ layout: Layout) {
    var random = SplitMix64(stream: "curve \(layout)")
    for count in [0, 1, 2, 3_000] {
      let coordinates = layout.coordinates(count: count, using: &random)
      let order = SpaceOrder.indexes(of: coordinates).map { Int($0) }
      #expect(order.sorted() == Array(0..<count))
      let codes = coordinates.map { SpaceOrder.code(of: ECEFPoint($0)) }
      let isOrdered = zip(order, order.dropFirst()).allSatisfy { one, next in
        (codes[one], one) < (codes[next], next)
      }
      #expect(isOrdered, "SEED=\(SplitMix64.seed) \(layout)")
    }
  }

  @Test func `codes have thirty bits everywhere on the Earth`() {
    var random = SplitMix64(stream: "codes")
    let ends: [Coordinate] = [
      .at(0, 0), .at(0, 180), .at(0, 90), .at(0, -90), .at(90, 0), .at(-90, 0),
    ]
    for coordinate in ends + (0..<1_000).map({ _ in random.coordinate() }) {
      #expect(SpaceOrder.code(of: ECEFPoint(coordinate)) < 1 << 30)
    }
  }

  @Test func `neighbors on the curve are mostly near`() {
    var random = SplitMix64(stream: "near")
    let coordinates = (0..<5_000).map { _ in random.coordinate() }
    let order = SpaceOrder.indexes(of: coordinates).map { Int($0) }
    let steps = zip(order, order.dropFirst()).map { coordinates[$0].distance(to: coordinates[$1]) }
    let middle = steps.sorted()[steps.count / 2]
    // points are 320 km apart; in random order half the steps would be longer than 10 000 km
    #expect(middle < 600_000)
  }
}
