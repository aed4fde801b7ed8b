/// Lays out a tree: points in leaf order, and boxes around them.
///
/// Each step has the same result on any thread, so the number of threads does not affect the tree.
///
/// `@unchecked Sendable`: tasks that share the memory write to parts that do not overlap.
struct TreeBuilder: @unchecked Sendable {
  private let shape: TreeShape
  private let records: SplitRecords
  private let threads: Int
  private let block: TreeBlock

  /// The number of points from which a subtree gets its own task.
  private static let leastTaskCount = 20_000

  /// The block of a tree over some coordinates, which are released as soon as the block has them.
  static func storage(of coordinates: consuming [Coordinate], threads: Int) -> TreeStorage {
    let shape = TreeShape(pointCount: coordinates.count)
    let layout = TreeLayout(shape)
    let storage = TreeStorage(byteCount: layout.byteCount)
    guard !coordinates.isEmpty else { return storage }
    let records = SplitRecords(count: coordinates.count)
    defer { records.deallocate() }
    let builder = TreeBuilder(
      shape: shape,
      records: records,
      threads: threads,
      block: TreeBlock(storage, layout)
    )
    builder.take(coordinates)
    _ = consume coordinates
    builder.run()
    return storage
  }

  /// Copies the points into the block, in their order.
  private func take(_ coordinates: [Coordinate]) {
    Parallel.mapParts(of: 0..<shape.pointCount, threads: threads) { positions in
      for position in positions {
        records.set(position, to: SurfacePoint(coordinates[position]), position: position)
        block.setCoordinate(position, to: coordinates[position])
      }
    }
  }

  private func run() {
    split(0..<shape.laneCount)
    Parallel.mapParts(of: 0..<shape.leafCount, threads: threads) { leaves in
      for leaf in leaves {
        fill(leaf)
      }
    }
    Parallel.mapParts(of: shape.firstLowestNode..<shape.nodeCount, threads: threads) { nodes in
      for node in nodes {
        enclose(node)
      }
    }
    for node in (0..<shape.firstLowestNode).reversed() {
      enclose(node)
    }
  }

  /// Divides the points under a run of lanes between its two halves, and so on.
  private func split(_ lanes: Range<Int>) {
    let leaves = shape.leaf(atLane: lanes.lowerBound)..<shape.leaf(atLane: lanes.upperBound)
    guard leaves.count > 1 else { return }
    let middle = middle(of: lanes)
    let slots = shape.slots(ofLeaves: leaves)
    let slot = min(slots.upperBound, shape.leaf(atLane: middle) * TreeShape.leafCapacity)
    records.divide(slots, at: slot, along: records.longestAxis(of: slots))
    let halves = (lanes.lowerBound..<middle, middle..<lanes.upperBound)
    guard threads > 1, slots.count > Self.leastTaskCount else {
      split(halves.0)
      split(halves.1)
      return
    }
    Parallel.forEach(2) { split($0 == 0 ? halves.0 : halves.1) }
  }

  /// The lane where a run of lanes is halved: between children of the root, or in the middle.
  private func middle(of lanes: Range<Int>) -> Int {
    let subtree = 1 << (3 * (shape.depth - 1))
    guard lanes.count > subtree else { return lanes.lowerBound + lanes.count / 2 }
    return lanes.lowerBound + lanes.count / subtree / 2 * subtree
  }

  /// Copies the points of a leaf.
  private func fill(_ leaf: Int) {
    for lane in 0..<TreeShape.leafCapacity {
      let slot = leaf * TreeShape.leafCapacity + lane
      guard slot < shape.pointCount else {
        block.clearPlace(leaf, lane)
        continue
      }
      let position = records.position(at: slot)
      block.setPlace(
        leaf,
        lane,
        to: SurfacePoint(block.coordinate(at: position)),
        position: position
      )
    }
  }

  /// Sets the boxes of a node's lanes.
  private func enclose(_ node: Int) {
    for lane in 0..<8 {
      let child = 8 * node + shape.childOffset + lane
      if node >= shape.firstLowestNode {
        let at = shape.lane(ofChild: child)
        // a root that is the lowest node has unused lanes as well
        guard at >= 0, let leaf = shape.leaves(atLane: at).first else {
          block.setBox(node, lane, to: .empty)
          continue
        }
        let count = shape.slots(ofLeaves: leaf..<leaf + 1).count
        block.setBox(node, lane, to: block.box(ofLeaf: leaf, count: count))
      } else {
        block.setBox(node, lane, to: child > node ? block.box(ofNode: child) : .empty)
      }
    }
  }
}
