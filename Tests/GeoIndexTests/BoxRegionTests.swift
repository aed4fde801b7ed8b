import Testing

@testable import GeoIndex

struct BoxRegionTests {
  @Test(arguments: Layout.allCases)
  func `what is said of a node holds for each of its points`(_ layout: Layout) {
    var scenario = Scenario(layout, size: 700, centerCount: 0)
    let tree = scenario.tree
    for box in (0..<3).flatMap({ _ in scenario.boxes() }) {
      let region = BoxRegion(box)
      for node in tree.shape.nodes {
        let relation = region.relation(of: tree.boxes[node])
        if relation == .cut { continue }
        let isInside = relation == .inside
        let isTrue = tree.shape.slots(of: node).allSatisfy {
          box.contains(tree.sites[$0].coordinate) == isInside
        }
        #expect(isTrue, "\(scenario): node \(node) is said to be \(relation) of \(box)")
      }
    }
  }

  @Test func `nodes away from the edges are not cut`() throws {
    let box = try #require(BoundingBox(west: 10, south: 40, east: 20, north: 50))
    let region = BoxRegion(box)
    #expect(region.relation(of: NodeBox(around: Site(.at(45, 15)))) == .inside)
    #expect(region.relation(of: NodeBox(around: Site(.at(45, 25)))) == .outside)
    #expect(region.relation(of: NodeBox(around: Site(.at(45, -165)))) == .outside)
    #expect(region.relation(of: NodeBox(around: Site(.at(55, 15)))) == .outside)
    #expect(region.relation(of: NodeBox(around: Site(.at(45, 20)))) == .cut)
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
    #expect(region.relation(of: NodeBox(around: Site(.at(45, 100)))) == .inside)
    #expect(region.relation(of: NodeBox(around: Site(.at(45, -100)))) == .inside)
    #expect(region.relation(of: NodeBox(around: Site(.at(45, 0)))) == .outside)
    #expect(region.relation(of: NodeBox(around: Site(.at(90, 0)))) == .cut)
    let world = BoxRegion(.world)
    #expect(world.relation(of: NodeBox(around: Site(.at(90, 0)))) == .inside)
  }
}
