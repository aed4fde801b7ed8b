import TestSupport
import Testing

@testable import GeoIndex

struct BoxRegionTests {
  /// What is said of the one lane of a tree of one point.
  enum Relation {
    case outside
    case cut
    case inside
  }

  private static func relation(_ region: some SearchRegion, to point: Coordinate) -> Relation {
    let tree = KDTree([point])
    let lanes = LaneRelation(of: 0, in: tree.view, to: region)
    guard lanes.touched != 0 else { return .outside }
    return lanes.inside == lanes.touched ? .inside : .cut
  }

  @Test(arguments: Layout.allCases)
  func `what is said of a lane holds for each of its points`(_ layout: Layout) {
    for size in [3, 288, 1_100] {
      var scenario = Scenario(layout, size: size, centerCount: 0)
      let tree = scenario.tree
      let lanes = TreeLane.all(of: tree)
      for box in (0..<3).flatMap({ _ in scenario.boxes() }) {
        let region = BoxRegion(box)
        for lane in lanes {
          let relation = LaneRelation(of: lane.node, in: tree.view, to: region)
          let isTouched = relation.touched & 1 << UInt32(lane.lane) != 0
          let isInside = relation.inside & 1 << UInt32(lane.lane) != 0
          let members = lane.sites(in: tree).map { box.contains($0.coordinate) }
          let place = "\(scenario): node \(lane.node), lane \(lane.lane), \(box)"
          #expect(isTouched || !members.contains(true), "\(place) is said to be outside")
          #expect(!isInside || !members.contains(false), "\(place) is said to be inside")
          #expect(isTouched || !isInside, "\(place)")
          #expect(!lane.slots.isEmpty || !isTouched, "\(place) is empty")
        }
      }
    }
  }

  @Test func `nodes away from the edges are not cut`() throws {
    let box = try #require(BoundingBox(west: 10, south: 40, east: 20, north: 50))
    let region = BoxRegion(box)
    #expect(Self.relation(region, to: .at(45, 15)) == .inside)
    #expect(Self.relation(region, to: .at(45, 25)) == .outside)
    #expect(Self.relation(region, to: .at(45, -165)) == .outside)
    #expect(Self.relation(region, to: .at(55, 15)) == .outside)
    #expect(Self.relation(region, to: .at(45, 20)) == .cut)
  }

  @Test func `a gap too thin for the width to show it is still a gap`() throws {
    let box = try #require(BoundingBox(west: 1e-15, south: -10, east: -1e-15, north: 10))
    let tree = KDTree([.at(0, 0), .at(0, 5), .at(0, -5), .at(0, 180)])
    #expect(tree.within(box) == [1, 2, 3])
    #expect(tree.count(in: box) == 3)
  }

  @Test func `a wide wedge is a union`() throws {
    let box = try #require(BoundingBox(west: 10, south: -90, east: -10, north: 90))
    let region = BoxRegion(box)
    #expect(Self.relation(region, to: .at(45, 100)) == .inside)
    #expect(Self.relation(region, to: .at(45, -100)) == .inside)
    #expect(Self.relation(region, to: .at(45, 0)) == .outside)
    #expect(Self.relation(region, to: .at(90, 0)) == .cut)
    #expect(Self.relation(BoxRegion(.world), to: .at(90, 0)) == .inside)
  }
}
