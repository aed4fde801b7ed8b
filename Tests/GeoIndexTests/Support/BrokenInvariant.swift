@testable import GeoIndex

extension KDTree {
  /// What is wrong with the tree's block, naming the element; nil if nothing is.
  ///
  /// Looks at every byte after the header: each position is there once, its point stands in the place
  /// of its coordinate, each box is the least one around what is below it, and what is not used holds
  /// what the layout says.
  ///
  /// - Complexity: O(n).
  func brokenInvariant() -> String? {
    let layout = TreeLayout(view.shape)
    guard storage.byteCount == layout.byteCount else {
      return "the block has \(storage.byteCount) bytes, not \(layout.byteCount)"
    }
    return withExtendedLifetime(storage) {
      brokenSlot() ?? brokenNode() ?? brokenGap(layout)
    }
  }

  /// The first slot whose point or emptiness is wrong.
  private func brokenSlot() -> String? {
    var isMet = [Bool](repeating: false, count: count)
    for slot in 0..<view.shape.leafCount * TreeShape.leafCapacity {
      guard slot < count else {
        if let fault = brokenEmptySlot(slot) { return fault }
        continue
      }
      let position = rawPosition(slot)
      guard position < count else { return "slot \(slot) holds position \(position) of \(count)" }
      guard !isMet[position] else { return "slot \(slot) holds position \(position) once more" }
      isMet[position] = true
      if let fault = brokenPlace(slot, position) { return fault }
    }
    return nil
  }

  private func brokenPlace(_ slot: Int, _ position: Int) -> String? {
    let degrees = rawCoordinate(position)
    guard let coordinate = Coordinate(latitude: degrees[0], longitude: degrees[1]) else {
      return "position \(position): \(degrees[0]),\(degrees[1]) is no coordinate"
    }
    let origin = ECEFPoint(coordinate)
    let place = view.point(atSlot: slot)
    guard place.x.bitPattern == origin.x.bitPattern, place.y.bitPattern == origin.y.bitPattern,
      place.z.bitPattern == origin.z.bitPattern
    else {
      return "slot \(slot): \(place) is not the place of position \(position), \(coordinate)"
    }
    return nil
  }

  private func brokenEmptySlot(_ slot: Int) -> String? {
    let place = view.point(atSlot: slot)
    let nan = Double.nan.bitPattern
    guard place.x.bitPattern == nan, place.y.bitPattern == nan, place.z.bitPattern == nan else {
      return "slot \(slot), which has no point, holds the place \(place)"
    }
    let position = rawPosition(slot)
    return position == 0 ? nil : "slot \(slot), which has no point, holds position \(position)"
  }

  /// A slot's position as it is written, whatever its value.
  private func rawPosition(_ slot: Int) -> Int {
    let leaf = slot / TreeShape.leafCapacity
    return Int(view.positions(ofLeaf: leaf)[slot % TreeShape.leafCapacity])
  }

  /// A position's degrees as they are written, whatever their value.
  private func rawCoordinate(_ position: Int) -> SIMD2<Double> {
    let stride = MemoryLayout<SIMD2<Double>>.stride
    let offset = TreeLayout(view.shape).coordinates.lowerBound + position * stride
    return storage.base.load(fromByteOffset: offset, as: SIMD2<Double>.self)
  }

  /// The first lane whose box is not the least one around what is below it.
  private func brokenNode() -> String? {
    for node in (0..<view.shape.nodeCount).reversed() {
      for lane in 0..<8 {
        guard let fault = fault(of: box(node, lane), below(node, lane)) else { continue }
        return "node \(node), lane \(lane): \(fault)"
      }
    }
    return nil
  }

  /// The extent of what is below a lane, as exactly as it is known; inside out where that is nothing.
  private func below(_ node: Int, _ lane: Int) -> (low: SIMD4<Double>, high: SIMD4<Double>) {
    let shape = view.shape
    let child = 8 * node + shape.childOffset + lane
    var low = SIMD4<Double>(repeating: .infinity)
    var high = -low
    // the unused lanes of the root come before its first child
    guard child > 0, node > 0 || lane >= shape.firstRootLane else { return (low, high) }
    if node < shape.firstLowestNode {
      for lane in 0..<8 {
        let box = box(child, lane)
        for axis in 0..<3 {
          low[axis] = Swift.min(low[axis], Double(box.low[axis]))
          high[axis] = Swift.max(high[axis], Double(box.high[axis]))
        }
      }
      return (low, high)
    }
    let at = shape.lane(ofChild: child)
    for slot in shape.slots(ofLeaves: shape.leaf(atLane: at)..<shape.leaf(atLane: at + 1)) {
      let place = view.point(atSlot: slot)
      for (axis, coordinate) in [place.x, place.y, place.z].enumerated() {
        low[axis] = Swift.min(low[axis], coordinate)
        high[axis] = Swift.max(high[axis], coordinate)
      }
    }
    return (low, high)
  }

  /// What is wrong with a box around an extent: its sides are the nearest 32-bit floats outside.
  private func fault(
    of box: FloatBox,
    _ extent: (low: SIMD4<Double>, high: SIMD4<Double>)
  ) -> String? {
    for axis in 0..<3 {
      let (least, greatest) = (extent.low[axis], extent.high[axis])
      let (low, high) = (box.low[axis], box.high[axis])
      let isLowTight = Double(low) == least || Double(low.nextUp) > least
      guard Double(low) <= least, isLowTight else {
        return "\(low) is not \(least) rounded down, the least \(["x", "y", "z"][axis]) below"
      }
      let isHighTight = Double(high) == greatest || Double(high.nextDown) < greatest
      guard Double(high) >= greatest, isHighTight else {
        return "\(high) is not \(greatest) rounded up, the greatest \(["x", "y", "z"][axis]) below"
      }
    }
    return nil
  }

  /// The box of a lane as it is written.
  private func box(_ node: Int, _ lane: Int) -> FloatBox {
    let lanes = NodeLanes(view.nodes, node: node, half: lane / 4)
    let at = lane % 4
    return FloatBox(
      low: SIMD4(lanes[.x, .low][at], lanes[.y, .low][at], lanes[.z, .low][at], 0),
      high: SIMD4(lanes[.x, .high][at], lanes[.y, .high][at], lanes[.z, .high][at], 0)
    )
  }

  /// The first byte between two sections that is not zero.
  private func brokenGap(_ layout: TreeLayout) -> String? {
    for (one, next) in zip(layout.sections, layout.sections.dropFirst()) {
      for offset in one.upperBound..<next.lowerBound
      where storage.base.load(fromByteOffset: offset, as: UInt8.self) != 0 {
        return "byte \(offset), between two sections, is not zero"
      }
    }
    return nil
  }
}
