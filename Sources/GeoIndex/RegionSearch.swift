/// A walk over all that a region may hold: whole subtrees where it surely does.
///
/// Level by level: first all nodes of a level are compared with the region, which waits for nothing
/// but memory, and for many nodes at a time; only then is it decided where to go on.
struct RegionSearch {
  private let view: TreeView

  init(_ view: TreeView) {
    self.view = view
  }

  /// The nodes of a level for which there is room without a request for memory.
  private static let room = 32

  /// The bytes of scratch memory that a walk needs, what it finds included.
  static let byteCount =
    2 * room * MemoryLayout<UInt32>.stride + room * MemoryLayout<LaneRelation>.stride
    + FoundLeaves.byteCount

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
  ) -> FoundLeaves {
    let stride = Self.room * MemoryLayout<UInt32>.stride
    var nodes = GrowingBuffer<UInt32>(scratch: scratch, room: Self.room)
    var next = GrowingBuffer<UInt32>(scratch: scratch + stride, room: Self.room)
    var relations = GrowingBuffer<LaneRelation>(scratch: scratch + 2 * stride, room: Self.room)
    let free = scratch + 2 * stride + Self.room * MemoryLayout<LaneRelation>.stride
    var found = FoundLeaves(scratch: free)
    if view.shape.depth > 0 { nodes.append(0) }
    var level = 1
    while nodes.count > 0 {
      relations.removeAll()
      for index in 0..<nodes.count {
        relations.append(region.relation(of: view, node: Int(nodes[index])))
      }
      next.removeAll()
      for index in 0..<nodes.count {
        sort(relations[index], of: Int(nodes[index]), level, into: &found, &next, &probe)
      }
      swap(&nodes, &next)
      level &+= 1
    }
    nodes.deallocate()
    next.deallocate()
    relations.deallocate()
    return found
  }

  /// Takes, opens or leaves out the children of a node.
  @inline(__always)
  private func sort(
    _ relation: LaneRelation,
    of node: Int,
    _ level: Int,
    into found: inout FoundLeaves,
    _ next: inout GrowingBuffer<UInt32>,
    _ probe: inout some SearchProbe
  ) {
    probe.visitNode(node, of: view.shape)
    let first = 8 &* node &+ view.shape.childOffset
    var whole = relation.inside
    while whole != 0 {
      let child = first &+ whole.trailingZeroBitCount
      whole &= whole &- 1
      probe.takeSubtree()
      found.take(view.shape.leaves(ofChild: child, atLevel: level))
    }
    var cut = relation.touched & ~relation.inside
    while cut != 0 {
      let child = first &+ cut.trailingZeroBitCount
      cut &= cut &- 1
      probe.enterChild()
      if level < view.shape.depth {
        next.append(UInt32(truncatingIfNeeded: child))
      } else {
        found.cut(view.shape.leaves(ofChild: child, atLevel: level))
      }
    }
  }
}

/// A region of space that a tree can be asked for.
protocol SearchRegion {
  /// Which lanes of a node may hold points of the region, and which surely hold no others.
  ///
  /// Never touches an empty lane.
  func relation(of view: TreeView, node: Int) -> LaneRelation
}

/// The lanes of a node as seen from a region, a bit each.
struct LaneRelation {
  /// Lanes not certainly outside.
  let touched: UInt32

  /// Lanes of those that are certainly inside.
  let inside: UInt32

  /// - Parameters:
  ///   - touched: per lane all bits set or none, lanes 0...3 and 4...7.
  ///   - inside: the same.
  @inline(__always)
  init(
    touched: (SIMD4<Int32>, SIMD4<Int32>),
    inside: (SIMD4<Int32>, SIMD4<Int32>)
  ) {
    self.touched = Self.bits(touched.0, touched.1)
    self.inside = Self.bits(inside.0, inside.1)
  }

  @inline(__always)
  private static func bits(_ low: SIMD4<Int32>, _ high: SIMD4<Int32>) -> UInt32 {
    let four = (low & SIMD4(1, 2, 4, 8)) | (high & SIMD4(16, 32, 64, 128))
    return UInt32(bitPattern: four[0] | four[1] | four[2] | four[3])
  }
}
