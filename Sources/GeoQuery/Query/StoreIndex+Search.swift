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

    /// How many there would be without limit and cursor.
    let total: Int

    /// Where the next page begins; nil where no answer is left, and without a limit.
    let next: String?

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
    return try page(of: sorted(hits, by: query.order, through: reader), query, statistics)
  }

  /// The part of the answers that a query's cursor and limit ask for.
  private func page(
    of hits: [Hits.Hit],
    _ query: Query,
    _ statistics: SearchStatistics?
  ) throws -> Hits {
    var start = 0
    if let text = query.cursor {
      start = min(hits.count, try PageCursor(text, of: query, in: state).offset)
    }
    let end = start + min(hits.count - start, query.limit ?? .max)
    return Hits(
      chosen: start == 0 && end == hits.count ? hits : Array(hits[start..<end]),
      total: hits.count,
      next: end < hits.count ? PageCursor(query, state, offset: end).text : nil,
      statistics: statistics
    )
  }

  private func sorted(
    _ hits: [Hits.Hit],
    by order: Order?,
    through reader: StoreReader
  ) throws -> [Hits.Hit] {
    guard let order else { return hits }
    let positions = hits.map(\.position)
    let places =
      switch order.key {
      case .distance: order.sorted(positions, by: hits.map(\.distance))
      case .name: order.sorted(positions, by: try reader.foldedNames(at: positions))
      case .rating: order.sorted(positions, by: try reader.ratingShares(at: positions))
      case .price: order.sorted(positions, by: try reader.prices(at: positions))
      }
    return places.map { hits[$0] }
  }

  private func hits(in region: Query.Region, where allowed: PositionSet?) -> [Hits.Hit] {
    switch region {
    case .nearest(let center, let count, let radius):
      tree.nearest(to: center, count: count, within: radius, where: allowed).map(Hits.Hit.init)
    case .radius(let radius, let center):
      tree.within(radius: radius, of: center, where: allowed).map(Hits.Hit.init)
    case .box(let box): tree.within(box, where: allowed).map(Hits.Hit.init)
    case .everywhere: everything(where: allowed)
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
    case .everywhere: everything(where: allowed)
    }
  }

  /// No place is asked for: the tree is not.
  private func everything(where allowed: PositionSet?) -> [Hits.Hit] {
    let positions = 0..<tree.count
    guard let allowed else { return positions.map(Hits.Hit.init) }
    return positions.lazy.filter(allowed.contains).map(Hits.Hit.init)
  }
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
      statistics: statistics,
      next: next
    )
  }
}
