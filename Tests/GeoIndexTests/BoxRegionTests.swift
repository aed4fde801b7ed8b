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
    let lanes = region.relation(of: tree.view, node: 0, cutBy: region.edges)
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
          let relation = region.relation(of: tree.view, node: lane.node, cutBy: region.edges)
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

  @Test(arguments: Layout.allCases)
  func `looking at no edges but those that cut a node says the same of its lanes`(_ layout: Layout)
  {
    var scenario = Scenario(layout, size: 2_100, centerCount: 0)
    let view = scenario.tree.view
    for box in scenario.boxes() {
      let region = BoxRegion(box)
      for lane in TreeLane.all(of: scenario.tree) {
        guard let child = lane.child else { continue }
        let above = region.relation(of: view, node: lane.node, cutBy: region.edges)
        guard above.cut & 1 << UInt32(lane.lane) != 0 else { continue }
        let edges = above.edges(ofLane: lane.lane)
        let few = region.relation(of: view, node: child, cutBy: edges)
        let all = region.relation(of: view, node: child, cutBy: region.edges)
        #expect(few.touched == all.touched && few.inside == all.inside, "\(scenario), \(box)")
        #expect(few.cut & few.inside == 0 && few.cut | few.inside == few.touched)
        for lane in 0..<8 where few.cut & 1 << UInt32(lane) != 0 {
          #expect(few.edges(ofLane: lane) == all.edges(ofLane: lane), "\(scenario), \(box)")
          #expect(few.edges(ofLane: lane).isSubset(of: edges), "\(scenario), \(box)")
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
