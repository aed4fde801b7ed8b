/// Where the parts of a tree are in its block of memory, which is also the start of its section file.
///
/// A header, then three sections, each from a multiple of 4 096 bytes on:
///
/// - *nodes*: per node six vectors of eight 32-bit floats, one per lane: the least and the greatest x,
///   y and z below it, rounded outward; an empty lane's box is inside out.
/// - *leaves*: per leaf 32 x, then 32 y, then 32 z, 64-bit floats, meters, and 32 positions in the
///   caller's collection, 32-bit unsigned; if there is no point, NaN and 0.
/// - *coordinates*: per position latitude and longitude as they were given, 64-bit floats, degrees.
struct TreeLayout: Equatable {
  /// Sections start at multiples of this, a page of memory.
  static let alignment = 4_096

  /// The bytes of a node: three lines of a processor's cache.
  static let nodeStride = 6 * MemoryLayout<SIMD8<Float>>.stride

  /// The bytes of a leaf: fourteen lines.
  static let leafStride =
    TreeShape.leafCapacity * (3 * MemoryLayout<Double>.stride + MemoryLayout<UInt32>.stride)

  /// The bytes of a coordinate.
  static let coordinateStride = 2 * MemoryLayout<Double>.stride

  let nodes: Range<Int>
  let leaves: Range<Int>
  let coordinates: Range<Int>

  init(_ shape: TreeShape) {
    var end = Self.alignment
    func section(_ byteCount: Int) -> Range<Int> {
      let start = Self.start(after: end)
      end = start + byteCount
      return start..<end
    }
    nodes = section(shape.nodeCount * Self.nodeStride)
    leaves = section(shape.leafCount * Self.leafStride)
    coordinates = section(shape.pointCount * Self.coordinateStride)
  }

  /// The offset where a section after `end` bytes starts.
  static func start(after end: Int) -> Int { (end + alignment - 1) / alignment * alignment }

  /// The sections in the order of the file.
  var sections: [Range<Int>] { [nodes, leaves, coordinates] }

  /// The length of block and file.
  var byteCount: Int { coordinates.upperBound }
}

/// The shape of the tree: arithmetic on the number of points, and nothing stored.
///
/// Points lie in leaf order in *slots*. Leaf i holds the slots 32i..<32(i+1), so all leaves but the
/// last are full. Nodes have eight *lanes* each. A root of 1...8 lanes stands over perfect 8-way
/// subtrees, level by level; node i has the children 8i + childOffset + 0...7, and the root uses
/// its last lanes only. The lanes of the lowest level share the leaves evenly, one each or none;
/// see `leaves(atLane:)`.
struct TreeShape: Equatable {
  /// The points of a full leaf; a search tests them together, with a 32-bit mask.
  static let leafCapacity = 32

  /// The maximum number of points of a tree.
  static let maximumPointCount = Int(UInt32.max) - 1

  /// The maximum number of levels of nodes, for the greatest number of points.
  static let maximumDepth = 9

  let pointCount: Int
  let leafCount: Int

  /// The number of levels of nodes.
  let depth: Int

  /// The lanes of the root: 1...8, or 0 in an empty tree.
  let rootLaneCount: Int

  /// The number of lanes of the lowest level.
  let laneCount: Int

  /// The number of nodes; the lowest level's come last.
  let nodeCount: Int

  /// The first node of the lowest level.
  let firstLowestNode: Int

  /// Leaves per lane, in units of 2⁻³².
  private let leavesPerLane: UInt64

  init(pointCount: Int) {
    self.pointCount = pointCount
    leafCount = (pointCount + Self.leafCapacity - 1) / Self.leafCapacity
    var depth = leafCount == 0 ? 0 : 1
    while leafCount > 1 << (3 * depth) { depth += 1 }
    self.depth = depth
    guard depth > 0 else {
      (rootLaneCount, laneCount, nodeCount, firstLowestNode, leavesPerLane) = (0, 0, 0, 0, 0)
      return
    }
    let subtree = 1 << (3 * (depth - 1))
    rootLaneCount = (leafCount + subtree - 1) / subtree
    laneCount = rootLaneCount * subtree
    nodeCount = Self.firstNode(ofLevel: depth, rootLaneCount)
    firstLowestNode = Self.firstNode(ofLevel: depth - 1, rootLaneCount)
    let lanes = UInt64(laneCount)
    leavesPerLane = ((UInt64(leafCount) << 32) + lanes - 1) / lanes
  }

  /// 8i plus this is the child of node i in lane 0.
  var childOffset: Int { rootLaneCount - 7 }

  /// The first lane that the root uses.
  var firstRootLane: Int { 8 - rootLaneCount }

  /// The first node of a level, the root's being 0; `depth` gives the number of nodes.
  static func firstNode(ofLevel level: Int, _ rootLaneCount: Int) -> Int {
    level == 0 ? 0 : 1 + rootLaneCount * ((1 << (3 * (level - 1))) - 1) / 7
  }

  /// The first leaf at a lane of the lowest level, or the next one if the lane has none.
  ///
  /// - Parameter lane: in 0...laneCount.
  /// - Returns: in 0...leafCount, rising with the lane by at most one at a time.
  func leaf(atLane lane: Int) -> Int {
    Int(truncatingIfNeeded: (UInt64(truncatingIfNeeded: lane) &* leavesPerLane) &>> 32)
  }

  /// The leaf at a lane of the lowest level, or none.
  func leaves(atLane lane: Int) -> Range<Int> { leaf(atLane: lane)..<leaf(atLane: lane &+ 1) }

  /// The lane of the lowest level that a child of a lowest node is.
  func lane(ofChild child: Int) -> Int { child &- nodeCount }

  /// The slots of a run of leaves.
  func slots(ofLeaves leaves: Range<Int>) -> Range<Int> {
    let end = Swift.min(leaves.upperBound &* Self.leafCapacity, pointCount)
    let start = leaves.lowerBound &* Self.leafCapacity
    return Swift.min(start, end)..<end
  }
  func slots(ofLeaf leaf: Int) -> Range<Int> { slots(ofLeaves: leaf..<leaf &+ 1) }

  /// Whether all slots of a leaf have a point: those of the last one may not.
  func isFull(_ leaf: Int) -> Bool { (leaf &+ 1) &* Self.leafCapacity <= pointCount }

  /// The number of a node's lanes that are not empty.
  func childCount(of node: Int) -> Int {
    let used = node == 0 ? rootLaneCount : 8
    guard node >= firstLowestNode else { return used }
    let first = lane(ofChild: 8 * node + childOffset)
    return (first + 8 - used..<first + 8).count { !leaves(atLane: $0).isEmpty }
  }
}

/// A level of the nodes' children, the root's being level 1, and where their leaves are.
struct TreeLevel {
  /// The number of the first child, and one beyond the last of its parents.
  let firstChild: Int

  /// Whether the children are leaves.
  let isLowest: Bool

  private let number: Int
  private let shift: Int
  init(_ number: Int, of shape: TreeShape) {
    self.number = number
    firstChild = TreeShape.firstNode(ofLevel: number, shape.rootLaneCount)
    isLowest = number == shape.depth
    shift = 3 &* (shape.depth &- number)
  }

  func next(in shape: TreeShape) -> TreeLevel { TreeLevel(number + 1, of: shape) }

  /// The leaves below a child.
  func leaves(ofChild child: Int, in shape: TreeShape) -> Range<Int> {
    let rank = child &- firstChild
    let start = shape.leaf(atLane: rank &<< shift)
    let end = shape.leaf(atLane: (rank &+ 1) &<< shift)
    return Range(uncheckedBounds: (start, end))
  }
}
