/// How the distances from several points are combined to one number.
public enum GroupCost: String, Sendable, CaseIterable {
  /// The sum of the distances, added in the order of the points.
  case sum
  /// The greatest distance.
  case max

  /// The cost of some distances.
  ///
  /// - Parameter distances: meters, in the order of the points.
  /// - Returns: meters.
  public func callAsFunction(_ distances: some Sequence<Double>) -> Double {
    distances.reduce(0) { self == .sum ? $0 + $1 : Swift.max($0, $1) }
  }
}

extension KDTree {
  /// Finds the points with the least sum or maximum of distances from several positions.
  ///
  /// An aggregate nearest neighbor query (D. Papadias et al., ACM TODS 30, 2005,
  /// doi 10.1145/1071610.1071616), exact on the ellipsoid. Ordered by cost, then by index.
  ///
  /// ```swift
  /// let fair = tree.nearest(toAll: [ann, bob, cleo], by: .max, count: 3)
  /// // fair.first?.distance is the longest of the three distances
  /// ```
  ///
  /// - Parameters:
  ///   - centers: the positions to measure from, one or more.
  ///   - cost: how their distances are combined.
  ///   - count: how many points to find, zero or more; all are returned if there are fewer.
  ///   - allowed: the points to choose from, with this tree's count as capacity; all if nil.
  /// - Returns: neighbors with the cost as their distance, meters.
  /// - Complexity: O(log n + count) expected for each center near the others.
  public func nearest(
    toAll centers: [Coordinate],
    by cost: GroupCost,
    count: Int,
    where allowed: PositionSet? = nil
  ) -> [Neighbor] {
    nearest(toAll: centers, by: cost, count: count, where: allowed) {}
  }

  /// The same; `check` is called now and then, and its error ends the search.
  package func nearest(
    toAll centers: [Coordinate],
    by cost: GroupCost,
    count: Int,
    where allowed: PositionSet?,
    check: () throws -> Void
  ) rethrows -> [Neighbor] {
    precondition(!centers.isEmpty, "A group must have a position.")
    precondition(count >= 0, "The count of neighbors must not be negative.")
    checkCapacity(of: allowed)
    guard count > 0, !isEmpty, allowed?.isEmpty != true else { return [] }
    return try withExtendedLifetime(storage) {
      let byteCount = GroupQuery.byteCount(centers.count)
      return try withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 16) { memory in
        guard let scratch = memory.baseAddress else { return [] }
        var query = GroupQuery(
          view: view,
          origins: centers.map(SurfacePoint.init),
          cost: cost,
          count: min(count, self.count),
          scratch: scratch
        )
        return try query.answer(where: allowed, check)
      }
    }
  }

  /// The positions of the points within a distance of a position, as a set.
  ///
  /// - Parameters:
  ///   - radius: meters, zero or more; closed.
  ///   - center: the position to measure from.
  /// - Returns: a set with this tree's count as capacity.
  /// - Complexity: O(√n + h) expected for h points in the circle; few of their distances are
  ///   computed.
  package func positionSet(within radius: Double, of center: Coordinate) -> PositionSet {
    PositionSet(capacity: count, positions(within: radius, of: center).lazy.map(Int.init))
  }
}
