/// A search for the nearest points: chooses the method, and sorts the candidates.
///
/// It has three stages, each for cases that the previous one could not decide: chords up to 400 km,
/// estimates up to 10 000 km, and a search by rank.
struct NearestQuery {
  let view: TreeView
  let origin: ECEFPoint

  /// How many points are searched for: in 1...view.shape.pointCount.
  let count: Int

  /// Meters, zero or more, or infinity.
  let maximumDistance: Double

  /// The squared chord that no point within the maximum distance exceeds.
  private var greatestChordSquared: Double {
    maximumDistance * maximumDistance * (1 + 0x1p-50) + .leastNormalMagnitude
  }

  /// The nearest points in order; without meaning if the probe is exhausted.
  @inline(__always)
  func answer(_ probe: inout some SearchProbe) -> [Neighbor] {
    let limit = min(greatestChordSquared, ChordBound.greatestNear)
    if count == 1 { return closest(limit, &probe) }
    if count <= TopK16.greatestCapacity { return few(limit, &probe) }
    return many(limit, &probe)
  }

  /// The one nearest point.
  @inline(__always)
  private func closest(_ limit: Double, _ probe: inout some SearchProbe) -> [Neighbor] {
    var list = ClosestPoint(limit: limit)
    withUnsafeTemporaryAllocation(byteCount: NearestSearch.byteCount, alignment: 16) { scratch in
      guard let base = scratch.baseAddress else { return }
      NearestSearch(view, from: origin, scratch: base).run(&list, &probe)
    }
    guard list.chordSquared <= list.limit, list.limit < limit, !list.isTied else {
      return many(limit, &probe)
    }
    probe.solveDistances(1)
    let point = view.point(atSlot: list.slot)
    let distance = Geodesic.nearDistance(from: origin, x: point.x, y: point.y, z: point.z)
    guard distance <= maximumDistance else { return [] }
    return [Neighbor(index: view.position(atSlot: list.slot), distance: distance)]
  }

  /// A few nearest points.
  @inline(__always)
  private func few(_ limit: Double, _ probe: inout some SearchProbe) -> [Neighbor] {
    let byteCount = NearestSearch.byteCount + TopK16.byteCount
    return withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 16) { scratch in
      guard let base = scratch.baseAddress else { return [] }
      let memory = base + NearestSearch.byteCount
      var list = TopK16(capacity: count, limit: limit, scratch: memory)
      NearestSearch(view, from: origin, scratch: base).run(&list, &probe)
      guard list.isFull, list.limit < limit, !list.isTied else {
        return many(limit, &probe)
      }
      // for a few neighbors, this allocates faster than an initializer
      var found: [Neighbor] = []
      found.reserveCapacity(count)
      for index in stride(from: 0, to: count, by: 2) {
        let pair = view.neighbors(
          list[index],
          list[min(index &+ 1, count &- 1)],
          from: origin,
          &probe
        )
        found.append(pair.0)
        if index &+ 1 < count { found.append(pair.1) }
      }
      found.withUnsafeMutableBufferPointer { NeighborSort.sort($0) }
      // nearer than the last by chord, but too far along the ellipsoid
      guard found[count - 1].distance <= maximumDistance else { return many(limit, &probe) }
      return found
    }
  }
}

extension NearestQuery {
  /// The nearest points of those that a filter allows.
  ///
  /// Uses the tree, unless scanning all allowed positions is faster.
  func answer(
    where filter: FilterMask,
    of allowed: PositionSet,
    _ probe: inout some SearchProbe
  ) -> [Neighbor] {
    let limit = min(greatestChordSquared, ChordBound.greatestNear)
    if let neighbors = candidates(within: limit, where: filter, &probe) { return neighbors }
    guard allowed.count > view.shape.pointCount / Self.thinSetShare else {
      return AllowedScan(query: self, allowed: allowed).nearest(&probe)
    }
    return ranked(where: filter, &probe)
  }

  /// The maximum time to measure a position, in units of the time to count one, as measured.
  private static let thinSetShare = 256

