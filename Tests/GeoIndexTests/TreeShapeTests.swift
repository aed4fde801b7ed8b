import Testing

@testable import GeoIndex

struct TreeShapeTests {
  @Test(arguments: [0, 1, 15, 16, 17, 31, 32, 33, 127, 128, 129, 1_000, 12_345])
  func `the leaves share out all slots in order`(_ count: Int) {
    let shape = TreeShape(pointCount: count)
    var end = 0
    for leaf in shape.firstLeaf..<2 * shape.firstLeaf {
      let slots = shape.slots(of: leaf)
      #expect(slots.lowerBound == end)
      #expect(slots.count <= TreeShape.leafCapacity)
      #expect(shape.depth == 0 || slots.count >= TreeShape.leafCapacity / 2)
      end = slots.upperBound
    }
    #expect(end == count)
    #expect(shape.slots(of: TreeShape.root) == 0..<count)
  }

  @Test func `a walk that skips nothing meets every node once, parents first`() {
    let shape = TreeShape(pointCount: 200)
    var met: [Int] = []
    var next: Int? = TreeShape.root
    while let node = next {
      met.append(node)
      next = shape.isLeaf(node) ? shape.next(after: node) : 2 * node
    }
    #expect(met.sorted() == Array(shape.nodes))
    #expect(met.prefix(6) == [1, 2, 4, 8, 16, 17])
  }

  @Test func `skipping a subtree goes to the next one`() {
    let shape = TreeShape(pointCount: 100)
    #expect(shape.next(after: 1) == nil)
    #expect(shape.next(after: 2) == 3)
    #expect(shape.next(after: 5) == 3)
    #expect(shape.next(after: 11) == 3)
    #expect(shape.next(after: 15) == nil)
  }

  @Test func `four thousand million points have a shape`() {
    let shape = TreeShape(pointCount: Int(UInt32.max))
    let leaf = 2 * shape.firstLeaf - 1
    #expect(shape.slots(of: leaf).upperBound == Int(UInt32.max))
  }
}
