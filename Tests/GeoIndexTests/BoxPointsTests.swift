import TestSupport
import Testing

@testable import GeoIndex

struct BoxPointsTests {
  @Test(arguments: Layout.allCases)
  func `the bits of a leaf are those of its points that the box contains`(_ layout: Layout) {
    for size in [1, 31, 32, 33, 300, 1_100] {
      var scenario = Scenario(layout, size: size, centerCount: 0)
      let lanes = TreeLane.all(of: scenario.tree).filter { $0.child == nil && !$0.slots.isEmpty }
      for box in scenario.boxes() {
        for lane in lanes {
          Self.check(scenario, lane, box)
        }
      }
    }
  }

  private static func check(_ scenario: Scenario, _ lane: TreeLane, _ box: BoundingBox) {
    let view = scenario.tree.view
    let leaf = lane.leaves.lowerBound
    let expected = lane.slots.reduce(UInt32(0)) { bits, slot in
      let isInside = box.contains(view.ecefPoint(atSlot: slot).coordinate)
      return isInside ? bits | 1 << UInt32(slot % 32) : bits
    }
    let place = "\(scenario): leaf \(leaf), \(box)"
    #expect(BoxRegion(box).points(ofLeaf: leaf, in: view) == expected, "\(place)")
  }
}
