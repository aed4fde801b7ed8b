import GeoIndex

/// The k-d tree over one generation of a store.
///
/// Positions are restaurants in order of id (UTF-8 bytes), so that the tree's order by
/// (distance, position) is the order by (distance, id).
struct StoreIndex: Sendable {
  let generation: Int
  let rows: [Int64]
  let tree: KDTree

  init(_ reader: StoreReader, generation: Int) throws {
    let points = try reader.points()
    self.generation = generation
    rows = points.rows
    tree = KDTree(points.coordinates)
  }

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
  }

  /// Runs a query.
  func search(_ query: Query, through reader: StoreReader) throws -> Hits {
    let allowed = try positions(matching: query.filter, through: reader)
    let hits: [Hits.Hit]
    switch query.region {
    case .nearest(let center, let count, let radius):
      hits = tree.nearest(to: center, count: count, within: radius, where: allowed).map(Self.hit)
    case .radius(let radius, let center):
      hits = tree.within(radius: radius, of: center, where: allowed).map(Self.hit)
    case .box(let box):
      hits = tree.within(box, where: allowed).map { Hits.Hit(position: $0, distance: nil) }
    case .everywhere:
      preconditionFailure("A query for everything needs no index; Everything answers it.")
    }
    guard let limit = query.limit else { return Hits(chosen: hits, total: hits.count) }
    return Hits(chosen: Array(hits.prefix(limit)), total: hits.count)
  }

  /// How many restaurants a query matches, whatever its limit; without listing them.
  func count(_ query: Query, through reader: StoreReader) throws -> Int {
    let allowed = try positions(matching: query.filter, through: reader)
    switch query.region {
    case .radius(let radius, let center):
      return tree.count(within: radius, of: center, where: allowed)
    case .box(let box): return tree.count(in: box, where: allowed)
    case .nearest(let center, let count, let radius):
      return min(count, tree.count(within: radius, of: center, where: allowed))
    case .everywhere: return allowed?.count ?? rows.count
    }
  }

  private static func hit(_ neighbor: Neighbor) -> Hits.Hit {
    Hits.Hit(position: neighbor.index, distance: neighbor.distance)
  }

  /// The positions that a filter takes, or nil where it takes all.
  private func positions(
    matching filter: Filter,
    through reader: StoreReader
  ) throws -> PositionSet? {
    guard let compiled = CompiledFilter(filter) else { return nil }
    var allowed = PositionSet(capacity: rows.count)
    var position = 0
    try reader.eachPlace { _, texts in
      if compiled.matches(texts) { allowed.insert(position) }
      position += 1
    }
    return allowed
  }
}

extension StoreIndex.Hits {
  /// What is known of the answer before its first restaurant is fetched.
  func summary(of query: Query, in index: StoreIndex) -> AnswerSummary {
    AnswerSummary(
      count: chosen.count,
      total: total,
      extent: BoundingBox(enclosing: chosen.lazy.map { index.tree[$0.position] }),
      hasDistance: query.center != nil
    )
  }
}
