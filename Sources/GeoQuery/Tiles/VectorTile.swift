/// A Mapbox Vector Tile 2.1 of restaurants.
package struct VectorTile: Sendable, Hashable {
  /// The bytes of the tile; empty if there is no restaurant in it.
  package let bytes: [UInt8]

  /// The number of restaurants in it.
  package let count: Int
}

extension QueryEngine {
  /// A tile of a map, as a Mapbox Vector Tile 2.1.
  ///
  /// Up to `limit` restaurants are features of the layer `restaurants`, with id, name and category. If there are more, those that share a cell of a grid of 64 × 64 become one
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
  ///   - limit: The maximum number of single restaurants; with more there are clusters.
  ///   - deadline: The time limit.
  /// - Returns: The tile, without bytes if no restaurant is in it.
  /// - Throws: `QueryTimeout`.
  /// - Complexity: in addition to the filter's, O(log n + m) for m restaurants in the tile.
  package func tile(
    _ address: TileAddress,
    matching filter: Filter = .all,
    limit: Int = TileLayer.defaultLimit,
    until deadline: Deadline? = nil
  ) throws -> VectorTile {
    let allowed = try positions(matching: filter, until: deadline)
    return try withMembers(allowed, in: address, until: deadline) { members in
      var writer = TileWriter(snapshot, address, limit: limit)
      return try writer.tile(of: members, until: deadline)
    }
  }

  /// The number of restaurants in a tile.
  ///
  /// - Complexity: O(log n).
  package func count(in address: TileAddress) -> Int {
    snapshot.tiles.whileMapped { TileMembers(snapshot.tiles).inside(address).places.count }
  }
}

/// A tile of the Web Mercator pyramid (WebMercatorQuad): at zoom z the world is 2^z columns and rows.
package struct TileAddress: Sendable, Hashable {
  /// The greatest zoom.
  package static let maximumZoom = 22

  /// The zoom, 0...22; at 0 one tile is the world.
  package let zoom: Int

  /// The column, from the west.
  package let x: Int

  /// The row, from the north.
  package let y: Int

  /// Makes an address; nil if there is no such tile.
  package init?(zoom: Int, x: Int, y: Int) {
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
package struct TileLayer: Sendable {
  package let name: String

  /// Its contents, in a sentence.
  package let summary: String

  /// The keys of its features, with their types as in TileJSON.
  package let fields: [(name: String, type: String)]

  /// The maximum number of single restaurants in a tile.
  package static let defaultLimit = 2_000

  /// The title of a file of tiles.
  package static let setName = "Restaurants"

  /// The contents of a file of tiles, in a sentence.
  package static let setSummary = "Restaurants, and clusters of them with exact counts."

  static let restaurants = TileLayer(
    name: "restaurants",
    summary: "Restaurants, one by one.",
    fields: [("id", "String"), ("name", "String"), ("category", "String")]
  )

  static let clusters = TileLayer(
    name: "clusters",
    summary: "Restaurants that share a cell of a grid of 64 by 64.",
    fields: [
      ("point_count", "Number"), ("point_count_abbreviated", "String"), ("category", "String"),
      ("category_share", "Number"), ("expansion_zoom", "Number"),
    ]
  )

  package static let all = [restaurants, clusters]

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

/// Writes a layer of a Mapbox Vector Tile 2.1 (§4.1): protocol buffers, points only.
struct VectorTileLayer {
  /// The width and height of a tile in units.
  static let extent = 4_096

  enum Value {
    case text(UnsafeRawBufferPointer)
    case count(Int)
    case number(Double)
  }

  private let layer: TileLayer
  private var features = ProtocolBuffer()
  /// The distinct values (§4.4), each as its message.
  private var values = TextInterner()
  private var tags = ProtocolBuffer()
  private var feature = ProtocolBuffer()
  private var scratch = ProtocolBuffer()
  private(set) var count = 0

  init(_ layer: TileLayer) {
    self.layer = layer
  }

  /// Adds a property of the next feature.
  mutating func add(_ key: Int, _ value: Value) {
    scratch.bytes.removeAll(keepingCapacity: true)
    scratch.value(value)
    tags.number(UInt64(key))
    tags.number(UInt64(scratch.bytes.withUnsafeBytes { values.number(of: $0).number }))
  }

  /// Adds a property of the next feature that is a text.
  mutating func add(_ key: Int, _ text: String) {
    var text = text
    text.withUTF8 { add(key, .text(UnsafeRawBufferPointer($0))) }
  }

  /// Adds a point, from the west and north edges, with the properties since the last (§4.2, §4.3).
  mutating func addPoint(x: Int, y: Int) {
    feature.bytes.removeAll(keepingCapacity: true)
    feature.field(2, bytes: tags.bytes[...])
    feature.field(3, 1)
    scratch.bytes.removeAll(keepingCapacity: true)
    // one command, MoveTo; its two parameters in zigzag
    scratch.number(1 << 3 | 1)
    scratch.signed(Int64(x))
    scratch.signed(Int64(y))
    feature.field(4, bytes: scratch.bytes[...])
    features.field(2, bytes: feature.bytes[...])
    tags.bytes.removeAll(keepingCapacity: true)
    count += 1
  }

  /// The layer's message.
  private var bytes: [UInt8] {
    var message = ProtocolBuffer()
    message.field(15, 2)
    message.field(1, bytes: Array(layer.name.utf8)[...])
    message.bytes += features.bytes
    for field in layer.fields { message.field(3, bytes: Array(field.name.utf8)[...]) }
    for number in 0..<values.count { message.field(4, bytes: values[number]) }
    message.field(5, UInt64(Self.extent))
    return message.bytes
  }

  /// The tile with these layers, without empty ones.
  static func bytes(of layers: [VectorTileLayer]) -> [UInt8] {
    var tile = ProtocolBuffer()
    for layer in layers where layer.count > 0 { tile.field(3, bytes: layer.bytes[...]) }
    return tile.bytes
  }
}

struct ProtocolBuffer {
  var bytes: [UInt8] = []

  /// Writes a number, seven bits per byte.
  mutating func number(_ number: UInt64) { bytes.append(leb128: number) }

  /// Writes a number in zigzag.
  mutating func signed(_ number: Int64) {
    self.number(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  mutating func field(_ field: UInt64, _ value: UInt64) {
    number(field << 3)
    number(value)
  }

  /// Writes a field that is bytes: a text, a message or packed numbers.
  mutating func field(_ field: UInt64, bytes value: ArraySlice<UInt8>) {
    number(field << 3 | 2)
    number(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  /// Writes the one field of a value.
  mutating func value(_ value: VectorTileLayer.Value) {
    switch value {
    case .text(let text):
      number(1 << 3 | 2)
      number(UInt64(text.count))
      bytes.append(raw: text)
    case .number(let double):
      number(3 << 3 | 1)
      withUnsafeBytes(of: double.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    case .count(let count): field(5, UInt64(count))
    }
  }
}
