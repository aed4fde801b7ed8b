extension KDTree {
  /// Finds the points in a box.
  ///
  /// The box is closed; ``BoundingBox/contains(_:)`` says what that means at ±180 and the poles.
  ///
  /// ```swift
  /// let fiji = BoundingBox(west: 177, south: -21, east: -178, north: -12)
  /// let islands = fiji.map { tree.within($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - box: the box, degrees.
  ///   - allowed: the positions to choose from, over this tree's count; all where nil.
  /// - Returns: the indexes of the points in the box, ascending.
  /// - Complexity: O(√n + h log h) expected for h points in the box.
  public func within(_ box: BoundingBox, where allowed: PositionSet? = nil) -> [Int] {
    checkCapacity(of: allowed)
    return slotRuns(in: box).positions(in: self, where: allowed)
  }

  /// Counts the points in a box: the length of ``within(_:where:)`` without making the list.
  ///
  /// - Parameters:
  ///   - box: the box, degrees; closed.
  ///   - allowed: the positions to count, over this tree's count; all where nil.
  /// - Returns: how many points are in the box.
  /// - Complexity: O(√n) expected without a filter: subtrees wholly inside are not entered. With one
  ///   O(√n + h) for h points in the box.
  public func count(in box: BoundingBox, where allowed: PositionSet? = nil) -> Int {
    checkCapacity(of: allowed)
    return slotRuns(in: box).count(in: self, where: allowed)
  }

  /// The slots of the points in a box.
  private func slotRuns(in box: BoundingBox) -> SlotRuns {
    var runs = SlotRuns()
    guard !isEmpty else { return runs }
    let region = BoxRegion(box)
    var next: Int? = TreeShape.root
    while let node = next {
      switch region.relation(of: boxes[node]) {
      case .outside:
        next = shape.next(after: node)
      case .inside:
        runs.append(shape.slots(of: node))
        next = shape.next(after: node)
      case .cut where !shape.isLeaf(node):
        next = 2 * node
      case .cut:
        for slot in shape.slots(of: node) where box.contains(sites[slot].coordinate) {
          runs.append(slot..<slot + 1)
        }
        next = shape.next(after: node)
      }
    }
    return runs
  }
}
