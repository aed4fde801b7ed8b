/// A search for the nearest points: chooses the method, and sorts the candidates.
///
/// It has three stages, each for cases that the previous one could not decide: chords up to 400 km,
/// estimates up to 10 000 km, and a search by rank.
struct NearestQuery {
  let view: TreeView
  let origin: SurfacePoint

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
    if count <= ShortList.greatestCapacity { return few(limit, &probe) }
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
    let byteCount = NearestSearch.byteCount + ShortList.byteCount
    return withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 16) { scratch in
      guard let base = scratch.baseAddress else { return [] }
      let memory = base + NearestSearch.byteCount
      var list = ShortList(capacity: count, limit: limit, scratch: memory)
      NearestSearch(view, from: origin, scratch: base).run(&list, &probe)
      guard list.isFull, list.limit < limit, !list.isTied else {
        return many(limit, &probe)
      }
      probe.solveDistances(count)
      // for a few neighbors, this allocates faster than an initializer
      var found: [Neighbor] = []
      found.reserveCapacity(count)
      for index in stride(from: 0, to: count, by: 2) {
        let pair = nearNeighbors(list[index], list[min(index &+ 1, count &- 1)])
        found.append(pair.0)
        if index &+ 1 < count { found.append(pair.1) }
      }
      found.withUnsafeMutableBufferPointer { NeighborSort.sort($0) }
      // nearer than the last by chord, but too far along the ellipsoid
      guard found[count - 1].distance <= maximumDistance else { return many(limit, &probe) }
      return found
    }
  }

  /// Two points that are within the reach of the chord formula.
  @inline(__always)
  private func nearNeighbors(_ one: Int, _ other: Int) -> (Neighbor, Neighbor) {
    let (first, second) = (view.point(atSlot: one), view.point(atSlot: other))
    let distances = Geodesic.nearDistances(
      ChordPair(
        from: origin,
        x: SIMD2(first.x, second.x),
        y: SIMD2(first.y, second.y),
        z: SIMD2(first.z, second.z)
      )
    )
    return (
      Neighbor(index: view.position(atSlot: one), distance: distances[0]),
      Neighbor(index: view.position(atSlot: other), distance: distances[1])
    )
  }
}

extension NearestQuery {
  /// The nearest points of those that a filter allows.
  ///
  /// Uses the tree, unless scanning all allowed positions is faster.
  func answer(where allowed: PositionSet, _ probe: inout some SearchProbe) -> [Neighbor] {
    let limit = min(greatestChordSquared, ChordBound.greatestNear)
    return allowed.withUnsafeWords { words in
      let filter = AllowedPositions(words, over: view, leafBudget: allowed.leafBudget)
      if let neighbors = candidates(within: limit, where: filter, &probe) { return neighbors }
      guard allowed.count > view.shape.pointCount / Self.thinSetShare else {
        return AllowedScan(query: self, allowed: allowed).nearest(&probe)
      }
      let counts = LeafCounts(view, where: filter, within: maximumDistance, of: origin)
      return ranked(counts, &probe)
    }
  }

  /// The maximum time to measure a position, in units of the time to count one, as measured.
  private static let thinSetShare = 256

  /// Any number of nearest points.
  @inline(never)
  private func many(_ limit: Double, _ probe: inout some SearchProbe) -> [Neighbor] {
    if let neighbors = candidates(within: limit, where: nil, &probe) { return neighbors }
    return ranked(LeafCounts(view.shape), &probe)
  }

  /// The nearest points, including those beyond the chord formula.
  private func ranked(_ counts: LeafCounts, _ probe: inout some SearchProbe) -> [Neighbor] {
    probe.startRanking()
    if probe.isExhausted { return [] }
    return RankedQuery(view: view, origin: origin, radius: maximumDistance, counts: counts)
      .neighbors(0..<count, &probe)
  }

  /// The nearest points by chords or estimates; nil if these do not decide which they are.
  private func candidates(
    within limit: Double,
    where allowed: AllowedPositions?,
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
    where allowed: AllowedPositions?,
    _ leafBudget: Int,
    _ probe: inout some SearchProbe
  ) -> Outcome {
    var list = LongList(
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
    of list: LongList<some CandidateRuler>,
    _ probe: inout some SearchProbe
  ) -> [Neighbor] {
    var found = [Neighbor](unsafeUninitializedCapacity: list.count + 1) { buffer, total in
      guard let base = buffer.baseAddress else { return }
      for index in stride(from: 0, to: list.count, by: 2) {
        let isPair = index + 1 < list.count
        let pair = solve(list[index], isPair ? list[index + 1] : list[index], &probe)
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

  /// The points in two slots with their reported distances.
  @inline(__always)
  private func solve(
    _ one: Int,
    _ other: Int,
    _ probe: inout some SearchProbe
  ) -> (Neighbor, Neighbor) {
    probe.solveDistances(one == other ? 1 : 2)
    let pair = nearNeighbors(one, other)
    // an estimate this far below the limit cannot be of a longer chord
    let certain = Geodesic.greatestNearChord - 1
    guard pair.0.distance > certain || pair.1.distance > certain else { return pair }
    return (decided(pair.0, one, &probe), one == other ? pair.1 : decided(pair.1, other, &probe))
  }

  /// A point whose distance may be beyond the chord formula.
  @inline(never)
  private func decided(
    _ neighbor: Neighbor,
    _ slot: Int,
    _ probe: inout some SearchProbe
  ) -> Neighbor {
    let point = view.point(atSlot: slot)
    let chord = Chord(x: point.x - origin.x, y: point.y - origin.y, z: point.z - origin.z)
    if chord.squared <= ChordBound.greatestNear { return neighbor }
    probe.solveLongGeodesics(1)
    let end = view.coordinate(at: neighbor.index)
    let distance = GeodesicInverse(from: origin.coordinate, to: end).distance
    return Neighbor(index: neighbor.index, distance: distance)
  }
}
