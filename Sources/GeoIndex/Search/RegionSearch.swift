/// A walk over the subtrees that a region may contain; those entirely inside are taken whole.
///
/// It goes level by level, so that the processor can fetch the next nodes while it tests one.
struct RegionSearch {
  private let view: TreeView

  init(_ view: TreeView) {
    self.view = view
  }

  /// The number of nodes for which no memory is allocated.
  private static let room = 64

  /// The bytes of scratch memory that a walk needs, including its results.
  static let byteCount = room * MemoryLayout<PartialLeaf>.stride + RegionLeaves.byteCount

  /// The leaves that a region holds or cuts.
  ///
  /// - Parameters:
  ///   - region: what to look for.
  ///   - scratch: `byteCount` bytes, which must outlive the result.
  ///   - probe: told of each step.
  /// - Returns: leaves in no order; the caller deallocates them.
  @inline(never)
  func leaves(
    in region: some SearchRegion,
    scratch: UnsafeMutableRawPointer,
    _ probe: inout some SearchProbe
  ) -> RegionLeaves {
    var found = RegionLeaves(scratch: scratch + Self.room * MemoryLayout<PartialLeaf>.stride)
    guard view.shape.depth > 0 else { return found }
    var nodes = GrowingBuffer<PartialLeaf>(scratch: scratch, room: Self.room)
    nodes.append(PartialLeaf(0, cutBy: region.edges))
    var level = TreeLevel(1, of: view.shape)
    var index = 0
    while index < nodes.count {
      let place = nodes[index]
      index &+= 1
      if place.number >= level.firstChild { level = level.next(in: view.shape) }
      let relation = region.relation(of: view, node: place.number, cutBy: place.edges)
      probe.visitNode(place.number, of: view.shape)
      let first = 8 &* place.number &+ view.shape.childOffset
      takeWhole(relation, first, level, into: &found, &probe)
      if level.isLowest {
        cutLeaves(relation, first, level, into: &found, &probe)
      } else {
        openNodes(relation, first, into: &nodes, &probe)
      }
    }
    nodes.deallocate()
    return found
  }

  /// Adds the leaves of children that are inside.
  @inline(__always)
  private func takeWhole(
    _ relation: LaneRelation,
    _ first: Int,
    _ level: TreeLevel,
    into found: inout RegionLeaves,
    _ probe: inout some SearchProbe
  ) {
    var rest = relation.inside
    while rest != 0 {
      let child = first &+ rest.trailingZeroBitCount
      rest &= rest &- 1
      probe.takeSubtree()
      found.take(level.leaves(ofChild: child, in: view.shape))
    }
  }

  /// Keeps the leaves that are children and cut by an edge.
  @inline(__always)
  private func cutLeaves(
    _ relation: LaneRelation,
    _ first: Int,
    _ level: TreeLevel,
    into found: inout RegionLeaves,
    _ probe: inout some SearchProbe
  ) {
    var rest = relation.cut
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      probe.enterChild()
      let leaf = level.leaves(ofChild: first &+ lane, in: view.shape).lowerBound
      found.cut(PartialLeaf(leaf, cutBy: relation.edges(ofLane: lane)))
    }
  }

  /// Keeps the children that an edge cuts for the next level.
  @inline(__always)
  private func openNodes(
    _ relation: LaneRelation,
    _ first: Int,
    into nodes: inout GrowingBuffer<PartialLeaf>,
    _ probe: inout some SearchProbe
  ) {
    var rest = relation.cut
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      probe.enterChild()
      nodes.append(PartialLeaf(first &+ lane, cutBy: relation.edges(ofLane: lane)))
    }
  }
}

/// A region of space that a tree can be searched for, bounded by edges.
protocol SearchRegion {
  /// All edges of the region.
  var edges: Edges { get }

  /// Which lanes of a node may hold points of the region, and which edges cut each of them.
  ///
  /// Never touches an empty lane.
  ///
  /// - Parameters:
  ///   - view: the tree.
  ///   - node: which of its nodes.
  ///   - edges: those that cut the node; the others cut none of its lanes.
  /// - Returns: the relation of the eight lanes.
  func relation(of view: TreeView, node: Int, cutBy edges: Edges) -> LaneRelation
}

/// Edges of a region, of at most four.
struct Edges: OptionSet {
  let rawValue: UInt32
}

/// The relation of a node's lanes to a region.
struct LaneRelation {
  /// Lanes not certainly outside, a bit each.
  let touched: UInt32

  /// For each of four edges eight bits, one per lane that it cuts.
  private let cuts: UInt32

  /// Four lanes as vectors.
  struct Half {
    /// Per lane all bits set or none.
    let touched: SIMD4<Int32>

    /// For the first edge 1, 2, 4 or 8 in the lanes that it cuts, 2⁸ times that for the second, and
    /// so on.
    let cuts: SIMD4<Int32>

    @inline(__always)
    init(touched: SIMD4<Int32>, cuts: SIMD4<Int32>) {
      self.touched = touched
      self.cuts = cuts
    }
  }

  /// The bits that stand for four lanes.
  @inline(__always)
  static var weights: SIMD4<Int32> { SIMD4(1, 2, 4, 8) }

  /// - Parameters:
  ///   - low: lanes 0...3.
  ///   - high: lanes 4...7.
  @inline(__always)
  init(_ low: Half, _ high: Half) {
    touched = Self.joined((low.touched & Self.weights) | (high.touched & (Self.weights &<< 4)))
    cuts = Self.joined(low.cuts | (high.cuts &<< 4))
  }

