/// The options of a tile.
public struct TileOptions: Sendable, Hashable {
  /// The maximum number of single restaurants in a tile; with more there are clusters.
  public var limit: Int

  /// The keys of each restaurant in addition to `id`; keys that exist only in answers are ignored.
  public var fields: [RestaurantField]

  /// Makes options.
  public init(limit: Int = 2_000, fields: [RestaurantField] = [.name, .category]) {
    self.limit = limit
    self.fields = fields
  }
}

/// A Mapbox Vector Tile 2.1 of restaurants.
public struct VectorTile: Sendable, Hashable {
  /// The bytes of the tile; empty if there is no restaurant in it.
  public let bytes: [UInt8]

  /// The number of restaurants in it.
  public let count: Int
}
