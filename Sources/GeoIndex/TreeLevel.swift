/// A level of the nodes' children, the root's being level 1, and where their leaves are.
struct TreeLevel {
  /// The number of the first child, and one beyond the last of its parents.
  let firstChild: Int

  /// Whether the children are leaves.
  let isLowest: Bool

  private let number: Int
  private let shift: Int

  @inline(__always)
  init(_ number: Int, of shape: TreeShape) {
    self.number = number
    firstChild = TreeShape.firstNode(ofLevel: number, shape.rootLaneCount)
    isLowest = number == shape.depth
    shift = 3 &* (shape.depth &- number)
  }

  func next(in shape: TreeShape) -> TreeLevel { TreeLevel(number + 1, of: shape) }

  /// The leaves below a child.
  @inline(__always)
  func leaves(ofChild child: Int, in shape: TreeShape) -> Range<Int> {
    let rank = child &- firstChild
    let start = shape.leaf(atLane: rank &<< shift)
    let end = shape.leaf(atLane: (rank &+ 1) &<< shift)
    return Range(uncheckedBounds: (start, end))
  }
}
