/// What a query found, as ranges of slots in ascending order: a subtree wholly inside is one range.
struct SlotRuns {
  private var ranges: [Range<Int>] = []

  /// Adds a range that starts at or after the end of the last one.
  mutating func append(_ range: Range<Int>) {
    if let last = ranges.last, last.upperBound == range.lowerBound {
      ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
    } else {
      ranges.append(range)
    }
  }

  /// The number of points, or of those that a filter passes.
  func count(in tree: KDTree, where allowed: PositionSet?) -> Int {
    guard allowed != nil else { return ranges.reduce(0) { $0 + $1.count } }
    var count = 0
    for range in ranges {
      for slot in range where tree.isAllowed(slot, by: allowed) {
        count += 1
      }
    }
    return count
  }

  /// The positions in the caller's collection that a filter passes, ascending.
  func positions(in tree: KDTree, where allowed: PositionSet?) -> [Int] {
    var positions: [Int] = []
    for range in ranges {
      for slot in range where tree.isAllowed(slot, by: allowed) {
        positions.append(Int(tree.positions[slot]))
      }
    }
    positions.sort()
    return positions
  }
}
