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

  /// The area in which points are searched for by ``candidates(where:_:)``; everywhere if nil.
  var area: UnsafePointer<AreaRegion>?

  /// The squared chord that no point within the maximum distance exceeds.
  private var maximumChordSquared: Double {
    maximumDistance * maximumDistance * (1 + 0x1p-50) + .leastNormalMagnitude
  }

  /// The same as far as the chord formula holds.
  private var limit: Double { min(maximumChordSquared, ChordLimits.maximumNearSquared) }

  /// The nearest points in order; without meaning if the probe is exhausted.
  @inline(__always)
  func answer(_ probe: inout some SearchProbe) -> [Neighbor] {
    if count == 1 { return closest(&probe) }
    if count <= TopK16.maximumCapacity { return few(&probe) }
    return many(&probe)
  }

  /// The one nearest point.
  @inline(__always)
  private func closest(_ probe: inout some SearchProbe) -> [Neighbor] {
    let limit = limit
    var list = ClosestPoint(limit: limit)
    withScratch(NearestSearch.byteCount) { scratch in
      NearestSearch(view, from: origin, scratch: scratch).run(&list, &probe)
    }
    guard list.chordSquared <= list.limit, list.limit < limit, !list.isTied else {
      return many(&probe)
    }
    let neighbor = view.neighbors(list.slot, list.slot, from: origin, &probe).0
    return neighbor.distance <= maximumDistance ? [neighbor] : []
  }

  /// A few nearest points.
  @inline(__always)
  private func few(_ probe: inout some SearchProbe) -> [Neighbor] {
    let limit = limit
    return withScratch(NearestSearch.byteCount + TopK16.byteCount) { scratch in
      let memory = scratch + NearestSearch.byteCount
      var list = TopK16(capacity: count, limit: limit, scratch: memory)
      NearestSearch(view, from: origin, scratch: scratch).run(&list, &probe)
      guard list.isFull, list.limit < limit, !list.isTied else { return many(&probe) }
      // appending takes 5% fewer instructions than an array's initializer for ten neighbors
      var found: [Neighbor] = []
      found.reserveCapacity(count)
      for index in stride(from: 0, to: count, by: 2) {
        let other = list[min(index &+ 1, count &- 1)]
        let pair = view.neighbors(list[index], other, from: origin, &probe)
        found.append(pair.0)
        if index &+ 1 < count { found.append(pair.1) }
      }
      found.withUnsafeMutableBufferPointer { NeighborSort.sort($0) }
      // nearer than the last by chord, but too far along the ellipsoid
      guard found[count - 1].distance <= maximumDistance else { return many(&probe) }
      return found
    }
  }

  /// The nearest points of those that a filter allows.
  ///
  /// Uses the tree, unless scanning all allowed positions is faster.
  func answer(
    where filter: FilterMask,
    of allowed: BitSet,
    _ probe: inout some SearchProbe
  ) -> [Neighbor] {
    if let neighbors = candidates(where: filter, &probe) { return neighbors }
    guard allowed.count > view.shape.pointCount / Self.thinSetShare else {
      return scan(allowed, &probe)
    }
    return ranked(where: filter, &probe)
  }

  /// The maximum time to measure a position, in units of the time to count one, as measured.
  private static let thinSetShare = 256

  /// The nearest points of a set, without the tree: for few points that are far away.
  ///
  /// - Complexity: O(n / 64 + m) expected for m positions of n.
  func scan(_ allowed: BitSet, _ probe: inout some SearchProbe) -> [Neighbor] {
    probe.scanLeaf(points: allowed.count)
    func point(_ position: Int) -> ECEFPoint { ECEFPoint(view.coordinate(at: position)) }
    var candidates: [Neighbor] = []
    allowed.visit { position in
      let chord = Chord(from: origin, to: point(position))
      candidates.append(Neighbor(index: position, distance: chord.squared.squareRoot()))
    }
    candidates.withUnsafeMutableBufferPointer { NeighborSort.sort($0) }
    // the closest by chord come first, and decide which others need a closer look
    var found = NeighborHeap(capacity: count, maximumDistance: maximumDistance)
    for candidate in candidates {
      // the factor covers the rounding of the root
      guard candidate.distance <= found.limit * (1 + 0x1p-50) else { break }
      let end = point(candidate.index)
      if ChordLimits(found.limit).rulesOut(Chord(from: origin, to: end)) { continue }
      let isFar = candidate.distance > Geodesic.maximumNearChord
      probe.solveDistances(1)
      probe.solveLongGeodesics(isFar ? 1 : 0)
      let distance = Geodesic.distance(from: origin, to: end)
      found.offer(Neighbor(index: candidate.index, distance: distance))
    }
    return found.sorted()
  }

  /// Any number of nearest points.
  @inline(never)
  private func many(_ probe: inout some SearchProbe) -> [Neighbor] {
    candidates(where: nil, &probe) ?? ranked(where: nil, &probe)
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
  func candidates(
    where allowed: FilterMask?,
    _ probe: inout some SearchProbe
  ) -> [Neighbor]? {
    let limit = limit
    var near = TopK(capacity: count, within: limit, where: allowed, in: area, of: view)
    defer { near.deallocate() }
    withScratch(NearestSearch.byteCount) { scratch in
      NearestSearch(view, from: origin, scratch: scratch).run(&near, &probe)
    }
    if near.isOverBudget { return nil }
    if maximumChordSquared <= limit || near.isFull && near.limit < limit {
      return nearest(of: near.found(), &probe)
    }
    var far = GeodesicTopK(
      capacity: count,
      within: maximumDistance,
      of: origin,
      in: view,
      where: allowed,
      in: area,
      // beyond that a search by rank is faster, although it has to filter each leaf
      leafBudget: area != nil
        ? AreaRegion.leafBudget + count / 8
        : 40 + count / 8 + (allowed == nil ? 0 : view.shape.leafCount / 40)
    )
    let estimated = far.maximumEstimate
    withScratch(NearestSearch.byteCount) { scratch in
      let weight = GeodesicTopK.axialWeight
      NearestSearch(view, from: origin, axialWeight: weight, scratch: scratch).run(&far, &probe)
    }
    guard !far.isOverBudget,
      maximumDistance <= estimated || far.isFull && far.maximumEstimate < estimated
    else { return nil }
    return nearest(of: far.found(), &probe)
  }

  /// The nearest of the points in some slots, in order.
  private func nearest(of slots: [Int], _ probe: inout some SearchProbe) -> [Neighbor] {
    var found = [Neighbor](unsafeUninitializedCapacity: slots.count + 1) { buffer, total in
      guard let base = buffer.baseAddress else { return }
      view.appendNeighbors(
        in: slots,
        from: origin,
        within: maximumDistance,
        to: base,
        &total,
        &probe
      )
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

  private static let keysByteCount = TreeShape.maximumDepth * 2 * MemoryLayout<SIMD4<Int32>>.stride

  /// The bytes of scratch memory that a search needs.
  static let byteCount =
    keysByteCount + LeafScan.byteCount + FloatPoint.byteCount
    + TreeShape.maximumDepth * MemoryLayout<Int>.stride

  /// A walk through a tree of at least one point, in `byteCount` bytes of scratch, aligned to 16; the
  /// weight is that of the list's `limitKey`, see ``FloatPoint``.
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
      if let area = list.area {
        let touched = area.pointee.touched(node, in: view)
        for lane in 0..<4 {
          if touched & 1 &<< UInt32(lane) == 0 { low[lane] = .max }
          if touched & 16 &<< UInt32(lane) == 0 { high[lane] = .max }
        }
      }
      while true {
        let best = Self.minimum(low, high)
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
  private static func minimum(_ low: SIMD4<Int32>, _ high: SIMD4<Int32>) -> Int32 {
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
