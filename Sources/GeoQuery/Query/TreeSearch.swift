import GeoIndex

/// The searches of a query in the tree.
extension KDTree {
  /// The restaurants that a query matches, in its order; `nearest` if these are known.
  func ranking(
    _ query: Query,
    _ allowed: BitSet?,
    _ keys: OrderKeys?,
    nearest known: [Neighbor]? = nil
  ) throws(QueryTimeout) -> Ranking {
    // by distance, nearest first, is the order that the tree gives
    let isByDistance = query.effectiveOrder == Order(by: .distance)
    switch query.region {
    case .everywhere: return ranking(of: allowed, keys)
    case .box(let box):
      if count(in: box) == count { return ranking(of: allowed, keys) }
      let found = within(box, where: allowed)
      return keys.map { ordered(.some(found.map { UInt32($0) }), $0) } ?? .list(found)
    case .nearest(let center, let count, let radius):
      let isLimited = allowed == nil && !query.isExplained
      let found =
        if let known {
          known as [Neighbor]?
        } else if let steps = query.maximumSteps, isLimited {
          nearest(to: center, count: count, within: radius, steps: steps)
        } else {
          nearest(to: center, count: count, within: radius, where: allowed) as [Neighbor]?
        }
      guard let found else { throw QueryTimeout() }
      guard let keys, !isByDistance else { return .neighbors(found) }
      return ordered(.some(found.map { UInt32($0.index) }), keys, center)
    case .radius(let radius, let center):
      let isFarthestFirst = query.effectiveOrder == Order(by: .distance, descending: true)
      let countInCircle = count(within: radius, of: center)
      let isWhole = countInCircle == count
      guard let keys, !isByDistance, !isFarthestFirst else {
        return .disc(
          Ranking.Disc(
            tree: self,
            center: center,
            radius: radius,
            allowed: allowed,
            isFarthestFirst: isFarthestFirst,
            count: allowed.map {
              isWhole ? $0.count : count(within: radius, of: center, where: $0)
            } ?? countInCircle
          )
        )
      }
      // of a circle around all only the distances on the page are computed
      if isWhole { return ranking(of: allowed, keys, center) }
      let found = positions(within: radius, of: center, where: allowed)
      return ordered(.some(found), keys, center)
    }
  }

  private func ranking(
    of allowed: BitSet?,
    _ keys: OrderKeys?,
    _ center: Coordinate? = nil
  ) -> Ranking {
    guard let keys else { return allowed.map(Ranking.set) ?? .all(count: count) }
    guard let allowed else { return ordered(.range(0..<count), keys, center) }
    return ordered(.some(allowed.positions(ranks: 0..<allowed.count)), keys, center)
  }

  private func ordered(
    _ members: OrderedPositions.Members,
    _ keys: OrderKeys,
    _ center: Coordinate? = nil
  ) -> Ranking {
    .ordered(
      OrderedPositions(members: members, keys: keys.keys, center: center.map { ($0, self) })
    )
  }

  func count(_ region: Query.Region, _ allowed: BitSet?) -> Int {
    switch region {
    case .everywhere: allowed?.count ?? count
    case .radius(let radius, let center): count(within: radius, of: center, where: allowed)
    case .nearest(let center, let count, let radius):
      Swift.min(count, self.count(within: radius, of: center, where: allowed))
    case .box(let box): count(in: box, where: allowed)
    }
  }

  /// What a search for the restaurants of a region takes, or for their number.
  func statistics(of region: Query.Region, _ allowed: BitSet?, isCount: Bool) -> SearchStatistics {
    var counts = SearchStatistics()
    switch (region, isCount) {
    case (.everywhere, _): break
    case (.box(let box), true): _ = count(in: box, where: allowed, statistics: &counts)
    case (.box(let box), false): _ = within(box, where: allowed, statistics: &counts)
    case (.radius(let radius, let center), true), (.nearest(let center, _, let radius), true):
      _ = count(within: radius, of: center, where: allowed, statistics: &counts)
    case (.radius(let radius, let center), false):
      _ = within(radius: radius, of: center, where: allowed, statistics: &counts)
    case (.nearest(let center, let count, let radius), false):
      _ = nearest(to: center, count: count, within: radius, where: allowed, statistics: &counts)
    }
    return counts
  }
}
