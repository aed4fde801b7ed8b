import TestSupport
import Testing

@testable import GeoIndex

struct KDTreeAreaTests {
  /// Areas around a layout's points, of every kind and of several sizes.
  private static func areas(around scenario: inout Scenario) throws -> [Area] {
    let kinds = try AreaKind.allCases.filter { $0 != .thousands }.map {
      try $0.area(using: &scenario.random)
    }
    let stars = try [0.01, 0.3, 5, 40].flatMap { radius in
      try (0..<2).map { _ in
        let center = scenario.coordinates.randomElement(using: &scenario.random) ?? .at(3, 4)
        return try AreaTests.star(
          center,
          radius,
          5 + scenario.random.int(below: 30),
          &scenario.random
        )
      }
    }
    return kinds + stars
  }

  @Test(arguments: Layout.allCases)
  func `the points in an area are those of a filtered linear scan`(_ layout: Layout) throws {
    for size in [0, 1, 31, 33, 300, 4_000] {
      var scenario = Scenario(layout, size: size, centerCount: 0)
      for area in try Self.areas(around: &scenario) {
        for allowed in [nil, scenario.filter] {
          let expected = scenario.coordinates.indices.filter {
            area.contains(scenario.coordinates[$0]) && (allowed?.contains($0) ?? true)
          }
          #expect(scenario.tree.within(area, where: allowed) == expected, "\(scenario)")
          #expect(scenario.tree.count(in: area, where: allowed) == expected.count, "\(scenario)")
          let set = scenario.tree.positionSet(in: area, where: allowed)
          #expect(set == BitSet(capacity: size, expected), "\(scenario)")
        }
      }
    }
  }

  @Test(arguments: Layout.allCases)
  func `the nearest in an area are those of a set of its points`(_ layout: Layout) throws {
    var decided = 0
    for size in [0, 1, 40, 300, 4_000] {
      var scenario = Scenario(layout, size: size, centerCount: 5)
      for area in try Self.areas(around: &scenario) {
        let set = scenario.tree.positionSet(in: area)
        for center in scenario.centers {
          for (count, radius) in [(1, .infinity), (10, 2e5), (25, .infinity)] {
            for allowed in [nil, scenario.filter] {
              let found = scenario.tree.nearest(
                to: center,
                count: count,
                within: radius,
                where: allowed,
                in: area
              )
              guard let found else { continue }
              decided += 1
              let both = allowed.map { $0.intersection(set) } ?? set
              let expected = scenario.tree.nearest(
                to: center,
                count: count,
                within: radius,
                where: both
              )
              scenario.expect(found, equals: expected, "\(count) in an area near \(center)")
            }
          }
        }
      }
    }
    #expect(decided > 1_000)
  }

  @Test(arguments: Layout.allCases)
  func `what is said of a lane holds for each of its points`(_ layout: Layout) throws {
    for size in [3, 288, 1_100] {
      var scenario = Scenario(layout, size: size, centerCount: 0)
      let tree = scenario.tree
      let lanes = TreeLane.all(of: tree)
      for area in try Self.areas(around: &scenario) {
        let region = AreaRegion(area)
        for lane in lanes {
          let relation = LaneRelation(of: lane.node, in: tree.view, to: region)
          let isTouched = relation.touched & 1 << UInt32(lane.lane) != 0
          let isInside = relation.inside & 1 << UInt32(lane.lane) != 0
          let members = lane.sites(in: tree).map { area.contains($0.coordinate) }
          let place = "\(scenario): node \(lane.node), lane \(lane.lane)"
          #expect(isTouched || !members.contains(true), "\(place) is said to be outside")
          #expect(!isInside || !members.contains(false), "\(place) is said to be inside")
          #expect(!lane.slots.isEmpty || !isTouched, "\(place) is empty")
        }
      }
    }
  }

  @Test func `subtrees wholly inside are taken, and others dropped`() throws {
    var random = SplitMix64(stream: "area subtrees")
    let tree = KDTree((0..<20_000).map { _ in random.coordinate() })
    let ring = AreaTests.ring((-60, -40), (70, -45), (75, 50), (-65, 45))
    let region = AreaRegion(try Area([[ring]]))
    var counts = SearchStatistics()
    let query = RegionQuery(view: tree.view, region: region, allowed: nil)
    let found: [Int] = query.positions(sorted: true, &counts)
    #expect(found.count > 4_000)
    #expect(counts.subtreesTaken > 20)
    #expect(counts.pointsScanned < found.count / 2)
    #expect(counts.nodesVisited < 150)
  }

  @Test(arguments: AreaKind.allCases)
  func `a box said to be inside or outside an area is so`(_ kind: AreaKind) throws {
    var random = SplitMix64(stream: "area relation \(kind.rawValue)")
    var decided = 0
    for _ in 0..<20 {
      let area = try kind.area(using: &random)
      for _ in 0..<50 {
        let corner = AreaKind.position(near: area, using: &random)
        let size = [1e-9, 1e-3, 0.1, 1, 10][random.int(below: 5)]
        let box = DegreeBox(
          west: corner.longitude,
          south: corner.latitude,
          east: min(180, corner.longitude + size),
          north: min(90, corner.latitude + size)
        )
        let relation = area.outline.relation(to: box)
        guard relation != .crosses else { continue }
        decided += 1
        for _ in 0..<20 {
          let place = Coordinate.at(
            random.double(in: box.south...box.north),
            random.double(in: box.west...box.east)
          )
          if place.isPole { continue }
          #expect(area.contains(place) == (relation == .inside), "\(place) in \(box)")
        }
      }
    }
    #expect(decided > 100 || kind == .tiny || kind == .slivers, "\(decided)")
  }
}
