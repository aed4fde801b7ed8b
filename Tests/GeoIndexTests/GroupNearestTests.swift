import Foundation
import Testing

@testable import GeoIndex

/// Points for groups equal brute force, bit for bit.
///
///     GEOQ_VERIFY_MEETS=20000 swift test -c release --filter GroupNearest
struct GroupNearestTests {
  /// A seeded share runs with all tests.
  private static let count =
    ProcessInfo.processInfo.environment["GEOQ_VERIFY_MEETS"].flatMap(Int.init) ?? 390

  @Test(arguments: Layout.allCases)
  func `the least sums and maxima are what sorting says`(layout: Layout) {
    var random = SplitMix64(stream: "group \(layout.rawValue)")
    let share = Self.count / Layout.allCases.count + 1
    for round in 0..<(share + 9) / 10 {
      let size = [0, 1, 31, 33, 300, 1_100][round % 6]
      let coordinates = layout.coordinates(count: size, using: &random)
      let tree = KDTree(coordinates)
      for turn in 0..<10 {
        let anchor = coordinates.randomElement(using: &random) ?? random.coordinate()
        let centers = (0..<2 + random.int(below: turn == 0 ? 63 : 6)).map { _ in
          switch random.int(below: 4) {
          case 0: random.coordinate()
          case 1: coordinates.randomElement(using: &random) ?? anchor
          default: random.coordinate(near: anchor, degrees: turn % 2 == 0 ? 0.05 : 20)
          }
        }
        let cost = turn % 2 == 0 ? GroupCost.sum : .max
        let share = 1 + random.int(below: 40)
        let allowed =
          random.int(below: 2) == 0
          ? nil
          : BitSet(capacity: size, (0..<size).filter { _ in random.int(below: share) == 0 })
        let count = random.int(below: 2) == 0 ? random.int(below: 4) : random.int(below: 40)
        let expected = coordinates.indices.filter { allowed?.contains($0) ?? true }
          .map { index in
            Neighbor(
              index: index,
              distance: cost(centers.map { $0.distance(to: coordinates[index]) })
            )
          }.sorted().prefix(count)
        let found = tree.nearest(toAll: centers, by: cost, count: count, where: allowed)
        #expect(found == Array(expected), "\(layout) \(size), \(centers), \(cost), \(count)")
      }
    }
  }

  @Test func `a check ends the search`() {
    struct Enough: Error {}
    var random = SplitMix64(stream: "group check")
    let tree = KDTree(Layout.uniform.coordinates(count: 20_000, using: &random))
    let centers = (0..<60).map { _ in random.coordinate() }
    #expect(throws: Enough.self) {
      _ = try tree.nearest(toAll: centers, by: .sum, count: 5, where: nil) {
        throw Enough()
      }
    }
  }

  @Test(arguments: Layout.allCases)
  func `positions within a distance are those of the list`(layout: Layout) {
    var random = SplitMix64(stream: "positions \(layout.rawValue)")
    for size in [0, 1, 40, 1_500] {
      let coordinates = layout.coordinates(count: size, using: &random)
      let tree = KDTree(coordinates)
      for _ in 0..<4 {
        let center = coordinates.randomElement(using: &random) ?? random.coordinate()
        let other = coordinates.randomElement(using: &random) ?? random.coordinate()
        for radius in [0, center.distance(to: other), .infinity] {
          let list = tree.within(radius: radius, of: center).map(\.index)
          let set = BitSet(capacity: size, list)
          #expect(tree.positionSet(within: radius, of: center) == set, "\(layout) \(radius)")
        }
      }
    }
  }
}