  /// Any number of nearest points.
  @inline(never)
  private func many(_ limit: Double, _ probe: inout some SearchProbe) -> [Neighbor] {
    if let neighbors = candidates(within: limit, where: nil, &probe) { return neighbors }
    return ranked(where: nil, &probe)
  }

  /// The nearest points, including those beyond the chord formula.
  private func ranked(
    where allowed: FilterMask?,
    _ probe: inout some SearchProbe
  ) -> [Neighbor] {
    probe.startRanking()
    if probe.isExhausted { return [] }
    let counts = LeafCounts(view, where: allowed, within: maximumDistance, of: origin)
    return RankedQuery(view: view, origin: origin, radius: maximumDistance, counts: counts)
      .neighbors(0..<count, &probe)
  }

  /// The nearest points by chords or estimates; nil if these do not decide which they are.
  private func candidates(
    within limit: Double,
    where allowed: FilterMask?,
    _ probe: inout some SearchProbe
  ) -> [Neighbor]? {
    switch candidates(within: limit, ChordRuler(), where: allowed, .max, &probe) {
    case .settled(let neighbors): return neighbors
    case .overBudget: return nil
    case .open: break
    }
    let ruler = EstimateRuler(view: view, origin: origin)
    // beyond that a search by rank is faster, although it has to filter each leaf
    let leafBudget = 40 + count / 8 + (allowed == nil ? 0 : view.shape.leafCount / 40)
    let estimated = ruler.limit(maximumDistance)
    switch candidates(within: estimated, ruler, where: allowed, leafBudget, &probe) {
    case .settled(let neighbors): return neighbors
    case .open, .overBudget: return nil
    }
  }

  private enum Outcome {
    case settled([Neighbor])
    case open
    case overBudget
  }

  /// The nearest points by one ruler; undecided if points beyond the limit may be among them.
  private func candidates<Ruler: CandidateRuler>(
    within limit: Double,
    _ ruler: Ruler,
    where allowed: FilterMask?,
    _ leafBudget: Int,
    _ probe: inout some SearchProbe
  ) -> Outcome {
    var list = TopK(
      capacity: count,
      within: limit,
      ruler: ruler,
      allowed: allowed,
      leafBudget: leafBudget
    )
    defer { list.deallocate() }
    withUnsafeTemporaryAllocation(byteCount: NearestSearch.byteCount, alignment: 16) { scratch in
      guard let base = scratch.baseAddress else { return }
      let weight = Ruler.axialWeight
      NearestSearch(view, from: origin, axialWeight: weight, scratch: base).run(&list, &probe)
    }
    guard !list.isOverBudget else { return .overBudget }
    list.settle()
    let isSettled = list.isFull && list.greatestLengthSquared < limit
    guard isSettled || greatestChordSquared <= limit else { return .open }
    return .settled(nearest(of: list, &probe))
  }

  /// The nearest of the candidates, in order.
  private func nearest(
    of list: TopK<some CandidateRuler>,
    _ probe: inout some SearchProbe
  ) -> [Neighbor] {
    var found = [Neighbor](unsafeUninitializedCapacity: list.count + 1) { buffer, total in
      guard let base = buffer.baseAddress else { return }
      for index in stride(from: 0, to: list.count, by: 2) {
        let isPair = index + 1 < list.count
        let pair = view.neighbors(
          list[index],
          list[isPair ? index + 1 : index],
          from: origin,
          &probe
        )
        // each overwrites the previous one if that is too far away
        base[total] = pair.0
        total += pair.0.distance <= maximumDistance ? 1 : 0
        base[total] = pair.1
        total += isPair && pair.1.distance <= maximumDistance ? 1 : 0
      }
    }
    found.withUnsafeMutableBufferPointer { NeighborSort.sort($0) }
    if found.count > count { found.removeLast(found.count - count) }
    return found
  }
}

/// A walk through the tree toward a point, the nearest boxes first.
///
/// Depth first with one frame per level: the bounds of a node's lanes that are yet to be entered,
/// each with its lane in the last three bits, so that one minimum gives the next lane and shows
/// whether the node is done.
struct NearestSearch {
  private let view: TreeView
  private let origin: ECEFPoint
  private let floatPoint: FloatPoint
  private let keys: UnsafeMutablePointer<SIMD4<Int32>>
  private let nodes: UnsafeMutablePointer<Int>
  private let scan: LeafScan

