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
    if let allowed, allowed.count <= snapshot.count / Self.treeShare {
      let members = allowed.positions(ranks: 0..<allowed.count).map(Int.init)
      let tree = KDTree(members.map { snapshot.tree[$0] })
      return { center in
        let found = tree.nearest(to: center, count: count, within: maximumDistance)
        let known = found.map { Neighbor(index: members[$0.index], distance: $0.distance) }
        return Page(known, of: snapshot)
      }
    }
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

  /// The number of restaurants for each match from which the matches get a tree of their own.
  ///
  /// It is made in 1 ms at a million; a search for rare matches among all takes longer for one point.
  private static let treeShare = 64
}
