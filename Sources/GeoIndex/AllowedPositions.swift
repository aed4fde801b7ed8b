/// A filter as a search uses it: the words of a ``PositionSet`` and the tree that they speak of.
struct AllowedPositions {
  private let words: UnsafePointer<UInt64>
  private let view: TreeView

  /// How many leaves may be filtered before another method is faster.
  let leafBudget: Int

  /// - Parameters:
  ///   - words: of a set over the tree's count, which must outlive the value.
  ///   - view: the tree.
  ///   - leafBudget: how many leaves may be filtered.
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

  /// Those of some of a leaf's points that are in the set.
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

  /// How many points of runs of leaves are in the set.
  func count(in found: FoundLeaves) -> Int {
    var count = 0
    for index in 0..<found.runCount {
      for slot in view.shape.slots(ofLeaves: found.run(index)) {
        count &+= contains(view.position(atSlot: slot)) ? 1 : 0
      }
    }
    return count
  }
}
