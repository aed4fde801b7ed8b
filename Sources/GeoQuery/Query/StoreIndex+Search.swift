import GeoIndex

extension StoreIndex {
  /// What a query finds.
  struct Hits {
    struct Hit {
      let position: Int
      let distance: Double?
    }

    /// The answers, in the query's order and within its limit.
    let chosen: [Hit]

    /// How many there would be without the limit.
    let total: Int

    /// What the search did; nil unless the query asks to be explained.
    let statistics: SearchStatistics?
  }

  /// Runs a query.
  func search(_ query: Query, through reader: StoreReader) throws -> Hits {
    let allowed = try positions(matching: query.filter, through: reader)
    var statistics: SearchStatistics?
    let hits: [Hits.Hit]
    if query.isExplained {
      var counts = SearchStatistics()
      hits = explainedHits(in: query.region, where: allowed, statistics: &counts)
      statistics = counts
    } else {
      hits = self.hits(in: query.region, where: allowed)
    }
    return Hits(
      chosen: query.limit.map { Array(hits.prefix($0)) } ?? hits,
      total: hits.count,
      statistics: statistics
    )
  }

  private func hits(in region: Query.Region, where allowed: PositionSet?) -> [Hits.Hit] {
    switch region {
    case .nearest(let center, let count, let radius):
      tree.nearest(to: center, count: count, within: radius, where: allowed).map(Hits.Hit.init)
    case .radius(let radius, let center):
      tree.within(radius: radius, of: center, where: allowed).map(Hits.Hit.init)
    case .box(let box): tree.within(box, where: allowed).map(Hits.Hit.init)
    case .everywhere: preconditionFailure(Self.everythingNeedsNoIndex)
    }
  }

  private func explainedHits(
    in region: Query.Region,
    where allowed: PositionSet?,
    statistics: inout SearchStatistics
  ) -> [Hits.Hit] {
    switch region {
    case .nearest(let center, let count, let radius):
      tree.nearest(
        to: center,
        count: count,
        within: radius,
        where: allowed,
        statistics: &statistics
      ).map(Hits.Hit.init)
    case .radius(let radius, let center):
      tree.within(radius: radius, of: center, where: allowed, statistics: &statistics)
        .map(Hits.Hit.init)
    case .box(let box):
      tree.within(box, where: allowed, statistics: &statistics).map(Hits.Hit.init)
    case .everywhere: preconditionFailure(Self.everythingNeedsNoIndex)
    }
  }

  private static let everythingNeedsNoIndex =
    "A query for everything needs no index; Everything answers it."
}

extension StoreIndex.Hits.Hit {
  init(_ neighbor: Neighbor) {
    self.init(position: neighbor.index, distance: neighbor.distance)
  }

  init(_ position: Int) {
    self.init(position: position, distance: nil)
  }
}

extension StoreIndex.Hits {
  /// What is known of the answer before its first restaurant is fetched.
  func summary(of query: Query, in index: StoreIndex) -> AnswerSummary {
    AnswerSummary(
      count: chosen.count,
      total: total,
      extent: BoundingBox(enclosing: chosen.lazy.map { index.tree[$0.position] }),
      hasDistance: query.center != nil,
      statistics: statistics
    )
  }
}
