extension QueryEngine {
  /// A tile of a map, as a Mapbox Vector Tile 2.1.
  ///
  /// Up to `options.limit` restaurants are features of the layer `restaurants`, with their id and
  /// the chosen keys. If there are more, those that share a cell of a grid of 64 × 64 become one
  /// feature of the layer `clusters`, at their mean position, with `point_count`,
  /// `point_count_abbreviated`, `category` (that most of them have), `category_share` (of all of
  /// them) and `expansion_zoom`, the least zoom that shows them apart. A restaurant that is alone
  /// in its cell is not changed.
  ///
  /// Each restaurant counts in exactly one tile and one cell of a zoom: the counts of all tiles of
  /// a zoom add up to the number of restaurants that match the filter. A longitude of 180 counts as
  /// -180; points beyond latitude ±85.0511 count in the outermost row and are drawn at its edge.
  ///
  /// ```swift
  /// if let address = TileAddress(zoom: 14, x: 3786, y: 6607) {
  ///   let tile = try engine.tile(address, matching: Filter(categories: ["Thai"]))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - address: The tile.
  ///   - filter: The filter.
  ///   - options: The maximum number of single restaurants, and their keys.
  ///   - deadline: The time limit.
  /// - Returns: The tile, without bytes if no restaurant is in it.
  /// - Throws: `QueryTimeout`.
  /// - Complexity: in addition to the filter's, O(log n + m) for m restaurants in the tile.
  public func tile(
    _ address: TileAddress,
    matching filter: Filter = .all,
    options: TileOptions = TileOptions(),
    until deadline: Deadline? = nil
  ) throws -> VectorTile {
    let allowed = try positions(matching: filter, until: deadline)
    return try TileSearch(snapshot, address, options).tile(allowed, until: deadline)
  }

  /// The number of restaurants in a tile.
  ///
  /// - Complexity: O(log n).
  package func count(in address: TileAddress) -> Int {
    TileSearch(snapshot, address, TileOptions()).count
  }
}
