/// A search by rank: points are found by their rank in the order (distance, index).
///
/// Level by level, the children of nodes get bounds on their distances; the bounds and the numbers
/// of points determine the two distances between which the wanted points are; and only children
/// that overlap this window are split again. So the points before it are counted, not measured.
struct RankedQuery {
  let view: TreeView
  let origin: SurfacePoint

  /// Meters, zero or more, or infinity.
  let radius: Double

  /// The points that count.
  let counts: LeafCounts

  private static let byteCount = FloatPoint.byteCount + LeafScan.byteCount

  /// The points at ranks.
  ///
  /// - Parameters:
  ///   - ranks: not empty, and not beyond the number of allowed points.
  ///   - probe: told of each step.
  /// - Returns: those within the radius, in order.
  func neighbors(_ ranks: Range<Int>, _ probe: inout some SearchProbe) -> [Neighbor] {
    var window = RankWindow(ranks: ranks, radius: radius)
    var ruler = RankRuler(view: view, origin: origin)
    search(&window, &ruler, &probe)
    var found = window.items.map { ruler.neighbor($0) }
    ruler.report(to: &probe)
    found.removeAll { $0.distance > radius }
    let start = min(max(0, ranks.lowerBound - window.before), found.count)
    let end = min(start + ranks.count, found.count)
    found.withUnsafeMutableBufferPointer { NeighborSort.sort($0, ranks: start..<end) }
    return Array(found[start..<end])
  }

  /// The number of points that come before a neighbor.
  func count(before neighbor: Neighbor, _ probe: inout some SearchProbe) -> Int {
    var window = RankWindow(at: neighbor.distance)
    var ruler = RankRuler(view: view, origin: origin)
    search(&window, &ruler, &probe)
    let count = window.items.count { ruler.neighbor($0) < neighbor }
    ruler.report(to: &probe)
    return window.before + count
  }

  /// Leaves in the window the points that may be wanted.
  private func search(
    _ window: inout RankWindow,
    _ ruler: inout RankRuler,
    _ probe: inout some SearchProbe
  ) {
    withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 16) { memory in
      guard let scratch = memory.baseAddress, view.shape.depth > 0 else { return }
      let floatPoint = FloatPoint(origin, axialWeight: 1, scratch: scratch)
      var level = TreeLevel(1, of: view.shape)
      split(node: 0, level, floatPoint, &window, &ruler, &probe)
      window.narrow { probe.takeSubtree() }
      while !level.isLowest {
        level = level.next(in: view.shape)
        let nodes = window.items
        window.items.removeAll(keepingCapacity: true)
        for node in nodes {
          probe.enterChild()
          split(node: Int(node.number), level, floatPoint, &window, &ruler, &probe)
        }
        window.narrow { probe.takeSubtree() }
      }
      let leaves = window.items
      window.items.removeAll(keepingCapacity: true)
      let scan = LeafScan(scratch: scratch + FloatPoint.byteCount)
      let limits = RankLimits(window)
      for lane in leaves {
        probe.enterChild()
        let leaf = level.leaves(ofChild: Int(lane.number), in: view.shape).lowerBound
        split(leaf: leaf, scan, limits, &window, &ruler, &probe)
      }
      window.narrow()
    }
  }

  /// Appends the children of a node that hold points.
  private func split(
    node: Int,
    _ level: TreeLevel,
    _ floatPoint: FloatPoint,
    _ window: inout RankWindow,
    _ ruler: inout RankRuler,
    _ probe: inout some SearchProbe
  ) {
    probe.visitNode(node, of: view.shape)
    for half in 0..<2 {
      let lanes = NodeLanes(view.nodes, node: node, half: half)
      let nearest = lanes.nearestSquared(to: floatPoint)
      let farthest = lanes.farthestSquared(to: floatPoint)
      for lane in 0..<4 where node > 0 || 4 * half + lane >= view.shape.firstRootLane {
        let child = 8 * node + view.shape.childOffset + 4 * half + lane
        let leaves = level.leaves(ofChild: child, in: view.shape)
        let count = counts.count(leaves)
        guard count > 0 else { continue }
        // by more than the rounding of squares
        let near = (Double(nearest[lane]) * (1 - 0x1p-20)).squareRoot()
        let far = (Double(farthest[lane]) * (1 + 0x1p-20)).squareRoot()
        let slots = view.shape.slots(ofLeaves: leaves)
        let bounds = ruler.bounds(near, far, lanes, lane, around: slots)
        window.items.append(
          RankItem(child, count: count, lower: bounds.lower, upper: bounds.upper)
        )
      }
    }
  }

  /// Appends the points of a leaf that may be in the window.
  private func split(
    leaf: Int,
    _ scan: LeafScan,
    _ limits: RankLimits,
    _ window: inout RankWindow,
    _ ruler: inout RankRuler,
    _ probe: inout some SearchProbe
  ) {
    let slots = view.shape.slots(ofLeaves: leaf..<leaf + 1)
    probe.scanLeaf(points: slots.count)
    let touched = scan.measure(
      view.points(ofLeaf: leaf),
      from: origin,
      limit: limits.touchedSquared
    )
    let inside = touched & scan.bits(within: limits.insideSquared)
    window.pass(counts.restrict(inside, leaf: leaf).nonzeroBitCount)
    var rest = counts.restrict(touched & ~inside, leaf: leaf)
    var pivot: RankPivot?
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      let slot = slots.lowerBound + lane
      window.items.append(ruler.item(slot, chordSquared: scan[lane], in: slots, &pivot))
    }
  }
}

