extension KDTree {
  /// Finds the points nearest to a position.
  ///
  /// Ordered by distance, then by index: of points equally far the lower indexes are chosen and come
  /// first. The maximum distance is closed: a point exactly that far is in.
  ///
  /// ```swift
  /// let names = tree.nearest(to: paris, count: 3).map { cities[$0.index].name }
  /// // ["Paris", "Boulogne-Billancourt", "Saint-Denis"]
  /// ```
  ///
  /// - Parameters:
  ///   - center: the position to measure from.
  ///   - count: how many to find, zero or more; all are returned if there are fewer.
  ///   - maximumDistance: meters, zero or more; farther points do not count.
  ///   - allowed: the points to choose from, with this tree's count as capacity; all if nil.
  /// - Returns: neighbors with their distances in meters, at most `count`.
  /// - Complexity: O(k + log n) expected for k answers of n points; with m positions allowed at most
  ///   O(m + n/64) more.
  public func nearest(
    to center: Coordinate,
    count: Int,
    within maximumDistance: Double = .infinity,
    where allowed: BitSet? = nil
  ) -> [Neighbor] {
    var probe = NoProbe()
    return nearest(to: center, count, maximumDistance, allowed, &probe)
  }

  /// Does what ``nearest(to:count:within:where:)`` does, and adds what that took to `statistics`.
  public func nearest(
    to center: Coordinate,
    count: Int,
    within maximumDistance: Double = .infinity,
    where allowed: BitSet? = nil,
    statistics: inout SearchStatistics
  ) -> [Neighbor] {
    nearest(to: center, count, maximumDistance, allowed, &statistics)
  }

  /// Finds the points nearest to a position, if that takes few steps.
  ///
  /// - Parameters:
  ///   - center: the position to measure from.
  ///   - count: how many to find, zero or more.
  ///   - maximumDistance: meters, zero or more; closed.
  ///   - steps: the maximum number of nodes and leaves to look into.
  /// - Returns: what ``nearest(to:count:within:where:)`` returns; nil if that takes more steps, or a
  ///   search by rank.
  /// - Complexity: O(k + steps) for k answers.
  package func nearest(
    to center: Coordinate,
    count: Int,
    within maximumDistance: Double,
    steps: Int
  ) -> [Neighbor]? {
    var limit = StepLimit(rest: steps)
    let found = nearest(to: center, count, maximumDistance, nil, &limit)
    return limit.isExhausted ? nil : found
  }

  /// Finds the points of an area nearest to a position, if that takes few steps.
  ///
  /// Asks the area about each candidate, instead of finding all points that it holds.
  ///
  /// - Parameters:
  ///   - center: the position to measure from.
  ///   - count: how many to find, zero or more.
  ///   - maximumDistance: meters, zero or more; closed.
  ///   - allowed: the points to choose from, with this tree's count as capacity; all if nil.
  ///   - area: the area, with its boundary.
  ///   - isOver: asked now and then whether to end the search, whose answer then has no meaning.
  /// - Returns: what ``nearest(to:count:within:where:)`` returns for the points in both; nil if that
  ///   takes longer than to find all of these.
  /// - Complexity: O((k + log n)·log v) expected for k answers of n points and an area of v vertices.
  package func nearest(
    to center: Coordinate,
    count: Int,
    within maximumDistance: Double = .infinity,
    where allowed: BitSet? = nil,
    in area: Area,
    until isOver: @escaping () -> Bool = { false }
  ) -> [Neighbor]? {
    precondition(count >= 0, "The count of neighbors must not be negative.")
    precondition(maximumDistance >= 0, "The maximum distance must be zero or more meters, not NaN.")
    guard count > 0, !isEmpty else { return [] }
    return withUnsafePointer(to: AreaRegion(area, until: isOver)) { region in
      let query = NearestQuery(
        view: view,
        origin: ECEFPoint(center),
        count: Swift.min(count, self.count),
        maximumDistance: maximumDistance,
        area: region
      )
      var probe = NoProbe()
      return search(where: allowed) { query.candidates(where: $0, &probe) }
    }
  }