  /// Lanes that an edge cuts, a bit each.
  @inline(__always)
  var cut: UInt32 {
    let two = cuts | cuts &>> 16
    return touched & (two | two &>> 8)
  }

  /// Lanes that are certainly inside, a bit each.
  @inline(__always)
  var inside: UInt32 { touched & ~cut }

  /// The edges that cut a lane.
  @inline(__always)
  func edges(ofLane lane: Int) -> Edges {
    // one bit of each byte, brought together in the last four bits of the product
    let bits = (cuts &>> UInt32(truncatingIfNeeded: lane)) & 0x0101_0101
    return Edges(rawValue: (bits &* 0x0102_0408) &>> 24)
  }

  @inline(__always)
  private static func joined(_ four: SIMD4<Int32>) -> UInt32 {
    UInt32(bitPattern: (four[0] | four[1]) | (four[2] | four[3]))
  }
}

/// A node or a leaf that a region's edges cut, and which of them do.
struct PartialLeaf {
  private let bits: UInt32

  /// - Parameters:
  ///   - number: of the node or leaf, below 2²⁸.
  ///   - edges: those that cut it.
  @inline(__always)
  init(_ number: Int, cutBy edges: Edges) {
    bits = UInt32(truncatingIfNeeded: number) | edges.rawValue &<< 28
  }

  /// The number of the node or leaf.
  @inline(__always)
  var number: Int { Int(bits & 0xFFF_FFFF) }

  @inline(__always)
  var edges: Edges { Edges(rawValue: bits &>> 28) }
}

/// The leaves that a walk over a region found: those entirely inside, as runs, and those that its
/// edge cuts.
///
/// The caller deallocates it.
struct RegionLeaves {
  private var starts: GrowingBuffer<UInt32>
  private var ends: GrowingBuffer<UInt32>
  private var cut: GrowingBuffer<PartialLeaf>

  private static let room = 32

  /// The bytes of scratch memory that start it.
  static let byteCount = 4 * room * MemoryLayout<UInt32>.stride

  /// - Parameter scratch: that many bytes, which must outlive the value.
  @inline(__always)
  init(scratch: UnsafeMutableRawPointer) {
    let stride = Self.room * MemoryLayout<UInt32>.stride
    starts = GrowingBuffer(scratch: scratch, room: Self.room)
    ends = GrowingBuffer(scratch: scratch + stride, room: Self.room)
    cut = GrowingBuffer(scratch: scratch + 2 * stride, room: 2 * Self.room)
  }

  @inline(__always)
  func deallocate() {
    starts.deallocate()
    ends.deallocate()
    cut.deallocate()
  }

  /// Adds a run of leaves; one that follows the last is joined to it.
  @inline(__always)
  mutating func take(_ leaves: Range<Int>) {
    let start = UInt32(truncatingIfNeeded: leaves.lowerBound)
    let end = UInt32(truncatingIfNeeded: leaves.upperBound)
    if ends.count > 0, ends[ends.count &- 1] == start {
      ends[ends.count &- 1] = end
    } else {
      starts.append(start)
      ends.append(end)
    }
  }

  /// Adds a leaf that the region's edges cut.
  @inline(__always)
  mutating func cut(_ leaf: PartialLeaf) { cut.append(leaf) }

  /// The number of runs.
  var runCount: Int { starts.count }

  /// A run of leaves wholly inside.
  @inline(__always)
  func run(_ index: Int) -> Range<Int> { Int(starts[index])..<Int(ends[index]) }

  /// The number of leaves that the edge cuts.
  var cutCount: Int { cut.count }

  /// A leaf that the edge cuts.
  @inline(__always)
  func cutLeaf(_ index: Int) -> PartialLeaf { cut[index] }

  /// The number of points in the runs.
  func pointCount(in shape: TreeShape) -> Int {
    var count = 0
    for index in 0..<runCount {
      count &+= shape.slots(ofLeaves: run(index)).count
    }
    return count
  }

  /// The number of leaves, whole or cut.
  var leafCount: Int {
    var count = cutCount
    for index in 0..<runCount {
      count &+= run(index).count
    }
    return count
  }
}

/// An append-only buffer of plain values that starts in the caller's memory.
///
/// Most walks over the tree find little and need no other memory. The caller deallocates the
/// buffer.
struct GrowingBuffer<Element> {
  private(set) var count = 0
  private var room: Int
  private var base: UnsafeMutablePointer<Element>
  private var isLent = true

  /// - Parameters:
  ///   - scratch: memory for `room` elements, which must outlive the buffer.
  ///   - room: how many elements fit there.
  @inline(__always)
  init(scratch: UnsafeMutableRawPointer, room: Int) {
    self.room = room
    base = scratch.bindMemory(to: Element.self, capacity: room)
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    get { base[index] }
    nonmutating set { base[index] = newValue }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == room { grow() }
    (base + count).initialize(to: element)
    count &+= 1
  }

  /// Removes all elements but keeps the memory.
  @inline(__always)
  mutating func removeAll() {
    count = 0
  }

  @inline(never)
  private mutating func grow() {
    let wider = UnsafeMutablePointer<Element>.allocate(capacity: 2 * room)
    wider.moveInitialize(from: base, count: count)
    deallocate()
    base = wider
    isLent = false
    room *= 2
  }

  /// Frees its own memory.
  @inline(__always)
  func deallocate() {
    if !isLent { base.deallocate() }
  }
}
