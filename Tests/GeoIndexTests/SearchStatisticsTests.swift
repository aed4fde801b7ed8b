import Foundation
import Testing

@testable import GeoIndex

struct SearchStatisticsTests {
  /// Trees of one to three levels whose leaves are all full and whose lanes all have two.
  private static let fullSizes = [32, 256, 2_048, 4_096]

  #if DEBUG
  private static let sizes = [1, 17, 32, 256, 289]
  private static let layouts = [Layout.uniform, .clustered]
  private static let turns = 10
  #else
  private static let sizes = fullSizes + [1, 17, 289, 700, 1_100]
  private static let layouts = [Layout.uniform, .clustered, .antimeridianStrip, .poleCaps]
  private static let turns = 20
  #endif

  private static func expect(
    _ statistics: SearchStatistics,
    equals expected: SearchStatistics,
    _ scenario: Scenario,
    _ query: String
  ) {
    guard statistics != expected else { return }
    Issue.record("\(scenario): \(query) counted \(statistics), not \(expected)")
  }

  @Test(arguments: layouts, sizes)
  func `a radius query does what a slow walk counts`(_ layout: Layout, _ size: Int) {
    let scenario = Scenario(layout, size: size, centerCount: 12)
    var decided = 0
    let radii = [500, 20_000, 90_000, 380_000.0]
    for center in scenario.centers {
      for radius in radii {
        var walk = SlowWalk(scenario.tree)
        walk.visit(0, SlowWalk.ball(radius, of: ECEFPoint(center)))
        guard !walk.isOpen else { continue }
        decided += 1
        Self.checkRadius(scenario, radius, of: center, walk)
      }
    }
    #expect(decided > scenario.centers.count * radii.count / 4, "\(scenario)")
  }

  private static func checkRadius(
    _ scenario: Scenario,
    _ radius: Double,
    of center: Coordinate,
    _ walk: SlowWalk
  ) {
    let chords = walk.scannedSlots.map { slot in
      Chord(from: ECEFPoint(center), to: scenario.tree.view.ecefPoint(atSlot: slot)).squared
        .squareRoot()
    }
    let query = "\(radius) m of \(center)"
    var listed = SearchStatistics()
    let found = scenario.tree.within(radius: radius, of: center, statistics: &listed)
    var expected = walk.counts
    // the list solves every point taken whole, and in cut leaves those within the chord
    expected.distancesSolved = walk.takenSlots.count + chords.filter { $0 <= radius }.count
    Self.expect(listed, equals: expected, scenario, "the list of \(query)")
    var counted = SearchStatistics()
    let count = scenario.tree.count(within: radius, of: center, statistics: &counted)
    // the count solves only those whose chord does not tell
    let certain = SlowWalk.certainChord(radius)
    expected.distancesSolved = chords.filter { $0 > certain && $0 <= radius }.count
    Self.expect(counted, equals: expected, scenario, "the count of \(query)")
    #expect(count == found.count)
  }

  @Test(arguments: layouts, sizes)
  func `a box query does what a slow walk counts`(_ layout: Layout, _ size: Int) {
    var scenario = Scenario(layout, size: size, centerCount: 0)
    var (decided, boxes) = (0, 0)
    for box in (0..<3).flatMap({ _ in scenario.boxes() }) {
      boxes += 1
      var walk = SlowWalk(scenario.tree)
      walk.visit(0, SlowWalk.box(box))
      guard !walk.isOpen else { continue }
      decided += 1
      var listed = SearchStatistics()
      let found = scenario.tree.within(box, statistics: &listed)
      Self.expect(listed, equals: walk.counts, scenario, "the list of \(box)")
      var counted = SearchStatistics()
      let count = scenario.tree.count(in: box, statistics: &counted)
      Self.expect(counted, equals: walk.counts, scenario, "the count of \(box)")
      #expect(count == found.count)
    }
    #expect(decided > boxes / 8, "\(scenario)")
  }

