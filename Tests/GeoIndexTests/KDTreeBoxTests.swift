import TestSupport
import Testing

@testable import GeoIndex

struct KDTreeBoxTests {
  @Test(arguments: Layout.allCases)
  func `a box query equals a filtered linear scan`(_ layout: Layout) {
    var queries = 0
    for var scenario in Scenario.all(of: layout) {
      for _ in 0..<scenario.centers.count {
        for box in scenario.boxes() {
          Self.check(scenario, box)
          queries += 4
        }
      }
    }
    #if !DEBUG
    #expect(queries >= 2_000)
    #endif
  }

  private static func check(_ scenario: Scenario, _ box: BoundingBox) {
    for allowed in [nil, scenario.filter] {
      let expected = scenario.scan.positions(in: box, where: allowed)
      let found = scenario.tree.within(box, where: allowed)
      let count = scenario.tree.count(in: box, where: allowed)
      guard found != expected || count != expected.count else { continue }
      Issue.record(
        """
        \(scenario): box \(box), filtered: \(allowed != nil), gave \(found.count) and counted \
        \(count) of \(expected.count)
        """
      )
    }
  }

  @Test func `a box across the antimeridian finds both sides`() throws {
    let tree = KDTree([.at(0, 179), .at(0, -179), .at(0, 180), .at(0, -180), .at(0, 0)])
    let box = try #require(BoundingBox(west: 170, south: -1, east: -170, north: 1))
    #expect(tree.within(box) == [0, 1, 2, 3])
    let west = try #require(BoundingBox(west: 170, south: -1, east: 180, north: 1))
    let east = try #require(BoundingBox(west: -180, south: -1, east: -170, north: 1))
    #expect(tree.within(west) == [0, 2, 3])
    #expect(tree.within(east) == [1, 2, 3])
  }

  @Test func `a box wider than half the circle is the union of its half-spaces`() throws {
    let points = (-18..<18).map { Coordinate.at(0, Double($0) * 10) }
    let tree = KDTree(points)
    let box = try #require(BoundingBox(west: -100, south: -1, east: 100, north: 1))
    #expect(tree.within(box).map { tree[$0].longitude } == (-10...10).map { Double($0) * 10 })
    let back = try #require(BoundingBox(west: 30, south: -1, east: -30, north: 1))
    #expect(tree.count(in: back) == 36 - 5)
  }

  @Test func `a pole lies in every box that reaches it`() throws {
    let tree = KDTree([.at(90, 100), .at(-90, 0), .at(89.9999999, 100)])
    let box = try #require(BoundingBox(west: 0, south: 80, east: 1, north: 90))
    #expect(tree.within(box) == [0])
    #expect(tree.count(in: box) == 1)
  }

  @Test func `the world holds everything`() {
    let scenario = Scenario(.specialDegrees, size: 500, centerCount: 0)
    #expect(scenario.tree.within(.world) == Array(0..<500))
    #expect(scenario.tree.count(in: .world) == 500)
    #expect(KDTree([]).count(in: .world) == 0)
  }
}
