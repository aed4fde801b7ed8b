/// A tile of the Web Mercator pyramid (WebMercatorQuad): at zoom z the world is 2^z columns and rows.
public struct TileAddress: Sendable, Hashable {
  /// The greatest zoom.
  public static let greatestZoom = 22

  /// The zoom, 0...22; at 0 one tile is the world.
  public let zoom: Int

  /// The column, from the west.
  public let x: Int

  /// The row, from the north.
  public let y: Int

  /// Makes an address; nil if there is no such tile.
  public init?(zoom: Int, x: Int, y: Int) {
    guard (0...Self.greatestZoom).contains(zoom), (0..<1 << zoom).contains(x),
      (0..<1 << zoom).contains(y)
    else { return nil }
    self.zoom = zoom
    self.x = x
    self.y = y
  }

  /// The first bits of the keys of all cells in the tile.
  var prefix: UInt64 { WebMercator.key(column: UInt64(x), row: UInt64(y)) }
}

/// What goes into a tile.
public struct TileOptions: Sendable, Hashable {
  /// How many restaurants a tile shows one by one, at most; with more there are clusters.
  public var limit: Int

  /// The keys of each restaurant besides `id`; those of answers only, such as `distance`, are passed over.
  public var fields: [RestaurantField]

  /// Makes options.
  public init(limit: Int = 2_000, fields: [RestaurantField] = [.name, .category]) {
    self.limit = limit
    self.fields = fields
  }
}

/// A Mapbox Vector Tile 2.1 of restaurants.
public struct VectorTile: Sendable, Hashable {
  /// The tile as it is sent; empty if no restaurant is in it.
  public let bytes: [UInt8]

  /// How many restaurants are in it.
  public let count: Int
}
