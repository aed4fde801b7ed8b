import GeoIndex

/// Writes the restaurants and clusters of one tile.
struct TileWriter {
  private let snapshot: Snapshot
  private let address: TileAddress
  private let options: TileOptions
  private let fields: [[UInt8]]
  private var restaurants: VectorTileEncoder.Layer
  private var clusters: VectorTileEncoder.Layer

  init(_ snapshot: Snapshot, _ address: TileAddress, _ options: TileOptions) {
    self.snapshot = snapshot
    self.address = address
    self.options = options
    let fields = options.fields.filter { RestaurantField.stored.contains($0) && $0 != .id }
    self.fields = fields.map { Array($0.rawValue.utf8) }
    restaurants = VectorTileEncoder.Layer("restaurants", keys: ["id"] + fields.map(\.rawValue))
    clusters = VectorTileEncoder.Layer("clusters", keys: ClusterKey.allCases.map(\.rawValue))
  }

  /// The tile's bytes; empty without features.
  var bytes: [UInt8] { VectorTileEncoder.bytes(of: [restaurants, clusters]) }

  /// Adds restaurants by their positions in the snapshot.
  ///
  /// They lie far apart in the file. Some are looked up together, and a byte of each record is read
  /// before any is written, so that the waits for memory overlap: a full tile takes a quarter less time.
  mutating func addRestaurants(_ positions: UnsafeBufferPointer<UInt32>) {
    let (ids, features, tree) = (snapshot.ids, snapshot.records.features, snapshot.tree)
    for start in stride(from: 0, to: positions.count, by: Self.batchLength) {
      let batch = positions[start..<min(start + Self.batchLength, positions.count)]
      ids.whileMapped {
        features.whileMapped {
          let found = batch.map { position in
            // a damaged file may contain any number
            let position = min(Int(position), tree.count - 1)
            return FoundRestaurant(
              id: ids[position],
              feature: features[position],
              coordinate: tree[position]
            )
          }
          let areWhole = found.map { $0.feature.first == UInt8(ascii: "{") }
          for (restaurant, isWhole) in zip(found, areWhole) { add(restaurant, isWhole: isWhole) }
        }
      }
    }
  }

  private static let batchLength = 64

  /// What a tile shows of a restaurant; valid while the snapshot is mapped.
  private struct FoundRestaurant {
    let id: UnsafeRawBufferPointer
    let feature: UnsafeRawBufferPointer
    let coordinate: Coordinate
  }

  private mutating func add(_ restaurant: FoundRestaurant, isWhole: Bool) {
    restaurants.add(0, .text(restaurant.id))
    if isWhole { addProperties(of: restaurant.feature) }
    let place = WebMercator.place(of: restaurant.coordinate)
    restaurants.addPoint(
      x: unit(place.x, from: address.x),
      y: unit(place.y, from: address.y)
    )
  }

  private mutating func addProperties(of feature: UnsafeRawBufferPointer) {
    guard !fields.isEmpty, var properties = FeatureProperties(feature) else { return }
    var rest = fields.count
    while rest > 0, let (name, text) = properties.next() {
      guard let field = fields.firstIndex(where: { $0.withUnsafeBytes { compare($0, name) == 0 } })
      else { continue }
      rest -= 1
      add(text, as: field + 1)
    }
  }

  /// Adds a JSON value: texts, numbers and booleans with their types, lists and objects as JSON.
  private mutating func add(_ json: UnsafeRawBufferPointer, as key: Int) {
    switch json[0] {
    case UInt8(ascii: "\""):
      guard json.contains(UInt8(ascii: "\\")) else {
        let end = max(1, json.count - 1)
        return restaurants.add(key, .text(UnsafeRawBufferPointer(rebasing: json[1..<end])))
      }
      var scanner = JSONScanner(Array(json))
      guard var text = try? scanner.readString() else { return }
      text.withUTF8 { restaurants.add(key, .text(UnsafeRawBufferPointer($0))) }
    case UInt8(ascii: "t"): restaurants.add(key, .flag(true))
    case UInt8(ascii: "f"): restaurants.add(key, .flag(false))
    case UInt8(ascii: "["), UInt8(ascii: "{"): restaurants.add(key, .text(json))
    default:
      let token = String(decoding: json, as: UTF8.self)
      if let integer = Int64(token) {
        restaurants.add(key, .integer(integer))
      } else if let number = Double(token) {
        restaurants.add(key, .number(number))
      }
    }
  }