  private static let keysByteCount = TreeShape.greatestDepth * 2 * MemoryLayout<SIMD4<Int32>>.stride

  /// The bytes of scratch memory that a search needs.
  static let byteCount =
    keysByteCount + LeafScan.byteCount + FloatPoint.byteCount
    + TreeShape.greatestDepth * MemoryLayout<Int>.stride

  /// - Parameters:
  ///   - view: a tree of at least one point.
  ///   - origin: the point to search from.
  ///   - axialWeight: the one of the list's `limitKey`, see ``FloatPoint``.
  ///   - scratch: `byteCount` bytes, aligned to 16.
  @inline(__always)
  init(
    _ view: TreeView,
    from origin: ECEFPoint,
    axialWeight: Double = 1,
    scratch: UnsafeMutableRawPointer
  ) {
    self.view = view
    self.origin = origin
    keys = scratch.assumingMemoryBound(to: SIMD4<Int32>.self)
    var free = scratch + Self.keysByteCount
    scan = LeafScan(scratch: free)
    free += LeafScan.byteCount
    floatPoint = FloatPoint(origin, axialWeight: axialWeight, scratch: free)
    free += FloatPoint.byteCount
    nodes = free.assumingMemoryBound(to: Int.self)
  }

  /// Offers the list each leaf that its limit does not exclude.
  @inline(never)
  func run(_ list: inout some CandidateList, _ probe: inout some SearchProbe) {
    var level = 0
    var node = 0
    while true {
      probe.visitNode(node, of: view.shape)
      var (low, high) = bounds(of: node)
      while true {
        let best = Self.least(low, high)
        guard best <= list.limitKey else {
          // nothing here is near enough: back to the parent
          level &-= 1
          if level < 0 { return }
          node = nodes[level]
          (low, high) = (keys[2 &* level], keys[2 &* level &+ 1])
          continue
        }
        Self.remove(best, from: &low)
        Self.remove(best, from: &high)
        let child = 8 &* node &+ view.shape.childOffset &+ Int(best & 7)
        if probe.isExhausted { return }
        probe.enterChild()
        if node < view.shape.firstLowestNode {
          nodes[level] = node
          (keys[2 &* level], keys[2 &* level &+ 1]) = (low, high)
          level &+= 1
          node = child
          break
        }
        for leaf in view.shape.leaves(atLane: view.shape.lane(ofChild: child)) {
          probe.scanLeaf(points: view.shape.slots(ofLeaves: leaf..<leaf &+ 1).count)
          list.look(at: view.points(ofLeaf: leaf), of: leaf, from: origin, by: scan)
        }
      }
    }
  }

  /// The bounds of a node's lanes as keys.
  @inline(__always)
  private func bounds(of node: Int) -> (SIMD4<Int32>, SIMD4<Int32>) {
    let low = NodeLanes(view.nodes, node: node, half: 0).nearestSquared(to: floatPoint)
    let high = NodeLanes(view.nodes, node: node, half: 1).nearestSquared(to: floatPoint)
    // without the sign, which only a NaN from a damaged file has: such a key could not be removed
    return (
      (unsafeBitCast(low, to: SIMD4<Int32>.self) & 0x7FFF_FFF8) | SIMD4(0, 1, 2, 3),
      (unsafeBitCast(high, to: SIMD4<Int32>.self) & 0x7FFF_FFF8) | SIMD4(4, 5, 6, 7)
    )
  }

  @inline(__always)
  private static func least(_ low: SIMD4<Int32>, _ high: SIMD4<Int32>) -> Int32 {
    let four = low.replacing(with: high, where: high .< low)
    let two = min(four[0], four[1])
    return min(two, min(four[2], four[3]))
  }

