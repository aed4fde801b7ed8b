extension KDTree {
  /// The first fault of the tree, naming the element that breaks a rule; nil if there is none.
  ///
  /// - Each position 0..<count is in one slot.
  /// - Coordinates are in range.
  /// - Each point is that of the point's coordinate, bit for bit; if there is no point, NaN and
  ///   position 0.
  /// - Each lane's box holds all points below it; an empty lane's box is inside out.
  ///
  /// - Complexity: O(n) for n points.
  func fault(threads: Int = Parallel.coreCount) -> String? {
    withExtendedLifetime(storage) {
      let check = TreeCheck(view: view, threads: threads)
      return check.faultOfPositions() ?? check.faultOfCoordinates()
        ?? check.faultOfLeaves() ?? check.faultOfNodes()
    }
  }

  /// The fault of the root's unused lanes; nil if there is none.
  ///
  /// A search that takes one of them for a lane with points would leave the tree: all other lanes,
  /// empty ones included, have a node or a leaf that is part of it.
  var faultOfRoot: String? {
    withExtendedLifetime(storage) {
      guard !isEmpty else { return nil }
      let unused = 0..<view.shape.firstRootLane
      guard unused.allSatisfy({ view.box(0, $0) == .empty }) else {
        return "an unused lane of its root node is not empty"
      }
      return nil
    }
  }
}

/// A walk through all of a tree that looks for faults.
private struct TreeCheck {
  let view: TreeView
  let threads: Int

  private var shape: TreeShape { view.shape }

  func faultOfPositions() -> String? {
    // on one thread: a bit for each position
    var isMet = [UInt64](repeating: 0, count: shape.pointCount / 64 + 1)
    for slot in 0..<shape.pointCount {
      let position = Int(storedPosition(slot))
      guard position < shape.pointCount else {
        return "slot \(slot) has position \(position), beyond the last"
      }
      let bit: UInt64 = 1 << UInt64(position % 64)
      guard isMet[position / 64] & bit == 0 else {
        return "slot \(slot) has position \(position), which another slot has"
      }
      isMet[position / 64] |= bit
    }
    return nil
  }

  func faultOfCoordinates() -> String? {
    first(of: 0..<shape.pointCount) { position in
      let (latitude, longitude) = (view.degrees(at: position)[0], view.degrees(at: position)[1])
      guard Coordinate(latitude: latitude, longitude: longitude) == nil else { return nil }
      return "the coordinate at position \(position) is out of range: \(latitude),\(longitude)"
    }
  }

  func faultOfLeaves() -> String? {
    first(of: 0..<shape.leafCount) { leaf in
      withUnsafeTemporaryAllocation(of: Coordinate.self, capacity: TreeShape.leafCapacity) { ends in
        let slots = shape.slots(ofLeaves: leaf..<leaf + 1)
        // reads all of a leaf's first: they are far apart in memory, which is then waited for only
        // once
        for (index, slot) in slots.enumerated() {
          ends.initializeElement(at: index, to: view.coordinate(at: view.position(atSlot: slot)))
        }
        for (end, slot) in zip(ends, slots) where !isPlace(ofSlot: slot, at: ECEFPoint(end)) {
          return "the point in slot \(slot) is not where its coordinate lies"
        }
        let rest = slots.upperBound..<(leaf + 1) * TreeShape.leafCapacity
        for slot in rest where !isClear(slot) {
          return "slot \(slot) is one without a point and holds something"
        }
        return nil
      }
    }
  }

  private func isPlace(ofSlot slot: Int, at expected: ECEFPoint) -> Bool {
    let point = view.point(atSlot: slot)
    return point.x.bitPattern == expected.x.bitPattern
      && point.y.bitPattern == expected.y.bitPattern
      && point.z.bitPattern == expected.z.bitPattern
  }

  private func isClear(_ slot: Int) -> Bool {
    let point = view.point(atSlot: slot)
    return point.x.isNaN && point.y.isNaN && point.z.isNaN && storedPosition(slot) == 0
  }

  func faultOfNodes() -> String? {
    first(of: 0..<shape.nodeCount) { node in
      for lane in 0..<8 where !holdsAllBelow(node, lane) {
        return "the box of lane \(lane) of node \(node) does not hold what is below"
      }
      return nil
    }
  }

  /// Whether a lane's box is empty if nothing is below it, and otherwise contains all points below.
  private func holdsAllBelow(_ node: Int, _ lane: Int) -> Bool {
    let box = view.box(node, lane)
    let child = 8 * node + shape.childOffset + lane
    guard node > 0 || lane >= shape.firstRootLane else { return box == .empty }
    guard node >= shape.firstLowestNode else {
      return (0..<8).map { view.box(child, $0) }.allSatisfy { $0 == .empty || box.contains($0) }
    }
    let leaves = shape.leaves(atLane: shape.lane(ofChild: child))
    guard !leaves.isEmpty else { return box == .empty }
    return shape.slots(ofLeaves: leaves).allSatisfy { box.contains(view.point(atSlot: $0)) }
  }

  private func storedPosition(_ slot: Int) -> UInt32 {
    view.positions(ofLeaf: slot / TreeShape.leafCapacity)[slot % TreeShape.leafCapacity]
  }

  /// The first result of a test of each number of a range, on all threads.
  private func first(
    of range: Range<Int>,
    _ fault: @Sendable (Int) -> String?
  ) -> String? {
    let parts = Parallel.mapParts(of: range, threads: threads) { part -> String? in
      for number in part {
        if let found = fault(number) { return found }
      }
      return nil
    }
    return parts.lazy.compactMap(\.self).first
  }
}
