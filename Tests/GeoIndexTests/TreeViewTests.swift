import TestSupport
import Testing

@testable import GeoIndex

struct TreeViewTests {
  @Test(arguments: Layout.allCases)
  func `a slot has the place and the coordinate of its position`(_ layout: Layout) {
    let scenario = Scenario(layout, size: 333, centerCount: 0)
    let view = scenario.tree.view
    for slot in 0..<333 {
      let coordinate = scenario.coordinates[view.position(atSlot: slot)]
      let (origin, expected) = (view.ecefPoint(atSlot: slot), ECEFPoint(coordinate))
      let place = view.point(atSlot: slot)
      #expect(origin.x == expected.x && origin.y == expected.y && origin.z == expected.z)
      #expect(place.x == origin.x && place.y == origin.y && place.z == origin.z)
      #expect(origin.coordinate.latitude.bitPattern == coordinate.latitude.bitPattern)
      #expect(origin.coordinate.longitude.bitPattern == coordinate.longitude.bitPattern)
    }
  }

  @Test func `damaged positions and coordinates lead nowhere outside the block`() {
    let tree = KDTree((0..<100).map { .at(Double($0) / 2, 1) })
    let layout = TreeLayout(tree.view.shape)
    let copy = TreeStorage(byteCount: tree.byteCount)
    copy.base.copyMemory(from: tree.storage.base, byteCount: tree.byteCount)
    for offset in layout.leaves.lowerBound..<layout.coordinates.upperBound {
      copy.base.storeBytes(of: 0xFF, toByteOffset: offset, as: UInt8.self)
    }
    let damaged = KDTree(copy, tree.view.shape)
    #expect((0..<100).allSatisfy { damaged.view.position(atSlot: $0) == 99 })
    #expect((0..<100).allSatisfy { damaged[$0] == .at(0, 0) })
    #expect(damaged.within(.world).allSatisfy { $0 < 100 })
    #expect(damaged.brokenInvariant() != nil)
  }
}