  /// The nearest points, for any kind of probe.
  func nearest(
    to center: Coordinate,
    _ count: Int,
    _ maximumDistance: Double,
    _ allowed: BitSet?,
    _ probe: inout some SearchProbe
  ) -> [Neighbor] {
    precondition(count >= 0, "The count of neighbors must not be negative.")
    precondition(maximumDistance >= 0, "The maximum distance must be zero or more meters, not NaN.")
    guard count > 0, !isEmpty else { return [] }
    let query = NearestQuery(
      view: view,
      origin: ECEFPoint(center),
      count: Swift.min(count, self.count),
      maximumDistance: maximumDistance
    )
    return search(where: allowed) { filter in
      guard let allowed, let filter else { return query.answer(&probe) }
      return query.answer(where: filter, of: allowed, &probe)
    }
  }

  /// Finds a page of the points around a position: those at ranks of the order (distance, index).
  ///
  /// Returns `nearest(to: center, count: ranks.upperBound, within: radius, where: allowed)` without
  /// its first `ranks.lowerBound` points, and does not measure most of these. The circle is closed.
  ///
  /// ```swift
  /// let second = tree.nearest(to: paris, ranks: 20..<40)
  /// // the second page of twenty
  /// ```
  ///
  /// - Parameters:
  ///   - center: the position to measure from.
  ///   - ranks: which points, 0 being the nearest; ranks beyond the last point are ignored.
  ///   - radius: meters, zero or more.
  ///   - allowed: the points to choose from, with this tree's count as capacity; all if nil.
  /// - Returns: neighbors with their distances in meters, at most `ranks.count`.
  /// - Complexity: O(k + √n) expected for k ranks of n points; with a filter O(h) more for h points
  ///   in the circle.
  public func nearest(
    to center: Coordinate,
    ranks: Range<Int>,
    within radius: Double = .infinity,
    where allowed: BitSet? = nil
  ) -> [Neighbor] {
    nearest(to: center, ranks, radius, allowed)
  }

  /// Counts the points within a distance of a position that come before a neighbor.
  ///
  /// The order is (distance, index); the neighbor need not be a point of the tree.
  ///
  /// - Parameters:
  ///   - neighbor: where to stop counting.
  ///   - center: the position to measure from.
  ///   - radius: meters, zero or more; closed.
  ///   - allowed: the points to count, with this tree's count as capacity; all if nil.
  /// - Returns: the rank that the neighbor has, or would have, among them.
  /// - Complexity: O(√n) expected; with a filter O(h) more for h points in the circle.
  package func rank(
    of neighbor: Neighbor,
    from center: Coordinate,
    within radius: Double = .infinity,
    where allowed: BitSet? = nil
  ) -> Int {
    precondition(neighbor.distance >= 0, "A distance must be zero or more meters, not NaN.")
    precondition(radius >= 0, "The radius must be zero or more meters, not NaN.")
    let isWithin = neighbor.distance <= radius
    let end = isWithin ? neighbor : Neighbor(index: .max, distance: radius)
    return ranked(center, end.distance, allowed) { $0.count(before: end, &$1) }
  }

  /// The points at ranks, by a search for the nearest if the ranks end at `front`: up to there that
  /// is faster, as measured at 3 million points.
  func nearest(
    to center: Coordinate,
    _ ranks: Range<Int>,
    _ radius: Double,
    _ allowed: BitSet?,
    front: Int? = nil
  ) -> [Neighbor] {
    precondition(ranks.lowerBound >= 0, "Ranks must not be negative.")
    precondition(radius >= 0, "The radius must be zero or more meters, not NaN.")
    let ranks = ranks.clamped(to: 0..<(allowed?.count ?? count))
    guard !ranks.isEmpty else { return [] }
    guard ranks.upperBound > front ?? (allowed == nil ? 200 : 5_000) else {
      let front = nearest(to: center, count: ranks.upperBound, within: radius, where: allowed)
      return Array(front.dropFirst(ranks.lowerBound))
    }
    return ranked(center, radius, allowed) { $0.neighbors(ranks, &$1) }
  }

  /// Runs a body with a query by rank.
  private func ranked<Answer>(
    _ center: Coordinate,
    _ radius: Double,
    _ allowed: BitSet?,
    _ body: (RankedQuery, inout NoProbe) -> Answer
  ) -> Answer {
    var probe = NoProbe()
    return search(where: allowed) { filter in
      let origin = ECEFPoint(center)
      let counts = LeafCounts(view, where: filter, within: radius, of: origin)
      return body(RankedQuery(view: view, origin: origin, radius: radius, counts: counts), &probe)
    }
  }
}
