extension KDTree {
  /// What is wrong with the tree's storage, naming the element; nil where nothing is.
  ///
  /// - Complexity: O(n).
  func brokenInvariant() -> String? {
    brokenCount() ?? brokenSlot() ?? brokenNode()
  }

  private func brokenCount() -> String? {
    let counts = [sites.count, positions.count, slots.count]
    guard counts.allSatisfy({ $0 == shape.pointCount }) else {
      return "sites, positions and slots count \(counts), not \(shape.pointCount)"
    }
    let boxCount = isEmpty ? 0 : 2 * shape.firstLeaf
    guard boxes.count == boxCount else {
      return "there are \(boxes.count) boxes, not \(boxCount)"
    }
    return nil
  }

  private func brokenSlot() -> String? {
    for (slot, position) in positions.enumerated() {
      guard position < count, slots[Int(position)] == slot else {
        return "slot \(slot) holds position \(position), which is not found there"
      }
      let site = Site(sites[slot].coordinate)
      guard site.x == sites[slot].x, site.y == sites[slot].y, site.z == sites[slot].z else {
        return "slot \(slot): \(sites[slot]) is not the place of its coordinate"
      }
    }
    return nil
  }

  private func brokenNode() -> String? {
    guard !isEmpty else { return nil }
    for node in shape.nodes {
      let range = shape.slots(of: node)
      if shape.isLeaf(node) {
        if let fault = brokenLeaf(node, range) { return fault }
      } else if let fault = brokenInnerNode(node, range) {
        return fault
      }
    }
    return nil
  }

  private func brokenLeaf(_ leaf: Int, _ range: Range<Int>) -> String? {
    guard !range.isEmpty, range.count <= TreeShape.leafCapacity else {
      return "leaf \(leaf) holds \(range.count) points, not 1...\(TreeShape.leafCapacity)"
    }
    guard zip(range, range.dropFirst()).allSatisfy({ positions[$0] < positions[$1] }) else {
      return "leaf \(leaf): its positions do not ascend"
    }
    guard boxes[leaf] == NodeBox(around: sites[range]) else {
      return "leaf \(leaf): \(boxes[leaf]) is not the tight box of its points"
    }
    return nil
  }

  private func brokenInnerNode(_ node: Int, _ range: Range<Int>) -> String? {
    let lower = shape.slots(of: 2 * node)
    let upper = shape.slots(of: 2 * node + 1)
    guard range == lower.lowerBound..<upper.upperBound, lower.upperBound == upper.lowerBound else {
      return "node \(node): its slots \(range) are not those of its children, \(lower) and \(upper)"
    }
    var union = boxes[2 * node]
    union.formUnion(boxes[2 * node + 1])
    guard boxes[node] == union else {
      return "node \(node): \(boxes[node]) is not the union of its children's boxes"
    }
    let axis = union.widestAxis
    let lowest = sites[upper].lazy.map { $0.value(along: axis) }.min() ?? .infinity
    guard let slot = lower.first(where: { sites[$0].value(along: axis) > lowest }) else {
      return nil
    }
    return
      "node \(node): slot \(slot) of the lower child lies above the upper child's least \(axis)"
  }
}
