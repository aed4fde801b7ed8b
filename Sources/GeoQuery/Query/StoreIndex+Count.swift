import GeoIndex

extension StoreIndex {
  /// How many restaurants a query matches, whatever its limit; without listing them.
  ///
  /// - Returns: The count, and what was done for it if the query asks to be explained.
  func count(
    _ query: Query,
    through reader: StoreReader
  ) throws -> (total: Int, statistics: SearchStatistics?) {
    let allowed = try positions(matching: query.filter, through: reader)
    guard query.isExplained else { return (count(in: query.region, where: allowed), nil) }
    var statistics = SearchStatistics()
    let total = explainedCount(in: query.region, where: allowed, statistics: &statistics)
    return (total, statistics)
  }

  private func count(in region: Query.Region, where allowed: PositionSet?) -> Int {
    switch region {
    case .radius(let radius, let center): tree.count(within: radius, of: center, where: allowed)
    case .box(let box): tree.count(in: box, where: allowed)
    case .nearest(let center, let count, let radius):
      min(count, tree.count(within: radius, of: center, where: allowed))
    case .everywhere: allowed?.count ?? tree.count
    }
  }

  private func explainedCount(
    in region: Query.Region,
    where allowed: PositionSet?,
    statistics: inout SearchStatistics
  ) -> Int {
    switch region {
    case .radius(let radius, let center):
      tree.count(within: radius, of: center, where: allowed, statistics: &statistics)
    case .box(let box): tree.count(in: box, where: allowed, statistics: &statistics)
    case .nearest(let center, let count, let radius):
      min(count, tree.count(within: radius, of: center, where: allowed, statistics: &statistics))
    case .everywhere: allowed?.count ?? tree.count
    }
  }
}
