import Testing

@testable import GeoIndex

struct KDTreeRankedTests {
  @Test(arguments: Layout.allCases)
  func `ranks are a slice of the sorted linear scan, bit for bit`(_ layout: Layout) {
    for scenario in Scenario.all(of: layout) {
      var random = SplitMix64(stream: "ranks \(scenario)")
      for center in scenario.centers {
        Self.check(scenario, from: center, using: &random)
      }
    }
  }

  /// Pages of all sizes from one center, with and without a filter and a radius.
  private static func check(
    _ scenario: Scenario,
    from center: Coordinate,
    using random: inout SplitMix64
  ) {
    let tree = scenario.tree
    let all = scenario.scan.ranked(from: center)
    for allowed in [nil, scenario.filter] {
      let ranked = all.filter { allowed?.contains($0.index) ?? true }
      let count = ranked.count
      let start = random.int(below: count + 1)
      let some = start..<start + random.int(below: 60)
      let edges = [0..<0, 0..<1, 0..<count, count..<count + 9, max(0, count - 3)..<count + 3]
      let median = ranked.isEmpty ? 1_000 : ranked[count / 2].distance
      for ranks in edges + [some] {
        for radius in [0, median, median.nextUp, .infinity] {
          let kept = ranked.prefix { $0.distance <= radius }
          scenario.expect(
            tree.nearest(to: center, ranks, radius, allowed, front: 0),
            equals: Array(kept.dropFirst(ranks.lowerBound).prefix(ranks.count)),
            "ranks \(ranks) from \(center) within \(radius), filtered: \(allowed != nil)"
          )
        }
      }
      for turn in 0..<min(4, count) {
        let rank = random.int(below: count)
        let moved = [0, 1, -1][turn % 3]
        let neighbor = Neighbor(index: ranked[rank].index + moved, distance: ranked[rank].distance)
        let radius = turn == 3 ? median : .infinity
        let expected = ranked.count { $0 < neighbor && $0.distance <= radius }
        let found = tree.rank(of: neighbor, from: center, within: radius, where: allowed)
        #expect(found == expected, "\(scenario): rank of \(neighbor) from \(center)")
      }
    }
  }

  @Test func `pages put together are the whole list`() {
    var random = SplitMix64(stream: "pages")
    let coordinates = Layout.clustered.coordinates(count: 5_000, using: &random)
    let tree = KDTree(coordinates)
    let center = random.coordinate(near: coordinates[0], degrees: 1)
    let pages = stride(from: 0, to: 5_000, by: 700).flatMap {
      tree.nearest(to: center, ranks: $0..<$0 + 700)
    }
    #expect(pages == LinearScan(coordinates: coordinates).ranked(from: center))
  }

  @Test func `points at one place come by index, near and far`() {
    var random = SplitMix64(stream: "one place")
    let place = random.coordinate()
    let others = Layout.uniform.coordinates(count: 500, using: &random)
    let coordinates = others + Array(repeating: place, count: 6_000)
    let tree = KDTree(coordinates)
    for center in [place, random.coordinate(near: place, degrees: 2), place.antipode] {
      let ranked = LinearScan(coordinates: coordinates).ranked(from: center)
      let ranks = 3_000..<3_100
      #expect(tree.nearest(to: center, ranks: ranks) == Array(ranked[ranks]))
      #expect(tree.rank(of: ranked[3_050], from: center) == 3_050)
    }
  }

  @Test func `the rank of what is not in the tree is where it would be`() {
    let tree = KDTree([.at(0, 1), .at(0, 2), .at(0, 3)])
    let found = tree.nearest(to: .at(0, 0), count: 3)
    let between = Neighbor(index: 7, distance: found[0].distance + 1)
    #expect(tree.rank(of: between, from: .at(0, 0)) == 1)
    #expect(tree.rank(of: Neighbor(index: 0, distance: 0), from: .at(0, 0)) == 0)
    let end = Neighbor(index: 0, distance: .infinity)
    #expect(tree.rank(of: end, from: .at(0, 0)) == 3)
    #expect(tree.rank(of: end, from: .at(0, 0), within: found[1].distance) == 2)
    #expect(KDTree([]).rank(of: end, from: .at(0, 0)) == 0)
  }

  @Test func `few points are measured for ranks in the middle`() {
    var random = SplitMix64(stream: "effort")
    let count = 50_000
    let tree = KDTree(Layout.uniform.coordinates(count: count, using: &random))
    let allowed = BitSet(capacity: count, (0..<count).filter { $0 % 2 == 0 })
    for filter in [nil, allowed] {
      var statistics = SearchStatistics()
      let ranks = 20_000..<20_100
      let origin = ECEFPoint(random.coordinate())
      let found = tree.search(where: filter) { filter in
        let counts = LeafCounts(tree.view, where: filter, within: .infinity, of: origin)
        return RankedQuery(view: tree.view, origin: origin, radius: .infinity, counts: counts)
          .neighbors(ranks, &statistics)
      }
      #expect(found.count == 100)
      #expect(statistics.leavesScanned < 400)
      #expect(statistics.longGeodesicsSolved < 3_000)
      #expect(statistics.subtreesTaken > 10)
      #expect(statistics.nodesPruned > 10)
    }
  }

  @Test func `an empty tree, an empty range and an empty set give nothing`() {
    #expect(KDTree([]).nearest(to: .at(0, 0), ranks: 0..<5) == [])
    let tree = KDTree([.at(0, 0), .at(1, 1)])
    #expect(tree.nearest(to: .at(0, 0), ranks: 1..<1) == [])
    #expect(tree.nearest(to: .at(0, 0), ranks: 2..<9) == [])
    #expect(tree.nearest(to: .at(0, 0), ranks: 0..<9, where: BitSet(capacity: 2)) == [])
    #expect(tree.nearest(to: .at(0, 0), ranks: 1..<9).map(\.index) == [1])
    #expect(tree.nearest(to: .at(0, 0), ranks: 0..<Int.max).map(\.index) == [0, 1])
  }
}
