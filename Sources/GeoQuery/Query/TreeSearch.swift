import GeoIndex

/// The searches of a query in the tree, with or without statistics.
struct TreeSearch {
  private let tree: KDTree

  /// The index statistics; nil unless the query asks for them.
  private(set) var statistics: SearchStatistics?

  /// The maximum number of nodes and leaves to look into for the nearest without a filter.
  private let maximumSteps: Int?

  init(_ tree: KDTree, explained: Bool, maximumSteps: Int? = nil) {
    self.tree = tree
    self.maximumSteps = maximumSteps
    statistics = explained ? SearchStatistics() : nil
  }

  /// The restaurants that a query matches, in its order.
  mutating func ranking(
    _ query: Query,
    _ allowed: BitSet?,
    _ keys: OrderKeys?
  ) throws(QueryTimeout) -> Ranking {
    // by distance, nearest first, is the order that the tree gives
    let isByDistance = query.effectiveOrder == Order(by: .distance)
    switch query.region {
    case .everywhere: return ranking(of: allowed, keys)
    case .box(let box):
      if statistics == nil, tree.count(in: box) == tree.count { return ranking(of: allowed, keys) }
      let found = explained(
        { $0.within(box, where: allowed, statistics: &$1) },
        plain: { $0.within(box, where: allowed) }
      )
      return keys.map { ordered(.some(found.map { UInt32($0) }), $0) } ?? .list(found)
    case .nearest(let center, let count, let radius):
      let found = try nearest(center, count, radius, allowed)
      guard let keys, !isByDistance else { return .neighbors(found) }
      return ordered(.some(found.map { UInt32($0.index) }), keys, center)
    case .radius(let radius, let center):
      let isFarthestFirst = query.effectiveOrder == Order(by: .distance, descending: true)
      if isByDistance || isFarthestFirst || keys == nil, statistics == nil {
        return .disc(
          Ranking.Disc(
            tree: tree,
            center: center,
            radius: radius,
            allowed: allowed,
            isFarthestFirst: isFarthestFirst,
            count: tree.count(within: radius, of: center, where: allowed)
          )
        )
      }
      if let keys, statistics == nil {
        // only distances on the page are computed
        if allowed == nil, tree.count(within: radius, of: center) == tree.count {
          return ordered(.range(0..<tree.count), keys, center)
        }
        let found = tree.positions(within: radius, of: center, where: allowed)
        return ordered(.some(found), keys, center)
      }
      let found = explained(
        { $0.within(radius: radius, of: center, where: allowed, statistics: &$1) },
        plain: { $0.within(radius: radius, of: center, where: allowed) }
      )
      guard let keys, !isByDistance else { return .neighbors(found) }
      return ordered(.some(found.map { UInt32($0.index) }), keys, center)
    }
  }

  private func ranking(of allowed: BitSet?, _ keys: OrderKeys?) -> Ranking {
    guard let keys else { return allowed.map(Ranking.set) ?? .all(count: tree.count) }
    guard let allowed else { return ordered(.range(0..<tree.count), keys) }
    return ordered(.some(allowed.positions(ranks: 0..<allowed.count)), keys)
  }

  private func ordered(
    _ members: OrderedPositions.Members,
    _ keys: OrderKeys,
    _ center: Coordinate? = nil
  ) -> Ranking {
    .ordered(
      OrderedPositions(members: members, key: keys.key, center: center.map { ($0, tree) })
    )
  }

  /// The number of restaurants in a region.
  mutating func count(_ region: Query.Region, _ allowed: BitSet?) -> Int {
    switch region {
    case .everywhere: allowed?.count ?? tree.count
    case .radius(let radius, let center): count(radius, center, allowed)
    case .nearest(let center, let count, let radius):
      min(count, self.count(radius, center, allowed))
    case .box(let box):
      explained(
        { $0.count(in: box, where: allowed, statistics: &$1) },
        plain: { $0.count(in: box, where: allowed) }
      )
    }
  }

  private mutating func count(
    _ radius: Double,
    _ center: Coordinate,
    _ allowed: BitSet?
  ) -> Int {
    explained(
      { $0.count(within: radius, of: center, where: allowed, statistics: &$1) },
      plain: { $0.count(within: radius, of: center, where: allowed) }
    )
  }

  private mutating func nearest(
    _ center: Coordinate,
    _ count: Int,
    _ radius: Double,
    _ allowed: BitSet?
  ) throws(QueryTimeout) -> [Neighbor] {
    if let maximumSteps, allowed == nil, statistics == nil {
      let found = tree.nearest(to: center, count: count, within: radius, steps: maximumSteps)
      guard let found else { throw QueryTimeout() }
      return found
    }
    return explained(
      {
        $0.nearest(to: center, count: count, within: radius, where: allowed, statistics: &$1)
      },
      plain: { $0.nearest(to: center, count: count, within: radius, where: allowed) }
    )
  }

  /// Runs a search with statistics if the query asks for them, otherwise without.
  private mutating func explained<Answer>(
    _ search: (KDTree, inout SearchStatistics) -> Answer,
    plain: (KDTree) -> Answer
  ) -> Answer {
    guard var counts = statistics else { return plain(tree) }
    defer { statistics = counts }
    return search(tree, &counts)
  }
}
