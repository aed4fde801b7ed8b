import TestSupport
import Testing

@testable import GeoIndex

struct KDTreeInvariantsTests {
  private static let count = 300

  private let tree: KDTree

  init() {
    var random = SplitMix64(stream: "invariants")
    tree = KDTree((0..<Self.count).map { _ in random.coordinate() })
  }

  /// The fault found in a copy of the tree after some of its bytes were changed.
  private func fault(_ damage: (UnsafeMutableRawPointer, TreeLayout) -> Void) -> String? {
    let copy = TreeStorage(byteCount: tree.byteCount)
    copy.base.copyMemory(from: tree.storage.base, byteCount: tree.byteCount)
    damage(copy.base, TreeLayout(tree.view.shape))
    return KDTree(copy, tree.view.shape).brokenInvariant()
  }

  /// Where the position of a slot is written.
  private func offset(ofPosition slot: Int, _ layout: TreeLayout) -> Int {
    layout.leaves.lowerBound + slot / 32 * TreeLayout.leafStride + 768 + slot % 32 * 4
  }

  @Test(arguments: [0, 1, 15, 16, 17, 32, 33, 256, 257, 288, 2_048, 2_049, 3_000])
  func `a tree as built is sound`(_ count: Int) {
    var random = SplitMix64(stream: "sound")
    #expect(KDTree((0..<count).map { _ in random.coordinate() }).brokenInvariant() == nil)
  }

  @Test func `a copy is as sound as the original`() {
    #expect(fault { _, _ in } == nil)
  }

  @Test func `a block of another length is found`() throws {
    let short = KDTree(TreeStorage(byteCount: tree.byteCount - 16), tree.view.shape)
    let fault = try #require(short.brokenInvariant())
    #expect(fault == "the block has \(tree.byteCount - 16) bytes, not \(tree.byteCount)")
  }

  @Test func `a position out of range is found`() throws {
    let fault = try #require(
      fault { base, layout in
        base.storeBytes(of: 300, toByteOffset: offset(ofPosition: 17, layout), as: UInt32.self)
      }
    )
    #expect(fault == "slot 17 holds position 300 of 300")
  }

  @Test func `a position that comes twice is found`() throws {
    let fault = try #require(
      fault { base, layout in
        let position = base.load(fromByteOffset: offset(ofPosition: 3, layout), as: UInt32.self)
        base.storeBytes(of: position, toByteOffset: offset(ofPosition: 40, layout), as: UInt32.self)
      }
    )
    #expect(fault.hasPrefix("slot 40 holds position") && fault.hasSuffix("once more"))
  }

  @Test func `exchanged positions are found`() throws {
    let fault = try #require(
      fault { base, layout in
        let (one, other) = (offset(ofPosition: 5, layout), offset(ofPosition: 250, layout))
        let position = base.load(fromByteOffset: one, as: UInt32.self)
        base.storeBytes(
          of: base.load(fromByteOffset: other, as: UInt32.self),
          toByteOffset: one,
          as: UInt32.self
        )
        base.storeBytes(of: position, toByteOffset: other, as: UInt32.self)
      }
    )
    #expect(fault.hasPrefix("slot 5: ") && fault.contains("is not the place of position"))
  }

  @Test func `a coordinate that is none is found`() throws {
    let fault = try #require(
      fault { base, layout in
        let offset = layout.coordinates.lowerBound + 7 * 16
        base.storeBytes(of: 91, toByteOffset: offset, as: Double.self)
      }
    )
    #expect(fault.hasPrefix("position 7: 91.0,"))
  }

  @Test func `each bit of a place counts`() throws {
    for axis in 0..<3 {
      let fault = try #require(
        fault { base, layout in
          let offset = layout.leaves.lowerBound + 2 * TreeLayout.leafStride + axis * 256 + 8
          let bits = base.load(fromByteOffset: offset, as: UInt64.self)
          base.storeBytes(of: bits ^ 1, toByteOffset: offset, as: UInt64.self)
        }
      )
      #expect(fault.hasPrefix("slot 65: "))
    }
  }

  @Test func `what a slot without a point holds counts`() throws {
    let slot = Self.count
    let position = try #require(
      fault { base, layout in
        base.storeBytes(of: 1, toByteOffset: offset(ofPosition: slot, layout), as: UInt32.self)
      }
    )
    #expect(position == "slot 300, which has no point, holds position 1")
    let place = try #require(
      fault { base, layout in
        let offset = layout.leaves.lowerBound + slot / 32 * TreeLayout.leafStride + slot % 32 * 8
        base.storeBytes(of: 0, toByteOffset: offset, as: Double.self)
      }
    )
    #expect(place.hasPrefix("slot 300, which has no point, holds the place (x: 0.0, "))
  }

  @Test func `each side of each box counts, wider and narrower`() {
    for lane in TreeLane.all(of: tree) {
      for side in 0..<6 {
        for isUp in [false, true] {
          let fault = fault { base, layout in
            let offset =
              layout.nodes.lowerBound + lane.node * TreeLayout.nodeStride + side * 32 + lane.lane
              * 4
            let bound = base.load(fromByteOffset: offset, as: Float.self)
            let moved = isUp ? bound.nextUp : bound.nextDown
            // an infinite side moves one way only
            let changed = moved == bound ? 0 : moved
            base.storeBytes(of: changed, toByteOffset: offset, as: Float.self)
          }
          // of the box itself or, first met from below, of the one around it
          #expect(fault?.hasPrefix("node ") == true, "node \(lane.node), lane \(lane.lane)")
        }
      }
    }
  }

  @Test func `a byte between two sections counts`() throws {
    let fault = try #require(
      fault { base, layout in
        base.storeBytes(of: 1, toByteOffset: layout.leaves.lowerBound - 1, as: UInt8.self)
      }
    )
    #expect(
      fault
        == "byte \(TreeLayout(tree.view.shape).leaves.lowerBound - 1), between two sections, is not zero"
    )
  }
}
