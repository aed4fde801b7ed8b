/// The shape of the tree: a perfect binary tree over equal shares of the points, all arithmetic.
///
/// Node 1 is the root, node i has the children 2i and 2i + 1, and the leaves are the last level. At
/// depth d node 2^d + j holds the slots ⌊jn/2^d⌋..<⌊(j+1)n/2^d⌋ of the leaf order, so a node is a
/// range and its count is known without a visit.
struct TreeShape {
  /// The most points a leaf holds; a leaf of a larger tree holds at least half as many.
  static let leafCapacity = 16

  /// The root's number.
  static let root = 1

  let pointCount: Int

  /// The number of levels below the root.
  let depth: Int

  init(pointCount: Int) {
    self.pointCount = pointCount
    var depth = 0
    while (pointCount + (1 << depth) - 1) >> depth > Self.leafCapacity {
      depth += 1
    }
    self.depth = depth
  }

  /// The number of the first leaf; also the number of leaves.
  var firstLeaf: Int { 1 << depth }

  /// All nodes from the root on.
  var nodes: Range<Int> { Self.root..<2 * firstLeaf }

  func isLeaf(_ node: Int) -> Bool { node >= firstLeaf }

  /// The slots that a node holds.
  func slots(of node: Int) -> Range<Int> {
    let level = Int.bitWidth - 1 - node.leadingZeroBitCount
    let rank = node - (1 << level)
    return (rank * pointCount) >> level..<((rank + 1) * pointCount) >> level
  }

  /// The node after a whole subtree in depth-first order; nil after the last one.
  ///
  /// Up while the node is a right child, then to the sibling: both at once, since the number's
  /// trailing ones are those right turns.
  func next(after node: Int) -> Int? {
    let following = node + 1
    let sibling = following >> following.trailingZeroBitCount
    return sibling == Self.root ? nil : sibling
  }
}
