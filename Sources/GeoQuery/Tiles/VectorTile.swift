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

/// A tile of the Web Mercator pyramid (WebMercatorQuad): at zoom z the world is 2^z columns and rows.
public struct TileAddress: Sendable, Hashable {
  /// The greatest zoom.
  public static let maximumZoom = 22

  /// The zoom, 0...22; at 0 one tile is the world.
  public let zoom: Int

  /// The column, from the west.
  public let x: Int

  /// The row, from the north.
  public let y: Int

  /// Makes an address; nil if there is no such tile.
  public init?(zoom: Int, x: Int, y: Int) {
    guard (0...Self.maximumZoom).contains(zoom), (0..<1 << zoom).contains(x),
      (0..<1 << zoom).contains(y)
    else { return nil }
    self.zoom = zoom
    self.x = x
    self.y = y
  }

  /// The prefix of the keys of all cells in the tile.
  var prefix: UInt64 { WebMercator.key(column: UInt64(x), row: UInt64(y)) }
}

/// A layer of the tiles, for their descriptions.
package struct TileLayer {
  /// Its name in the tiles.
  package let name: String

  /// Its contents, in a sentence.
  package let summary: String

  /// The keys of its features, with their types as in TileJSON.
  package let fields: [(name: String, type: String)]

  /// The title of a file of tiles.
  package static let setName = "Restaurants"

  /// The contents of a file of tiles, in a sentence.
  package static let setSummary = "Restaurants, and clusters of them with exact counts."

  /// All layers.
  package static var all: [TileLayer] {
    [
      TileLayer(
        name: "restaurants",
        summary: "Restaurants, one by one.",
        fields: [("id", "String"), ("name", "String"), ("category", "String")]
      ),
      TileLayer(
        name: "clusters",
        summary: "Restaurants that share a cell of a grid of 64 by 64.",
        fields: [
          ("point_count", "Number"), ("point_count_abbreviated", "String"), ("category", "String"),
          ("category_share", "Number"), ("expansion_zoom", "Number"),
        ]
      ),
    ]
  }

  /// The value of `vector_layers` in TileJSON 3.0 (§3.3) and in the metadata of PMTiles.
  package static var vectorLayers: String {
    let layers = all.map { layer in
      let fields = layer.fields.map { "\"\($0.name)\":\"\($0.type)\"" }.joined(separator: ",")
      return
        "{\"id\":\"\(layer.name)\",\"description\":\"\(layer.summary)\",\"fields\":{\(fields)}}"
    }
    return "[\(layers.joined(separator: ","))]"
  }
}
