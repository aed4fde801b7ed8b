/// A search by rank: points are found by their rank in the order (distance, index).
///
/// Level by level, the children of nodes get bounds on their distances; the bounds and the numbers
/// of points determine the two distances between which the wanted points are; and only children
/// that overlap this window are split again. So the points before it are counted, not measured.
struct RankedQuery {
  let view: TreeView
  let origin: ECEFPoint

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
  private let allowed: FilterMask?

  /// With a filter, the number of allowed points before each leaf.
  private var sums: [UInt32] = []

  /// All points, or those that a filter allows, of leaves that may hold points within a radius.
  ///
  /// - Complexity: with a filter O(l + n) for l leaves in the tree and n points in these.
  init(
    _ view: TreeView,
    where allowed: FilterMask?,
    within radius: Double,
    of origin: ECEFPoint
  ) {
    shape = view.shape
    self.allowed = allowed
    guard let allowed else { return }
    var counts = [UInt32](repeating: 0, count: shape.leafCount + 1)
    withScratch(BallRegion.byteCount) { scratch in
      let ball = BallRegion(radius: radius, of: origin, scratch: scratch)
      var silent = NoProbe()
      RegionQuery(view: view, region: ball, allowed: allowed).withLeaves(&silent) { found, _ in
        found.forEach { leaf, _ in
          counts[leaf + 1] = UInt32(truncatingIfNeeded: allowed.count(inLeaf: leaf))
        }
      }
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

/// A point of a part of the tree, whose distance bounds those of the part's other points.
struct RankPivot {
  let x: Double
  let y: Double
  let z: Double
  let distance: Double
}

/// Measures distances, and bounds those that are not worth measuring.
///
/// At great distances, chords prove little: geodesics of equal chords differ by 0.3%. There the
/// triangle inequality proves more: if s is the geodesic to a pivot q, the one to a point p near it
/// is in s ± |qp|.
struct RankRuler {
  let view: TreeView
  let origin: ECEFPoint

  /// The number of distances computed, and of those by Karney's inverse.
  private var solvedCount = 0
  private var farCount = 0

  /// The last long geodesic, and where it ends: equal points are next to each other.
  private var farEnd = Coordinate.origin
  private var farDistance = Double.nan

  /// The chord from which a pivot's bounds are useful, meters: there a geodesic may be 1 m longer.
  private static let leastPivotChord = 100_000.0

  init(view: TreeView, origin: ECEFPoint) {
    self.view = view
    self.origin = origin
  }

  func report(to probe: inout some SearchProbe) {
    probe.solveDistances(solvedCount)
    probe.solveLongGeodesics(farCount)
  }

  /// A point with its reported distance.
  mutating func neighbor(_ item: RankItem) -> Neighbor {
    let slot = Int(item.number)
    let distance = item.isExact ? item.lower : pivot(slot).distance
    return Neighbor(index: view.position(atSlot: slot), distance: distance)
  }

  /// The point in a slot with its reported distance.
  @inline(__always)
  private mutating func pivot(_ slot: Int) -> RankPivot {
    let point = view.point(atSlot: slot)
    let chord = Chord(x: point.x - origin.x, y: point.y - origin.y, z: point.z - origin.z)
    let distance: Double
    if chord.squared <= ChordBound.greatestNear {
      solvedCount += 1
      distance = Geodesic.nearDistance(from: origin, x: point.x, y: point.y, z: point.z)
    } else {
      distance = farDistance(to: view.coordinate(at: view.position(atSlot: slot)))
    }
    return RankPivot(x: point.x, y: point.y, z: point.z, distance: distance)
  }

  @inline(never)
  private mutating func farDistance(to end: Coordinate) -> Double {
    // bit by bit, because equal coordinates may have distances that differ in the last bit
    let isLast =
      end.latitude.bitPattern == farEnd.latitude.bitPattern
      && end.longitude.bitPattern == farEnd.longitude.bitPattern
    if isLast, !farDistance.isNaN { return farDistance }
    solvedCount += 1
    farCount += 1
    farEnd = end
    farDistance = GeodesicInverse(from: origin.coordinate, to: end).distance
    return farDistance
  }

  /// Bounds on the distances of the points in a lane of a node.
  ///
  /// - Parameters:
  ///   - near: not above any chord to them, meters.
  ///   - far: not below any.
  ///   - lanes: four lanes of the node.
  ///   - lane: which of them.
  ///   - slots: those of the points.
  /// - Returns: meters.
  @inline(__always)
  mutating func bounds(
    _ near: Double,
    _ far: Double,
    _ lanes: NodeLanes,
    _ lane: Int,
    around slots: Range<Int>
  ) -> (lower: Double, upper: Double) {
    let upper = Reach.greatestDistance(withChord: far)
    guard far > Self.leastPivotChord else { return (near, upper) }
    let pivot = pivot(slots.lowerBound + slots.count / 2)
    func greatest(_ point: Double, _ axis: NodeLanes.Axis) -> Double {
      max(point - Double(lanes[axis, .low][lane]), Double(lanes[axis, .high][lane]) - point)
    }
    let (x, y, z) = (greatest(pivot.x, .x), greatest(pivot.y, .y), greatest(pivot.z, .z))
    let away = Reach.greatestDistance(withChord: Chord(x: x, y: y, z: z).squared.squareRoot())
    return (max(near, pivot.distance - away), min(upper, pivot.distance + away))
  }

  /// A point, with its distance if it is near, or else bounds on it.
  ///
  /// - Parameters:
  ///   - slot: the point's.
  ///   - chordSquared: square meters.
  ///   - slots: those of its leaf.
  ///   - pivot: the leaf's, once it is needed.
  /// - Returns: an item of one point.
  @inline(__always)
  mutating func item(
    _ slot: Int,
    chordSquared: Double,
    in slots: Range<Int>,
    _ pivot: inout RankPivot?
  ) -> RankItem {
    let point = view.point(atSlot: slot)
    if chordSquared <= ChordBound.greatestNear {
      solvedCount += 1
      let distance = Geodesic.nearDistance(from: origin, x: point.x, y: point.y, z: point.z)
      return RankItem(slot, count: 1, lower: distance, upper: distance)
    }
    if chordSquared <= EstimateRuler.greatestChordSquared {
      solvedCount += 1
      let estimate = GeodesicEstimate(from: origin, x: point.x, y: point.y, z: point.z).distance
      let margin = EstimateRuler.margin(at: estimate)
      return RankItem(slot, count: 1, lower: estimate - margin, upper: estimate + margin)
    }
    let center = pivot ?? self.pivot(slots.lowerBound + slots.count / 2)
    pivot = center
    let chord = Chord(x: point.x - center.x, y: point.y - center.y, z: point.z - center.z)
    let away = Reach.greatestDistance(withChord: chord.squared.squareRoot())
    let (lower, upper) = (center.distance - away, center.distance + away)
    return RankItem(slot, count: 1, lower: lower, upper: upper)
  }
}

/// A part of the tree: a number of points whose distances are all in an interval.
struct RankItem {
  /// The number of a child of a node, or a slot.
  let number: UInt32

  /// The number of its points that are allowed.
  let count: UInt32

  /// Not above any of the distances, meters, zero or more.
  let lower: Double

  /// Not below any of the distances, meters.
  let upper: Double

  /// - Parameters:
  ///   - number: of a child or a slot.
  ///   - count: how many points, one or more.
  ///   - lower: meters; a damaged file may give any number here and for `upper`.
  ///   - upper: meters.
  @inline(__always)
  init(_ number: Int, count: Int, lower: Double, upper: Double) {
    self.number = UInt32(truncatingIfNeeded: number)
    self.count = UInt32(truncatingIfNeeded: count)
    // in this order the bounds replace NaN
    self.lower = min(max(0, lower), Ellipsoid.greatestDistance)
    self.upper = max(0, min(Ellipsoid.greatestDistance, upper))
  }

  /// Whether the interval is the distance itself.
  var isExact: Bool { lower == upper }
}

/// The distances between which the wanted points are, and the items that may hold some of them.
///
/// The r-th distance is not below the r-th lower bound, nor above the r-th upper bound. So bounds
/// on a few large parts narrow the window, and only parts that overlap it need to be split.
struct RankWindow {
  /// The wanted ranks; nil if the window is given and does not change.
  private let ranks: Range<Int>?

  /// Not above the least distance wanted, nor below the greatest.
  private(set) var lower: Double
  private(set) var upper: Double

  /// The number of points that are certainly before the window.
  private(set) var before = 0

  var items: [RankItem] = []

  private static let bucketCount = 1_024

  /// A window around ranks, of points up to a radius.
  init(ranks: Range<Int>, radius: Double) {
    self.ranks = ranks
    (lower, upper) = (0, radius)
  }

  /// A window of one distance.
  init(at distance: Double) {
    ranks = nil
    (lower, upper) = (distance, distance)
  }

  /// Counts points that are certainly before the window and not in an item.
  mutating func pass(_ count: Int) { before += count }

  /// Narrows the window as far as the items allow, and removes those outside.
  ///
  /// - Parameter passed: is called for each item that is before the window.
  /// - Complexity: O(n) for n items, as often as that removes a good part of them.
  mutating func narrow(_ passed: () -> Void = {}) {
    while true {
      if let ranks, !items.isEmpty {
        lower = max(lower, bound(ofRank: ranks.lowerBound - before, .lower).least)
        upper = min(upper, bound(ofRank: ranks.upperBound - 1 - before, .upper).greatest)
      }
      let count = items.count
      removeOutside(passed)
      // the buckets are finer the closer the bounds are together
      guard ranks != nil, items.count > 64, items.count < count - count / 4 else { return }
    }
  }

  private mutating func removeOutside(_ passed: () -> Void) {
    var kept = 0
    for index in items.indices {
      let item = items[index]
      if item.upper < lower {
        before += Int(item.count)
        passed()
      } else if item.lower <= upper {
        items[kept] = item
        kept += 1
      }
    }
    items.removeLast(items.count - kept)
  }

  /// A bound of the items.
  private enum Side {
    case lower
    case upper

    @inline(__always)
    func bound(of item: RankItem) -> Double { self == .lower ? item.lower : item.upper }
  }

  /// Bounds on the lower or upper bound that has `rank` points before it in ascending order.
  ///
  /// Counts in buckets of equal width, and then looks at the one with the rank.
  private func bound(ofRank rank: Int, _ side: Side) -> (least: Double, greatest: Double) {
    var (least, greatest) = (Double.infinity, -Double.infinity)
    for item in items {
      least = min(least, side.bound(of: item))
      greatest = max(greatest, side.bound(of: item))
    }
    let (start, span) = (least, Double(Self.bucketCount - 1) / (greatest - least))
    let scale = span.isFinite ? span : 0
    func bucket(_ item: RankItem) -> Int { Int((side.bound(of: item) - start) * scale) }
    var counts = [Int](repeating: 0, count: Self.bucketCount)
    for item in items { counts[bucket(item)] += Int(item.count) }
    var (place, sum) = (0, counts[0])
    while sum <= rank {
      place += 1
      // there are fewer points
      guard place < Self.bucketCount else { return (greatest, .infinity) }
      sum += counts[place]
    }
    (least, greatest) = (.infinity, -.infinity)
    for item in items where bucket(item) == place {
      least = min(least, side.bound(of: item))
      greatest = max(greatest, side.bound(of: item))
    }
    return (least, greatest)
  }
}