  /// Adds a cluster.
  mutating func addCluster(_ cluster: TileCluster) {
    add(.pointCount, .integer(Int64(cluster.count)))
    add(.pointCountAbbreviated, TileCluster.abbreviated(cluster.count))
    if let (code, count) = cluster.category {
      let texts = snapshot.columns.codes[.category]?.texts
      texts?.whileMapped {
        guard let texts, code < texts.count else { return }
        add(.category, .text(texts[code]))
      }
      add(.categoryShare, .number(Double(count) / Double(cluster.count)))
    }
    add(.expansionZoom, .integer(Int64(cluster.expansionZoom)))
    let side = Double(1 << WebMercator.depth)
    clusters.addPoint(
      x: unit(cluster.column / side, from: address.x),
      y: unit(cluster.row / side, from: address.y)
    )
  }

  private mutating func add(_ key: ClusterKey, _ value: VectorTileEncoder.Value) {
    guard let index = ClusterKey.allCases.firstIndex(of: key) else { return }
    clusters.add(index, value)
  }

  private mutating func add(_ key: ClusterKey, _ text: String) {
    var text = text
    text.withUTF8 { add(key, .text(UnsafeRawBufferPointer($0))) }
  }

  /// A coordinate as units from the tile's edge, rounded and clamped to the tile.
  private func unit(_ place: Double, from tile: Int) -> Int {
    let extent = VectorTileEncoder.extent
    let units = place * Double(extent << address.zoom) - Double(extent * tile)
    return Int(min(max(units.rounded(), 0), Double(extent)))
  }
}

/// The keys of a cluster's properties.
enum ClusterKey: String, CaseIterable {
  case pointCount = "point_count"
  case pointCountAbbreviated = "point_count_abbreviated"
  case category
  case categoryShare = "category_share"
  case expansionZoom = "expansion_zoom"
}

/// Restaurants of one cell that are shown as one feature.
struct TileCluster {
  /// The number of restaurants.
  let count: Int

  /// Their mean column and row, in cells of the greatest depth.
  let column: Double
  let row: Double

  /// The number of the most frequent category, with its count; nil if none has a category.
  let category: (code: Int, count: Int)?

  /// The least zoom at which they are shown separately; the greatest zoom if there is none.
  let expansionZoom: Int

  /// A count in at most four characters: 999, 1.2k, 12k, 1.2M.
  static func abbreviated(_ count: Int) -> String {
    if count < 1_000 { return "\(count)" }
    let (unit, letter) = count < 999_500 ? (1_000, "k") : (1_000_000, "M")
    let tenths = (count * 10 + unit / 2) / unit
    if tenths >= 100 { return "\((count + unit / 2) / unit)\(letter)" }
    return tenths % 10 == 0 ? "\(tenths / 10)\(letter)" : "\(tenths / 10).\(tenths % 10)\(letter)"
  }
}

/// Reads single properties of a Feature that `FeatureWriter` has written, without building anything else.
///
/// Such a text has no blanks between its tokens. A damaged text may give any values.
struct FeatureProperties {
  private let bytes: UnsafeRawBufferPointer
  private var offset: Int

  private static let mark = Array("},\"properties\":{".utf8)

  /// Starts before the first property; nil if the text has no properties.
  init?(_ feature: UnsafeRawBufferPointer) {
    // quotes in an id are escaped, so the mark cannot be in it
    guard let start = feature.firstOffset(of: Self.mark) else { return nil }
    bytes = feature
    offset = start + Self.mark.count
  }

