/// A filter in the form that a search uses: the words of a ``PositionSet`` and its tree.
struct AllowedPositions {
  private let words: UnsafePointer<UInt64>
  private let view: TreeView

  /// The number of leaves that may be filtered before another method is faster.
  let leafBudget: Int

  /// - Parameters:
  ///   - words: of a set over the tree's count, which must outlive the value.
  ///   - view: the tree.
  ///   - leafBudget: the number of leaves that may be filtered.
  init(_ words: UnsafePointer<UInt64>, over view: TreeView, leafBudget: Int) {
    self.words = words
    self.view = view
    self.leafBudget = leafBudget
  }

  /// Whether a position is in the set.
  @inline(__always)
  func contains(_ position: Int) -> Bool {
    words[position &>> 6] & (1 &<< UInt64(truncatingIfNeeded: position & 63)) != 0
  }

  /// A bit for each of a leaf's given points that is in the set.
  @inline(__always)
  func restrict(_ bits: UInt32, leaf: Int) -> UInt32 {
    var rest = bits
    var allowed: UInt32 = 0
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      let slot = leaf &* TreeShape.leafCapacity &+ lane
      allowed |= contains(view.position(atSlot: slot)) ? 1 &<< UInt32(lane) : 0
    }
    return allowed
  }

  /// The number of points of a leaf that are in the set.
  @inline(__always)
  func count(inLeaf leaf: Int) -> Int {
    let positions = view.positions(ofLeaf: leaf)
    let greatest = UInt32(truncatingIfNeeded: view.shape.pointCount &- 1)
    var count: UInt64 = 0
    for lane in 0..<view.shape.slots(ofLeaves: leaf..<leaf &+ 1).count {
      // a damaged file may hold any number here
      let position = min(positions[lane], greatest)
      count &+= (words[Int(position &>> 6)] &>> UInt64(position & 63)) & 1
    }
    return Int(truncatingIfNeeded: count)
  }

  /// The number of points in runs of leaves that are in the set.
  func count(in found: FoundLeaves) -> Int {
    var count = 0
    for index in 0..<found.runCount {
      for leaf in found.run(index) { count &+= self.count(inLeaf: leaf) }
    }
    return count
  }
}
