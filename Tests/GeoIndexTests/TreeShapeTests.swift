import TestSupport
import Testing

@testable import GeoIndex

struct TreeShapeTests {
  /// All small sizes, and those where the tree becomes one level deeper or the root one lane wider.
  static let sizes: [Int] = {
    var sizes = Array(0...5_000)
    for depth in 1...4 {
      let full = 32 << (3 * depth)
      for lanes in 1...8 {
        let steps = [-33, -32, -31, -17, -16, -15, -1, 0, 1, 15, 16, 17, 31, 32, 33]
        sizes += steps.map { full * lanes / 8 + $0 }
      }
    }
    return sizes
  }()

  @Test func `the leaves divide all slots in order, and all are full but the last`() {
    for size in Self.sizes {
      let shape = TreeShape(pointCount: size)
      guard size > 0 else { continue }
      #expect(shape.slots(ofLeaves: 0..<shape.leafCount) == 0..<size)
      let last = shape.slots(ofLeaves: shape.leafCount - 1..<shape.leafCount)
      #expect((1...32).contains(last.count) && last.upperBound == size, "\(size)")
      for leaf in stride(from: 0, to: shape.leafCount - 1, by: max(1, shape.leafCount / 50)) {
        #expect(shape.slots(ofLeaves: leaf..<leaf + 1) == 32 * leaf..<32 * leaf + 32, "\(size)")
      }
    }
  }

  @Test func `the lanes meet every leaf once and in order`() {
    for size in Self.sizes {
      let shape = TreeShape(pointCount: size)
      guard size > 0 else { continue }
      var (before, isRising) = (0, shape.leaf(atLane: 0) == 0)
      for lane in 1...shape.laneCount {
        let leaf = shape.leaf(atLane: lane)
        isRising = isRising && leaf == lane * shape.leafCount / shape.laneCount
        isRising = isRising && (0...1).contains(leaf - before)
        isRising = isRising && shape.leaves(atLane: lane - 1) == before..<leaf
        before = leaf
      }
      #expect(isRising && before == shape.leafCount, "\(size)")
    }
  }

  @Test func `the tree is as shallow and as narrow as can be`() {
    for size in Self.sizes where size > 0 {
      let shape = TreeShape(pointCount: size)
      let subtree = 1 << (3 * (shape.depth - 1))
      #expect((1...8).contains(shape.rootLaneCount), "\(size)")
      #expect(shape.laneCount == shape.rootLaneCount * subtree, "\(size)")
      #expect(shape.leafCount <= shape.laneCount, "\(size)")
      #expect((shape.rootLaneCount - 1) * subtree < shape.leafCount, "\(size)")
      #expect(shape.depth == 1 || shape.leafCount > subtree, "\(size)")
    }
  }

  @Test(arguments: [1, 32, 33, 256, 257, 288, 2_000, 2_048, 2_049, 9_000, 131_072, 131_073])
  func `children are numbered as a walk by levels meets them`(_ size: Int) {
    let shape = TreeShape(pointCount: size)
    var level = [0]
    var next = 1
    for depth in 0..<shape.depth {
      #expect(level.first == TreeShape.firstNode(ofLevel: depth, shape.rootLaneCount))
      var below: [Int] = []
      for node in level {
        for lane in (node == 0 ? shape.firstRootLane : 0)..<8 {
          #expect(8 * node + shape.childOffset + lane == next)
          below.append(next)
          next += 1
        }
      }
      if depth < shape.depth - 1 { level = below }
    }
    #expect(level.first == shape.firstLowestNode)
    #expect(level.last == shape.nodeCount - 1)
    #expect(next == shape.nodeCount + shape.laneCount)
    #expect(shape.lane(ofChild: shape.nodeCount) == 0)
  }

  @Test(arguments: [1, 17, 33, 256, 257, 273, 288, 2_000, 2_049, 9_000, 16_385])
  func `the leaves of a child are those of its lanes`(_ size: Int) {
    let tree = KDTree(Array(repeating: .at(1, 2), count: size))
    let shape = tree.view.shape
    for lane in TreeLane.all(of: tree) where lane.slots.count > 0 {
      let child = 8 * lane.node + shape.childOffset + lane.lane
      let level = (1...shape.depth).last {
        TreeShape.firstNode(ofLevel: $0, shape.rootLaneCount) <= child
      }
      let children = TreeLevel(level ?? 0, of: shape)
      #expect(children.leaves(ofChild: child, in: shape) == lane.leaves)
      #expect(children.isLowest == (lane.child == nil))
      #expect(shape.slots(ofLeaves: lane.leaves) == lane.slots)
      #expect(lane.child == nil || lane.child == child)
    }
  }

  @Test func `the children of a node are its lanes that hold points`() {
    for size in [1, 17, 33, 256, 257, 288, 2_000, 2_048, 2_049, 9_000] {
      let tree = KDTree(Array(repeating: .at(1, 2), count: size))
      let lanes = TreeLane.all(of: tree)
      for node in 0..<tree.view.shape.nodeCount {
        let used = lanes[8 * node..<8 * node + 8].count { !$0.slots.isEmpty }
        #expect(tree.view.shape.childCount(of: node) == used, "node \(node) of \(size)")
      }
    }
  }

  @Test func `no point has no leaf and no node`() {
    let shape = TreeShape(pointCount: 0)
    #expect([shape.depth, shape.leafCount, shape.nodeCount, shape.laneCount] == [0, 0, 0, 0])
  }

  @Test func `the greatest number of points has a shape`() {
    let shape = TreeShape(pointCount: TreeShape.maximumPointCount)
    #expect(shape.depth == TreeShape.maximumDepth)
    #expect(shape.leafCount == 1 << 27)
    #expect(shape.leaf(atLane: shape.laneCount) == shape.leafCount)
    #expect(shape.slots(ofLeaves: 0..<shape.leafCount).upperBound == TreeShape.maximumPointCount)
    var random = SplitMix64(stream: "greatest")
    for _ in 0..<10_000 {
      let lane = random.int(below: shape.laneCount)
      let (leaf, next) = (shape.leaf(atLane: lane), shape.leaf(atLane: lane + 1))
      #expect(next == leaf || next == leaf + 1)
    }
  }
}
