import TestSupport
import Testing

@testable import GeoIndex

struct KDTreePairsTests {
  private struct Shop {
    let name: String
    let coordinate: Coordinate
  }

  /// Every pair by measuring all of them.
  private static func scan(
    _ points: [Coordinate],
    _ distance: Double,
    _ allowed: BitSet? = nil
  ) -> [KDTree.Pair] {
    points.indices.flatMap { first in
      points.indices.dropFirst(first + 1).compactMap { second in
        let meters = points[first].distance(to: points[second])
        guard meters <= distance else { return nil }
        guard allowed.map({ $0.contains(first) && $0.contains(second) }) ?? true else { return nil }
        return KDTree.Pair(first: first, second: second, distance: meters)
      }
    }
  }

  @Test(arguments: [0, 1, 2, 31, 32, 33, 257, 700])
  func `pairs equal those of a scan bit for bit, in order`(_ count: Int) {
    var random = SplitMix64(stream: "pairs \(count)")
    var points = (0..<count).map { _ in random.coordinate(near: .at(32.95, -96.82), degrees: 0.05) }
    // equal positions, both sides of ±180, and poles
    for index in points.indices where index % 9 == 0 {
      points[index] = [points[0], .at(0, 180), .at(0, -180), .at(90, 1), .at(90, 2)][index / 9 % 5]
    }
    let tree = KDTree(points)
    let distances = Self.scan(points, .infinity).map(\.distance).sorted()
    let edge = distances.isEmpty ? 1 : distances[distances.count / 20]
    let some = BitSet(capacity: count, points.indices.filter { $0 % 3 != 1 })
    for distance in [0, edge.nextDown, edge, 500, .infinity] where count < 300 || distance < 1e6 {
      #expect(tree.pairs(within: distance) == Self.scan(points, distance))
      #expect(tree.pairs(within: distance, where: some) == Self.scan(points, distance, some))
    }
    #expect(tree.pairs(within: 1e3, where: BitSet(capacity: count)).isEmpty)
  }

  @Test func `a join from some points to others finds each pair from its first side`() {
    var random = SplitMix64(stream: "join")
    let points = (0..<300).map { _ in random.coordinate(near: .at(0, 0), degrees: 0.02) }
    let firsts = BitSet(capacity: 300, (0..<300).filter { $0 % 2 == 0 })
    let seconds = BitSet(capacity: 300, (0..<300).filter { $0 % 2 == 1 })
    let found = KDTree(points).pairs(within: 300, from: firsts, to: seconds) { first, near in
      near.map { [first, $0.index] }.sorted { $0[1] < $1[1] }
    }
    let expected = (0..<300).filter { $0 % 2 == 0 }.flatMap { first in
      (0..<300).filter { $0 % 2 == 1 && points[first].distance(to: points[$0]) <= 300 }
        .map { [first, $0] }
    }
    #expect(!expected.isEmpty)
    #expect(found == expected)
  }

  @Test func `an error of a join ends it`() {
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try KDTree([.at(0, 0), .at(0, 0)]).pairs(within: 1) { _, _ throws(Stop) -> [Int] in
        throw Stop()
      }
    }
  }

  @Test func `a tree of values is a collection of their coordinates`() {
    let shops = [
      Shop(name: "a", coordinate: .at(1, 2)), Shop(name: "b", coordinate: .at(-0.0, 180)),
    ]
    let tree = KDTree(shops, at: \.coordinate)
    #expect(tree.map(\.bits) == shops.map(\.coordinate.bits))
    #expect(tree.nearest(to: .at(1, 2), count: 1).map { shops[$0.index].name } == ["a"])
    #expect(tree.indices == 0..<2)
    #expect(tree.last == shops[1].coordinate)
    #expect(KDTree([Shop](), at: \.coordinate).isEmpty)
  }

  @Test func `pairs trap on a distance that is negative or no number`() async {
    await #expect(processExitsWith: .failure) { _ = KDTree([]).pairs(within: -1) }
    await #expect(processExitsWith: .failure) { _ = KDTree([]).pairs(within: .nan) }
  }
}