  @Test(arguments: sizes, [1, 2, 10, 15, 16, 24, 60])
  func `a nearest query does what a slow walk counts`(_ size: Int, _ count: Int) {
    // points within a hundred kilometers, leaves kilometers wide: far more than any rounding
    let scenario = Scenario(.oneCity, size: size, centerCount: 0)
    var random = scenario.random
    let count = min(count, size)
    var decided = 0
    for turn in 0..<Self.turns {
      let center =
        turn % 2 == 0
        ? scenario.coordinates[random.int(below: size)]
        : random.coordinate(near: scenario.coordinates[0], degrees: 0.5)
      var walk = SlowWalk(scenario.tree)
      walk.visitNearest(to: ECEFPoint(center), count: count)
      var statistics = SearchStatistics()
      let found = scenario.tree.nearest(to: center, count: count, statistics: &statistics)
      #expect(found == Array(scenario.scan.ranked(from: center).prefix(count)))
      guard !walk.isOpen else { continue }
      decided += 1
      Self.expect(statistics, equals: walk.counts, scenario, "\(count) nearest to \(center)")
    }
    #expect(decided > Self.turns / 2, "\(scenario)")
  }

  @Test(arguments: Layout.allCases)
  func `what is counted is whole, whatever the search`(_ layout: Layout) {
    for size in [256, 1_024] {
      let scenario = Scenario(layout, size: size, centerCount: 5)
      for center in scenario.centers {
        for count in [1, 10, 25, 100, size] {
          Self.checkNearest(scenario, count, to: center, where: nil)
          Self.checkNearest(scenario, count, to: center, where: scenario.filter)
        }
      }
    }
  }

  private static func checkNearest(
    _ scenario: Scenario,
    _ count: Int,
    to center: Coordinate,
    where allowed: BitSet?
  ) {
    let tree = scenario.tree
    var statistics = SearchStatistics()
    let found = tree.nearest(to: center, count: count, where: allowed, statistics: &statistics)
    #expect(found == tree.nearest(to: center, count: count, where: allowed))
    // of points at one place, one may be measured for all
    let distances = Set(found.map(\.distance))
    #expect(statistics.distancesSolved >= distances.count)
    #expect(statistics.longGeodesicsSolved <= statistics.distancesSolved)
    #expect(statistics.pointsScanned >= found.count)
    #expect(statistics.longGeodesicsSolved >= distances.filter { $0 > 400_300 }.count)
    checkLanes(statistics, tree.view.shape, isFiltered: allowed != nil)
  }

  /// Each lane of each node that was visited was entered or skipped; a search has up to four walks.
  private static func checkLanes(
    _ statistics: SearchStatistics,
    _ shape: TreeShape,
    isFiltered: Bool
  ) {
    // where the scan of a set took over, it counts as one leaf
    for scans in isFiltered ? 0...1 : 0...0 {
      for walks in 1...4 {
        let lanes = 8 * (statistics.nodesVisited - walks) + walks * shape.rootLaneCount
        let entered = statistics.nodesVisited - walks + statistics.leavesScanned - scans
        if lanes == entered + statistics.nodesPruned { return }
      }
    }
    Issue.record("\(statistics) does not add up over \(shape)")
  }

  @Test func `counting changes no answer, and counts add up from query to query`() throws {
    var scenario = Scenario(.clustered, size: 1_100, centerCount: 9)
    let tree = scenario.tree
    for center in scenario.centers {
      for (radius, allowed) in [(10_000.0, nil), (3_000_000, scenario.filter), (.infinity, nil)] {
        var statistics = SearchStatistics()
        let listed = tree.within(
          radius: radius,
          of: center,
          sorted: true,
          where: allowed,
          statistics: &statistics
        )
        #expect(listed == tree.within(radius: radius, of: center, where: allowed))
        let once = statistics
        _ = tree.within(radius: radius, of: center, where: allowed, statistics: &statistics)
        #expect(statistics.nodesVisited == 2 * once.nodesVisited)
        #expect(statistics.distancesSolved == 2 * once.distancesSolved)
        #expect(statistics.nodesPruned == 2 * once.nodesPruned)
        let count = tree.count(within: radius, of: center, where: allowed, statistics: &statistics)
        #expect(count == listed.count)
      }
    }
    for box in scenario.boxes() {
      var statistics = SearchStatistics()
      let listed = tree.within(box, where: scenario.filter, statistics: &statistics)
      #expect(listed == tree.within(box, where: scenario.filter))
      #expect(tree.count(in: box, where: scenario.filter, statistics: &statistics) == listed.count)
    }
  }

  @Test func `an empty tree takes no work`() {
    var statistics = SearchStatistics()
    let tree = KDTree([])
    #expect(tree.nearest(to: .at(0, 0), count: 3, statistics: &statistics).isEmpty)
    #expect(tree.within(radius: 5, of: .at(0, 0), statistics: &statistics).isEmpty)
    #expect(tree.count(in: .world, statistics: &statistics) == 0)
    #expect(statistics == SearchStatistics())
  }
}