/// The squared chords that settle on which side of a window a point is.
private struct RankLimits {
  /// Beyond it a point is after the window.
  let touchedSquared: Double

  /// Up to it a point is before the window.
  let insideSquared: Double

  init(_ window: RankWindow) {
    touchedSquared = Reach(window.upper).finiteChordSquared
    // the guard band in it makes such distances less than the lower bound
    insideSquared = min(Reach.certainChordSquared(within: window.lower), touchedSquared)
  }
}

/// The number of points in leaves: of all, or of those that a filter allows.
struct LeafCounts {
  private let shape: TreeShape
  private let allowed: AllowedPositions?

  /// With a filter, the number of allowed points before each leaf.
  private var sums: [UInt32] = []

  /// All points.
  init(_ shape: TreeShape) {
    self.shape = shape
    allowed = nil
  }

  /// The points that a filter allows, of leaves that may hold points within a radius.
  ///
  /// - Complexity: O(l + n) for l leaves in the tree and n points in these.
  init(
    _ view: TreeView,
    where allowed: AllowedPositions,
    within radius: Double,
    of origin: SurfacePoint
  ) {
    shape = view.shape
    self.allowed = allowed
    var counts = [UInt32](repeating: 0, count: shape.leafCount + 1)
    func add(_ leaves: Range<Int>) {
      for leaf in leaves {
        counts[leaf + 1] = UInt32(truncatingIfNeeded: allowed.count(inLeaf: leaf))
      }
    }
    if radius < Ellipsoid.greatestDistance {
      let byteCount = RegionSearch.byteCount + FloatPoint.byteCount
      withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 16) { memory in
        guard let scratch = memory.baseAddress else { return }
        let free = scratch + RegionSearch.byteCount
        let ball = BallRegion(radius: radius, of: origin, scratch: free)
        var silent = NoProbe()
        let found = RegionSearch(view).leaves(in: ball, scratch: scratch, &silent)
        defer { found.deallocate() }
        for index in 0..<found.runCount { add(found.run(index)) }
        for index in 0..<found.cutCount {
          let leaf = found.cutLeaf(index).number
          add(leaf..<leaf + 1)
        }
      }
    } else {
      add(0..<shape.leafCount)
    }
    for leaf in 0..<shape.leafCount { counts[leaf + 1] += counts[leaf] }
    sums = counts
  }

  /// The number of allowed points in a run of leaves.
  @inline(__always)
  func count(_ leaves: Range<Int>) -> Int {
    guard allowed != nil else { return shape.slots(ofLeaves: leaves).count }
    return Int(sums[leaves.upperBound] - sums[leaves.lowerBound])
  }

  /// Those of some of a leaf's points that count.
  @inline(__always)
  func restrict(_ bits: UInt32, leaf: Int) -> UInt32 { allowed?.restrict(bits, leaf: leaf) ?? bits }
}
