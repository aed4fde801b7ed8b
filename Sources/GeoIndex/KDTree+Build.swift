extension KDTree {
  /// Builds the tree.
  ///
  /// The same collection gives the same tree. Repeated and clustered positions need no care.
  ///
  /// - Parameter coordinates: the points, at most 4 294 967 295; queries answer with positions in
  ///   this array.
  /// - Complexity: O(n log n) expected time for n points, O(n) memory, no recursion.
  public init(_ coordinates: [Coordinate]) {
    precondition(
      coordinates.count <= Int(UInt32.max),
      "A tree holds at most 4 294 967 295 coordinates."
    )
    let shape = TreeShape(pointCount: coordinates.count)
    let places = coordinates.map { Site($0) }
    let positions = Self.leafOrder(of: places, in: shape)
    var slots = [UInt32](repeating: 0, count: positions.count)
    for (slot, position) in positions.enumerated() {
      slots[Int(position)] = UInt32(slot)
    }
    let sites = positions.map { places[Int($0)] }
    self.init(
      shape: shape,
      sites: sites,
      positions: positions,
      slots: slots,
      boxes: Self.boxes(around: sites, in: shape)
    )
  }

  /// The positions ordered so that each node's share is the lower or upper part of its parent's
  /// along the axis of widest spread.
  private static func leafOrder(of places: [Site], in shape: TreeShape) -> [UInt32] {
    var keys = places.indices.map { SplitKey(value: 0, position: UInt32($0)) }
    // level by level from the root: a parent's number is below its children's
    for node in TreeShape.root..<shape.firstLeaf {
      let range = shape.slots(of: node)
      let axis = widestAxis(of: keys[range], places: places)
      for slot in range {
        keys[slot].value = places[Int(keys[slot].position)].value(along: axis)
      }
      keys.partition(range, at: shape.slots(of: 2 * node).upperBound)
    }
    // within a leaf by position: what the partitioning left there is no part of the layout
    for leaf in shape.firstLeaf..<2 * shape.firstLeaf {
      keys[shape.slots(of: leaf)].sort { $0.position < $1.position }
    }
    return keys.map(\.position)
  }

  private static func widestAxis(
    of keys: ArraySlice<SplitKey>,
    places: [Site]
  ) -> Axis {
    var box = NodeBox(around: places[Int(keys[keys.startIndex].position)])
    for key in keys {
      box.formUnion(NodeBox(around: places[Int(key.position)]))
    }
    return box.widestAxis
  }

  /// The tight boxes of all nodes, leaves first.
  private static func boxes(around sites: [Site], in shape: TreeShape) -> [NodeBox] {
    guard let first = sites.first else { return [] }
    var boxes = [NodeBox](repeating: NodeBox(around: first), count: 2 * shape.firstLeaf)
    for node in shape.nodes.reversed() {
      if shape.isLeaf(node) {
        boxes[node] = NodeBox(around: sites[shape.slots(of: node)])
      } else {
        boxes[node] = boxes[2 * node]
        boxes[node].formUnion(boxes[2 * node + 1])
      }
    }
    boxes[0] = boxes[TreeShape.root]
    return boxes
  }
}
