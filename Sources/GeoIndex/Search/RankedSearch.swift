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

  /// The points within the radius at ranks, which are some, and of allowed points; in order.
  func neighbors(_ ranks: Range<Int>, _ probe: inout some SearchProbe) -> [Neighbor] {
    var window = RankWindow(ranks: ranks, radius: radius)
    search(&window, &probe)
    var found = window.items.map { neighbor($0, &probe) }
    found.removeAll { $0.distance > radius }
    found.withUnsafeMutableBufferPointer { NeighborSort.sort($0) }
    return Array(found.dropFirst(max(0, ranks.lowerBound - window.before)).prefix(ranks.count))
  }

  /// The number of points that come before a neighbor.
  func count(before neighbor: Neighbor, _ probe: inout some SearchProbe) -> Int {
    var window = RankWindow(at: neighbor.distance)
    search(&window, &probe)
    return window.before + window.items.count { self.neighbor($0, &probe) < neighbor }
  }

  /// Leaves in the window the points that may be wanted.
  private func search(_ window: inout RankWindow, _ probe: inout some SearchProbe) {
    guard view.shape.depth > 0 else { return }
    withScratch(FloatPoint.byteCount + LeafScan.byteCount) { scratch in
      let floatPoint = FloatPoint(origin, axialWeight: 1, scratch: scratch)
      var level = TreeLevel(1, of: view.shape)
      split(node: 0, level, floatPoint, &window, &probe)
      window.narrow { probe.takeSubtree() }
      while !level.isLowest {
        level = level.next(in: view.shape)
        for node in window.takeItems() {
          probe.enterChild()
          split(node: Int(node.number), level, floatPoint, &window, &probe)
        }
        window.narrow { probe.takeSubtree() }
      }
      let scan = LeafScan(scratch: scratch + FloatPoint.byteCount)
      // beyond the first a point is after the window, and up to the second before it: the guard band
      // in that makes such distances less than the lower bound
      let touchedSquared = ChordLimits(window.upper).finiteSquared
      let insideSquared = min(ChordLimits.certainSquared(within: window.lower), touchedSquared)
      for lane in window.takeItems() {
        probe.enterChild()
        let leaf = level.leaves(ofChild: Int(lane.number), in: view.shape).lowerBound
        probe.scanLeaf(points: view.shape.slots(ofLeaf: leaf).count)
        let touched = scan.measure(view.points(ofLeaf: leaf), from: origin, limit: touchedSquared)
        let inside = touched & scan.bits(within: insideSquared)
        window.before += counts.restrict(inside, leaf: leaf).nonzeroBitCount
        split(leaf: leaf, counts.restrict(touched & ~inside, leaf: leaf), scan, &window, &probe)
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
        var (lower, upper) = (near, ChordLimits.maximumDistance(withChord: far))
        if far > Self.minimumPivotChord {
          let pivot = pivot(view.shape.slots(ofLeaves: leaves), &probe)
          func maximum(_ point: Double, _ axis: NodeLanes.Axis) -> Double {
            max(point - Double(lanes[axis, .low][lane]), Double(lanes[axis, .high][lane]) - point)
          }
          let away = Chord(
            x: maximum(pivot.x, .x),
            y: maximum(pivot.y, .y),
            z: maximum(pivot.z, .z)
          )
          (lower, upper) = pivot.bounds(away, within: (lower, upper))
        }
        window.items.append(RankItem(child, count: count, lower: lower, upper: upper))
      }
    }
  }

  /// Appends points of a leaf, with their distance if they are near, or else bounds on it.
  private func split(
    leaf: Int,
    _ bits: UInt32,
    _ scan: LeafScan,
    _ window: inout RankWindow,
    _ probe: inout some SearchProbe
  ) {
    var leafPivot: RankPivot?
    for lane in SetBits(bits) {
      let slot = leaf * TreeShape.leafCapacity + lane
      let point = view.point(atSlot: slot)
      var bounds: (lower: Double, upper: Double)
      if scan[lane] <= GeodesicTopK.maximumChordSquared {
        probe.solveDistances(1)
        if scan[lane] <= ChordLimits.maximumNearSquared {
          let distance = Geodesic.nearDistance(from: origin, x: point.x, y: point.y, z: point.z)
          bounds = (distance, distance)
        } else {
          let estimate = Geodesic.estimate(from: origin, x: point.x, y: point.y, z: point.z)
          let margin = GeodesicTopK.margin(at: estimate)
          bounds = (estimate - margin, estimate + margin)
        }
      } else {
        let pivot = leafPivot ?? pivot(view.shape.slots(ofLeaf: leaf), &probe)
        leafPivot = pivot
        let away = Chord(x: point.x - pivot.x, y: point.y - pivot.y, z: point.z - pivot.z)
        bounds = pivot.bounds(away, within: (0, .infinity))
      }
      window.items.append(RankItem(slot, count: 1, lower: bounds.lower, upper: bounds.upper))
    }
  }

  /// A point with its reported distance.
  private func neighbor(_ item: RankItem, _ probe: inout some SearchProbe) -> Neighbor {
    let slot = Int(item.number)
    guard !item.isExact else {
      return Neighbor(index: view.position(atSlot: slot), distance: item.lower)
    }
    return view.neighbors(slot, slot, from: origin, &probe).0
  }

  /// The chord from which a pivot's bounds are useful, meters: there a geodesic may be 1 m longer.
  private static let minimumPivotChord = 100_000.0

  /// The middle one of some points.
  private func pivot(_ slots: Range<Int>, _ probe: inout some SearchProbe) -> RankPivot {
    let slot = slots.lowerBound + slots.count / 2
    let (x, y, z) = view.point(atSlot: slot)
    let distance = view.neighbors(slot, slot, from: origin, &probe).0.distance
    return RankPivot(x: x, y: y, z: z, distance: distance)
  }
}

