import GeoIndex

/// The k-d tree over one generation of a store.
///
/// Positions are restaurants in order of id (UTF-8 bytes), so that the tree's order by
/// (distance, position) is the order by (distance, id).
struct StoreIndex: Sendable {
  /// The state of the store that the tree is of.
  let state: StoreState

  let tree: KDTree

  /// The positions that a filter takes, or nil where it takes all.
  func positions(
    matching filter: Filter,
    through reader: StoreReader
  ) throws -> PositionSet? {
    filter.takesAll ? nil : try reader.positions(matching: filter, count: tree.count)
  }
}
