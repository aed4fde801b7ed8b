/// A walk over all that a region may hold: whole subtrees where it surely does.
///
/// Level by level, so that a processor can ask for the next nodes while it looks at one.
struct RegionSearch {
  private let view: TreeView

  init(_ view: TreeView) {
    self.view = view
  }

  /// The nodes for which there is room without a request for memory.
  private static let room = 64

  /// The bytes of scratch memory that a walk needs, what it finds included.
  static let byteCount = room * MemoryLayout<CutPlace>.stride + FoundLeaves.byteCount

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
    var found = FoundLeaves(scratch: scratch + Self.room * MemoryLayout<CutPlace>.stride)
    guard view.shape.depth > 0 else { return found }
    var nodes = GrowingBuffer<CutPlace>(scratch: scratch, room: Self.room)
    nodes.append(CutPlace(0, cutBy: region.edges))
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

  /// Takes the leaves of children that lie inside.
  @inline(__always)
  private func takeWhole(
    _ relation: LaneRelation,
    _ first: Int,
    _ level: TreeLevel,
    into found: inout FoundLeaves,
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
    into found: inout FoundLeaves,
    _ probe: inout some SearchProbe
  ) {
    var rest = relation.cut
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      probe.enterChild()
      let leaf = level.leaves(ofChild: first &+ lane, in: view.shape).lowerBound
      found.cut(CutPlace(leaf, cutBy: relation.edges(ofLane: lane)))
    }
  }

  /// Puts the children that an edge cuts off until the next level.
  @inline(__always)
  private func openNodes(
    _ relation: LaneRelation,
    _ first: Int,
    into nodes: inout GrowingBuffer<CutPlace>,
    _ probe: inout some SearchProbe
  ) {
    var rest = relation.cut
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      probe.enterChild()
      nodes.append(CutPlace(first &+ lane, cutBy: relation.edges(ofLane: lane)))
    }
  }
}