/// A point of a part of the tree, whose distance bounds those of the part's other points.
///
/// At great distances, chords prove little: geodesics of equal chords differ by 0.3%. There the
/// triangle inequality proves more: if s is the geodesic to a pivot q, the one to a point p near it
/// is in s ± |qp|.
private struct RankPivot {
  let x: Double
  let y: Double
  let z: Double
  let distance: Double

  /// Bounds on the distances of points whose chord from here is at most `away`, sharpened by others.
  func bounds(
    _ away: Chord,
    within others: (lower: Double, upper: Double)
  ) -> (lower: Double, upper: Double) {
    let away = ChordLimits.maximumDistance(withChord: away.squared.squareRoot())
    return (max(others.lower, distance - away), min(others.upper, distance + away))
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
        found.visit { leaf, _ in
          counts[leaf + 1] = UInt32(truncatingIfNeeded: allowed.count(inLeaf: leaf))
        }
      }
    }
    for leaf in 0..<shape.leafCount { counts[leaf + 1] += counts[leaf] }
    sums = counts
  }

  /// The number of allowed points in a run of leaves.
  func count(_ leaves: Range<Int>) -> Int {
    guard allowed != nil else { return shape.slots(ofLeaves: leaves).count }
    return Int(sums[leaves.upperBound] - sums[leaves.lowerBound])
  }

  /// Those of some of a leaf's points that count.
  func restrict(_ bits: UInt32, leaf: Int) -> UInt32 { allowed?.restrict(bits, leaf: leaf) ?? bits }
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

  /// An item of one point or more; a damaged file may give any numbers as its bounds.
  init(_ number: Int, count: Int, lower: Double, upper: Double) {
    self.number = UInt32(truncatingIfNeeded: number)
    self.count = UInt32(truncatingIfNeeded: count)
    // in this order the bounds replace NaN
    self.lower = min(max(0, lower), Ellipsoid.maximumDistance)
    self.upper = max(0, min(Ellipsoid.maximumDistance, upper))
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
  var before = 0

  var items: [RankItem] = []

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

  /// Removes all items.
  mutating func takeItems() -> [RankItem] {
    defer { items.removeAll(keepingCapacity: true) }
    return items
  }

  /// Narrows the window as far as the items allow, and removes those outside.
  ///
  /// - Parameter passed: is called for each item that is before the window.
  /// - Complexity: that of sorting the items.
  mutating func narrow(_ passed: () -> Void = {}) {
    if let ranks, !items.isEmpty {
      lower = max(lower, bound(ofRank: ranks.lowerBound - before) { $0.lower })
      upper = min(upper, bound(ofRank: ranks.upperBound - 1 - before) { $0.upper })
    }
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

  /// The bound that `rank` points have before them in ascending order, or the last one.
  private func bound(ofRank rank: Int, _ bound: (RankItem) -> Double) -> Double {
    var bounds = items.map { Neighbor(index: Int($0.count), distance: bound($0)) }
    bounds.withUnsafeMutableBufferPointer { NeighborSort.sort($0) }
    var sum = 0
    for item in bounds {
      sum += item.index
      if sum > rank { return item.distance }
    }
    return bounds.last?.distance ?? 0
  }
}