  /// Replaces a key by one that is beyond every limit.
  @inline(__always)
  private static func remove(_ key: Int32, from keys: inout SIMD4<Int32>) {
    let isKey: SIMDMask<SIMD4<Int32>> = keys .== SIMD4<Int32>(repeating: key)
    keys |= unsafeBitCast(isKey, to: SIMD4<Int32>.self) & Int32.max
  }
}

/// A search through all positions of a filter, without the tree: for few positions that are far
/// away.
struct AllowedScan {
  let query: NearestQuery
  let allowed: PositionSet

  /// The nearest points of the set, in order.
  ///
  /// - Complexity: O(n / 64 + m) for m positions of n.
  func nearest(_ probe: inout some SearchProbe) -> [Neighbor] {
    let candidates = candidates()
    probe.scanLeaf(points: allowed.count)
    var list = NeighborHeap(capacity: query.count, maximumDistance: query.maximumDistance)
    // the closest by chord come first, and decide which others need a closer look
    let close = greatestOfClosest(candidates.squares)
    func offer(_ position: Int, _ end: ECEFPoint, _ squared: Double) {
      probe.solveDistances(1)
      probe.solveLongGeodesics(squared > ChordBound.greatestNear ? 1 : 0)
      let distance = Geodesic.distance(from: query.origin, to: end)
      list.offer(Neighbor(index: position, distance: distance))
    }
    for (position, squared) in zip(candidates.positions, candidates.squares)
    where squared <= close {
      offer(position, origin(position), squared)
    }
    var reach = Reach(list.limit)
    for (position, squared) in zip(candidates.positions, candidates.squares)
    where squared > close && squared <= reach.greatestChordSquared {
      let end = origin(position)
      if reach.rulesOut(Chord(from: query.origin, to: end)) { continue }
      offer(position, end, squared)
      reach = Reach(list.limit)
    }
    return list.sorted()
  }

  /// The positions that latitude does not rule out, and their squared chords.
  ///
  /// A point in space needs sines and cosines, which latitude avoids for most positions.
  private func candidates() -> (positions: [Int], squares: [Double]) {
    let latitude = query.origin.coordinate.latitude
    var positions: [Int] = []
    var squares: [Double] = []
    var greatestDifference = Double.infinity
    var fullCount = 4 * query.count + 60
    allowed.visit { position in
      let coordinate = query.view.coordinate(at: position)
      guard (coordinate.latitude - latitude).magnitude <= greatestDifference else { return }
      positions.append(position)
      squares.append(Chord(from: query.origin, to: ECEFPoint(coordinate)).squared)
      guard positions.count == fullCount else { return }
      fullCount *= 2
      greatestDifference = Self.greatestDifference(after: greatestOfClosest(squares))
    }
    return (positions, squares)
  }

  /// The difference of latitude, degrees, beyond which no point is as near as one with a chord.
  ///
  /// A path between two latitudes is at least as long as ρ (b²/a) times their difference, since a
  /// meridian bends most at the equator, with that radius. And a chord c has a geodesic of at most
  /// 2ρ·asin(x), x = c/2ρ, where asin(x) ≤ x + (π/2 - 1)x³: the series less its first term, over x³,
  /// rises with x.
  static func greatestDifference(after chordSquared: Double) -> Double {
    let x = chordSquared.squareRoot() / (2 * Ellipsoid.leastCurvatureRadius)
    guard x < 0.99 else { return .infinity }
    // the sum is far more than rounding and the errors of reported distances
    return 2 * (x + (.pi / 2 - 1) * x * x * x) * (180 / .pi) * (1 + 1e-9) + 1e-9
  }

  private func origin(_ position: Int) -> ECEFPoint {
    ECEFPoint(query.view.coordinate(at: position))
  }

  /// The squared chord of the last of `count` points, the closest by chord.
  private func greatestOfClosest(_ squares: [Double]) -> Double {
    guard query.count < squares.count else { return .infinity }
    // the selection needs twice the memory
    var bits = squares.map(\.bitPattern)
    bits += bits
    return bits.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return .infinity }
      let last = RankSelection.value(ofRank: query.count - 1, in: base, count: squares.count)
      return Double(bitPattern: last)
    }
  }
}
