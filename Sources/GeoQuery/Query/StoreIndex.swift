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

  /// The positions that a filter takes, or nil where it takes all.
  func positions(
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
