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
    where allowed: PositionSet? = nil
  ) -> [Neighbor] {
    var probe = NoProbe()
    return nearest(to: center, count, maximumDistance, allowed, &probe)
  }

  /// Finds the points nearest to a position, and counts what that took.
  ///
  /// - Parameters:
  ///   - center: the position to measure from.
  ///   - count: how many to find, zero or more.
  ///   - maximumDistance: meters, zero or more; closed.
  ///   - allowed: the points to choose from, with this tree's count as capacity; all if nil.
  ///   - statistics: what the search did is added to it.
  /// - Returns: what ``nearest(to:count:within:where:)`` returns.
  /// - Complexity: that of ``nearest(to:count:within:where:)``.
  public func nearest(
    to center: Coordinate,
    count: Int,
    within maximumDistance: Double = .infinity,
    where allowed: PositionSet? = nil,
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

  /// The nearest points, for any kind of probe.
  @inline(__always)
  func nearest(
    to center: Coordinate,
    _ count: Int,
    _ maximumDistance: Double,
    _ allowed: PositionSet?,
    _ probe: inout some SearchProbe
  ) -> [Neighbor] {
    precondition(count >= 0, "The count of neighbors must not be negative.")
    precondition(maximumDistance >= 0, "The maximum distance must be zero or more meters, not NaN.")
    checkCapacity(of: allowed)
    guard count > 0, !isEmpty else { return [] }
    let query = NearestQuery(
      view: view,
      origin: SurfacePoint(center),
      count: min(count, self.count),
      maximumDistance: maximumDistance
    )
    return withExtendedLifetime(storage) {
      guard let allowed else { return query.answer(&probe) }
      return query.answer(where: allowed, &probe)
    }
  }
}
