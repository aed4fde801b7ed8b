import Testing

@testable import GeoIndex

struct BoxScanTests {
  @Test(arguments: Layout.allCases)
  func `the bits of a leaf are those of its points that the box contains`(_ layout: Layout) {
    for size in [1, 15, 16, 17, 300] {
      var scenario = Scenario(layout, size: size, centerCount: 0)
      let view = scenario.tree.view
      for box in scenario.boxes() {
        let scan = BoxScan(view, BoxRegion(box))
        for leaf in 0..<view.shape.leafCount {
          let slots = 16 * leaf..<min(size, 16 * leaf + 16)
          let expected = slots.reduce(UInt32(0)) { bits, slot in
            let isInside = box.contains(view.site(atSlot: slot).coordinate)
            return isInside ? bits | 1 << UInt32(slot % 16) : bits
          }
          #expect(scan.bits(ofLeaf: leaf) == expected, "\(scenario): leaf \(leaf), \(box)")
        }
      }
    }
  }
}
