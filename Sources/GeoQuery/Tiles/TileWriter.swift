import GeoIndex

/// Writes the restaurants and clusters of one tile.
struct TileWriter {
  private let snapshot: Snapshot
  private let address: TileAddress
  private let options: TileOptions

  /// The keys of the layer that are properties of records, with their names, in the order of records.
  private let fields: [(key: Int, name: [UInt8])]

  private var restaurants: VectorTileEncoder.Layer
  private var clusters: VectorTileEncoder.Layer

  init(_ snapshot: Snapshot, _ address: TileAddress, _ options: TileOptions) {
    self.snapshot = snapshot
    self.address = address
    self.options = options
    let fields = options.fields.filter { RestaurantField.stored.contains($0) && $0 != .id }
    self.fields = fields.enumerated().sorted { $0.element.column < $1.element.column }
      .map { ($0.offset + 1, Array($0.element.rawValue.utf8)) }
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
    let walk = StoredJSON(feature)
    guard !fields.isEmpty, let start = walk.value(of: Self.properties, after: 1) else { return }
    var place = start + 1
    for (key, name) in fields {
      guard let value = walk.value(of: name, after: place), let end = walk.end(ofValueAt: value)
      else { continue }
      add(UnsafeRawBufferPointer(rebasing: feature[value..<end]), as: key)
      place = end
    }
  }

  private static let properties = Array("properties".utf8)

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
    if let (entry, count) = cluster.category {
      add(.category, snapshot.categories.names[entry])
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

  /// The number of the most frequent entry of the categories, with its count; nil if none has one.
  let category: (entry: Int, count: Int)?

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
