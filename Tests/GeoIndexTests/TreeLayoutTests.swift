import Testing

@testable import GeoIndex

struct TreeLayoutTests {
  @Test(arguments: [0, 1, 31, 32, 33, 257, 2_049, 100_000])
  func `sections start on pages, in order, and are as long as their contents`(_ size: Int) {
    let shape = TreeShape(pointCount: size)
    let layout = TreeLayout(shape)
    var end = TreeLayout.alignment
    for section in layout.sections {
      #expect(section.lowerBound % 4_096 == 0)
      #expect(section.lowerBound >= end)
      #expect(section.lowerBound < end + 4_096)
      end = section.upperBound
    }
    #expect(layout.byteCount == end)
    #expect(layout.nodes.count == shape.nodeCount * 192)
    #expect(layout.leaves.count == shape.leafCount * 896)
    #expect(layout.coordinates.count == size * 16)
  }

  @Test func `a large tree takes at most 48 bytes a point`() {
    for size in [1_000_000, 10_000_000, 100_000_000] {
      #expect(TreeLayout(TreeShape(pointCount: size)).byteCount <= 48 * size, "\(size)")
    }
  }
}