  /// The next property: its name without quotes, and its value as written; nil after the last.
  mutating func next() -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    if byte == UInt8(ascii: ",") { offset += 1 }
    guard byte == UInt8(ascii: "\"") else { return nil }
    let name = token()
    guard name.count >= 2, byte == UInt8(ascii: ":") else { return nil }
    offset += 1
    let value = token()
    guard !value.isEmpty else { return nil }
    return (UnsafeRawBufferPointer(rebasing: name[1..<name.count - 1]), value)
  }

  private var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// Skips a value: to the next comma, colon or bracket outside it.
  private mutating func token() -> UnsafeRawBufferPointer {
    let start = offset
    var depth = 0
    scan: while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "\""): skipString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        offset += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { break scan }
        depth -= 1
        offset += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        if depth == 0 { break scan }
        offset += 1
      default: offset += 1
      }
    }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
  }

  private mutating func skipString() {
    offset += 1
    while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
      offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
    }
    offset = min(offset + 1, bytes.count)
  }
}

/// Writes a Mapbox Vector Tile 2.1: protocol buffers, points only.
struct VectorTileEncoder {
  /// The width and height of a tile in units.
  static let extent = 4_096

  /// A value of a property.
  enum Value {
    case text(UnsafeRawBufferPointer)
    case integer(Int64)
    case number(Double)
    case flag(Bool)
  }

  /// A layer (§4.1).
  struct Layer {
    private let name: String
    private let keys: [String]
    private var features = ProtocolBuffer()
    /// The distinct values (§4.4), each as its message.
    private var values = TextInterner()
    private var tags = ProtocolBuffer()
    private var feature = ProtocolBuffer()
    private var scratch = ProtocolBuffer()

    /// The number of features.
    private(set) var count = 0

    /// - Parameters:
    ///   - name: Its name.
    ///   - keys: All keys that its features may have.
    init(_ name: String, keys: [String]) {
      self.name = name
      self.keys = keys
    }

    /// Adds a property of the next feature.
    mutating func add(_ key: Int, _ value: Value) {
      scratch.bytes.removeAll(keepingCapacity: true)
      scratch.value(value)
      tags.number(UInt64(key))
      tags.number(UInt64(scratch.bytes.withUnsafeBytes { values.number(of: $0).number }))
    }

    /// Adds a point with the properties since the last one (§4.2, §4.3).
    ///
    /// - Parameters:
    ///   - x: Units from the tile's west edge.
    ///   - y: Units from its north edge.
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
    fileprivate var bytes: [UInt8] {
      var layer = ProtocolBuffer()
      layer.field(15, 2)
      layer.field(1, bytes: Array(name.utf8)[...])
      layer.bytes += features.bytes
      for key in keys { layer.field(3, bytes: Array(key.utf8)[...]) }
      for number in 0..<values.count { layer.field(4, bytes: values[number]) }
      layer.field(5, UInt64(VectorTileEncoder.extent))
      return layer.bytes
    }
  }

  /// The tile with these layers, without empty ones.
  static func bytes(of layers: [Layer]) -> [UInt8] {
    var tile = ProtocolBuffer()
    for layer in layers where layer.count > 0 { tile.field(3, bytes: layer.bytes[...]) }
    return tile.bytes
  }
}

/// Writes protocol buffers.
struct ProtocolBuffer {
  var bytes: [UInt8] = []

  /// Writes a number, seven bits per byte.
  mutating func number(_ number: UInt64) {
    var rest = number
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Writes a number in zigzag.
  mutating func signed(_ number: Int64) {
    self.number(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  /// Writes a field that is a number.
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
  mutating func value(_ value: VectorTileEncoder.Value) {
    switch value {
    case .text(let text):
      number(1 << 3 | 2)
      number(UInt64(text.count))
      bytes.append(raw: text)
    case .number(let double):
      number(3 << 3 | 1)
      withUnsafeBytes(of: double.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    case .integer(let integer) where integer >= 0: field(5, UInt64(integer))
    case .integer(let integer):
      number(6 << 3)
      signed(integer)
    case .flag(let flag): field(7, flag ? 1 : 0)
    }
  }
}
