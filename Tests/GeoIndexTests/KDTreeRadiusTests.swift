import TestSupport
import Testing

@testable import GeoIndex

struct KDTreeRadiusTests {
  @Test(arguments: Layout.allCases)
  func `a radius query equals a filtered linear scan bit for bit`(_ layout: Layout) {
    var queries = 0
    for var scenario in Scenario.all(of: layout) {
      for center in scenario.centers {
        queries += Self.check(&scenario, from: center)
      }
    }
    #if !DEBUG
    #expect(queries >= 2_000)
    #endif
  }

  /// All radii from one center; returns how many queries that was.
  private static func check(_ scenario: inout Scenario, from center: Coordinate) -> Int {
    let tree = scenario.tree
    let ranked = scenario.scan.ranked(from: center)
    let rim = scenario.radius(of: ranked)
    let radii = [
      0, .leastNonzeroMagnitude, rim, rim.nextUp, rim.nextDown, 1_500, 10_001_965.7,
      20_003_931.4586,
      20_003_931.5, .infinity,
    ]
    for allowed in [nil, scenario.filter] {
      for radius in radii where radius >= 0 {
        let found = tree.within(radius: radius, of: center, where: allowed)
        let expected = LinearScan.nearest(.max, of: ranked, within: radius, where: allowed)
        let query = "radius \(radius) of \(center), filtered: \(allowed != nil)"
        scenario.expect(found, equals: expected, query)
        let count = tree.count(within: radius, of: center, where: allowed)
        if count != expected.count {
          Issue.record("\(scenario): \(query) counted \(count), not \(expected.count)")
        }
        let positions = tree.positions(within: radius, of: center, where: allowed)
        if positions.sorted() != expected.map({ UInt32($0.index) }).sorted() {
          Issue.record("\(scenario): \(query) found other positions")
        }
      }
    }
    return 4 * radii.count
  }

  @Test func `the circle is closed`() {
    let center = Coordinate.at(0, 0)
    for point in [Coordinate.at(0, 0.01), .at(0, 0.5), .at(0, 10), .at(80, 170)] {
      let tree = KDTree([point])
      let distance = center.distance(to: point)
      #expect(tree.count(within: distance, of: center) == 1)
      #expect(tree.within(radius: distance, of: center).count == 1)
      #expect(tree.count(within: distance.nextDown, of: center) == 0)
      #expect(tree.within(radius: distance.nextDown, of: center).isEmpty)
    }
  }

  @Test func `a radius of zero gives the points at the center`() {
    let tree = KDTree([.at(5, 180), .at(5, 179), .at(5, -180), .at(-0.0, 0)])
    #expect(tree.within(radius: 0, of: .at(5, 180)).map(\.index) == [0, 2])
    #expect(tree.within(radius: 0, of: .at(0, -0.0)).map(\.index) == [3])
  }

  @Test func `half a meridian reaches everything`() {
    let tree = KDTree([.at(90, 0), .at(-90, 0), .at(0, 0), .at(0, 180), .at(0.25, 179.5)])
    for center in (0..<tree.count).map({ tree[$0] }) {
      #expect(tree.within(radius: 20_003_931.4587, of: center).count == 5)
      #expect(tree.count(within: 20_003_931.4587, of: center) == 5)
      #expect(tree.count(within: .infinity, of: center) == 5)
    }
    #expect(tree.count(within: 20_003_931.4586, of: .at(90, 0)) == 4)
  }

  @Test func `a larger radius loses no point`() {
    var random = SplitMix64(stream: "growing")
    let tree = KDTree((0..<500).map { _ in random.coordinate() })
    let center = random.coordinate()
    var before: Set<Int> = []
    for step in 0...40 {
      let found = Set(tree.within(radius: Double(step) * 500_100, of: center).map(\.index))
      #expect(found.isSuperset(of: before))
      before = found
    }
    #expect(before.count == 500)
  }
}
