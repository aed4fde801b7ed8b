import TestSupport
import Testing

@testable import GeoIndex

struct FilteredScanTests {
  /// The places to ask from: near the points, and far from all of them.
  private static func check(_ scenario: Scenario, share: Int) {
    var random = scenario.random
    let count = scenario.tree.count
    let allowed = BitSet(
      capacity: count,
      (0..<count).filter { _ in random.int(below: share) == 0 }
    )
    for center in scenario.centers {
      let ranked = scenario.scan.ranked(from: center)
      let rim = ranked.isEmpty ? 0 : ranked[ranked.count / 3].distance
      for (wanted, limit) in [(1, .infinity), (10, .infinity), (100, .infinity), (10, rim)] {
        let query = NearestQuery(
          view: scenario.tree.view,
          origin: ECEFPoint(center),
          count: max(1, min(wanted, count)),
          maximumDistance: limit
        )
        let expected = LinearScan.nearest(query.count, of: ranked, within: limit, where: allowed)
        let place = "1 in \(share), \(wanted) to \(center) within \(limit)"
        scenario.expect(Self.byScan(query, allowed), equals: expected, "scan, \(place)")
        let found = scenario.tree.nearest(to: center, count: wanted, within: limit, where: allowed)
        scenario.expect(found, equals: expected, "tree, \(place)")
      }
    }
  }

  private static func byScan(_ query: NearestQuery, _ allowed: BitSet) -> [Neighbor] {
    var probe = NoProbe()
    return query.scan(allowed, &probe)
  }

  @Test(arguments: Layout.allCases)
  func `looking at all that is allowed gives what the tree gives`(_ layout: Layout) {
    #if DEBUG
    let (size, centerCount) = (500, 3)
    #else
    let (size, centerCount) = (5_000, 7)
    #endif
    for share in [1, 3, 50, 1_000, .max] {
      Self.check(Scenario(layout, size: size, centerCount: centerCount), share: share)
    }
  }

  @Test func `few positions far away are found by looking at each of them`() {
    var random = SplitMix64(stream: "regimes")
    let center = Coordinate.at(40, 10)
    let points = (0..<20_000).map { index -> Coordinate in
      index % 1_000 == 0
        ? random.coordinate(near: center.antipode, degrees: 1)
        : random.coordinate(near: center, degrees: 1)
    }
    let tree = KDTree(points)
    let far = BitSet(capacity: tree.count, stride(from: 0, to: 20_000, by: 1_000))
    let near = BitSet(capacity: tree.count, (0..<20_000).filter { $0 % 3 == 1 })
    let ranked = LinearScan(coordinates: points).ranked(from: center)
    for (allowed, isByTree) in [(far, false), (near, true)] {
      var statistics = SearchStatistics()
      let found = tree.nearest(to: center, count: 5, where: allowed, statistics: &statistics)
      #expect(found == LinearScan.nearest(5, of: ranked, where: allowed))
      // the scan counts as one leaf of all positions of the set
      let isOverBudget = statistics.leavesScanned > allowed.leafBudget
      #expect(isOverBudget != isByTree)
      #expect(statistics.leavesScanned <= allowed.leafBudget + 2)
    }
  }
}
