package import GeoIndex

extension QueryEngine {
  /// The search for the nearest restaurants of many points; the filter is evaluated once, now.
  ///
  /// - Parameters:
  ///   - count: The maximum number of restaurants per point.
  ///   - maximumDistance: In meters, inclusive.
  ///   - filter: The filter.
  ///   - deadline: The time limit of the filter.
  /// - Returns: A function from a point to its page.
  /// - Throws: `QueryTimeout`.
  package func nearest(
    _ count: Int,
    within maximumDistance: Double = .infinity,
    matching filter: Filter = .all,
    until deadline: Deadline? = nil
  ) throws -> @Sendable (Coordinate) -> Page {
    let allowed = try positions(matching: filter, until: deadline)
    return { center in
      let found = snapshot.tree.nearest(
        to: center,
        count: count,
        within: maximumDistance,
        where: allowed
      )
      return Page(found, of: snapshot)
    }
  }
}
