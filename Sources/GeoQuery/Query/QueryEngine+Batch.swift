package import GeoIndex

extension QueryEngine {
  /// The nearest restaurants of several points, one page for each; the filter is evaluated once.
  ///
  /// - Parameters:
  ///   - centers: The points.
  ///   - count: The maximum number of restaurants per point.
  ///   - maximumDistance: In meters, inclusive.
  ///   - filter: The filter.
  ///   - deadline: The time limit, which is checked before each point.
  ///   - visit: Receives the pages in the order of the points.
  /// - Throws: `QueryTimeout`, and errors of `visit`.
  package func visitNearest(
    to centers: [Coordinate],
    count: Int,
    within maximumDistance: Double = .infinity,
    matching filter: Filter = .all,
    until deadline: Deadline? = nil,
    _ visit: (Page) throws -> Void
  ) throws {
    let allowed = try positions(matching: filter, until: deadline)
    for center in centers {
      try deadline?.check()
      let found = snapshot.tree.nearest(
        to: center,
        count: count,
        within: maximumDistance,
        where: allowed
      )
      try visit(Page(found, of: snapshot))
    }
  }
}
