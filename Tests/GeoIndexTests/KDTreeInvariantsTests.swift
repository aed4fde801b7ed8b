import Testing

@testable import GeoIndex

struct KDTreeInvariantsTests {
  private let tree: KDTree

  init() {
    var random = SplitMix64(stream: "invariants")
    tree = KDTree((0..<100).map { _ in random.coordinate() })
  }

  /// A copy of the tree with some of its storage replaced.
  private func damaged(
    sites: [Site]? = nil,
    positions: [UInt32]? = nil,
    slots: [UInt32]? = nil,
    boxes: [NodeBox]? = nil
  ) -> KDTree {
    KDTree(
      shape: tree.shape,
      sites: sites ?? tree.sites,
      positions: positions ?? tree.positions,
      slots: slots ?? tree.slots,
      boxes: boxes ?? tree.boxes
    )
  }

  @Test func `a tree as built is sound`() {
    #expect(tree.brokenInvariant() == nil)
    #expect(KDTree([]).brokenInvariant() == nil)
  }

  @Test func `a missing site is found`() {
    #expect(damaged(sites: Array(tree.sites.dropLast())).brokenInvariant() != nil)
  }

  @Test func `exchanged positions are found`() throws {
    var positions = tree.positions
    positions.swapAt(3, 40)
    let fault = try #require(damaged(positions: positions).brokenInvariant())
    #expect(fault.hasPrefix("slot 3 holds position"))
  }

  @Test func `exchanged sites are found`() throws {
    var sites = tree.sites
    sites.swapAt(0, 99)
    let fault = try #require(damaged(sites: sites).brokenInvariant())
    #expect(fault.hasPrefix("node 1:"))
  }

  @Test func `a box that is too large is found`() throws {
    var boxes = tree.boxes
    boxes[9].formUnion(boxes[1])
    let fault = try #require(damaged(boxes: boxes).brokenInvariant())
    #expect(fault.hasPrefix("node 4:"))
  }
}
