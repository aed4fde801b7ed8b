import GeoIndex

/// The restaurants of a snapshot, each as the bytes of its GeoJSON Feature, ready to send.
///
/// Sections: `records` and `recends` (a `TextTable`), `recsplit` (32 bits each: where an answer's own
/// properties, such as `distance`, go into the Feature).
struct Records: Sendable {
  let features: TextTable

  private let splits: NumberColumn<UInt32>
  private let path: String

  /// A snapshot's records; nil if their sections are not of `count` restaurants.
  init?(of file: SectionFile, count: Int) {
    guard
      let features = TextTable(("records", "recends"), of: file, count: count),
      let splits = NumberColumn<UInt32>("recsplit", of: file, count: count)
    else { return nil }
    self.features = features
    self.splits = splits
    path = file.path
  }

  /// Calls a closure with the text of a Feature, and where its properties after the distance begin.
  func withFeature<Result>(
    at position: Int,
    _ body: (UnsafeRawBufferPointer, Int) -> Result
  ) -> Result {
    features.whileMapped {
      let feature = features[position]
      return body(feature, min(splitOffset(at: position), feature.count))
    }
  }

  /// Where an answer's own properties go into the Feature at a position.
  func splitOffset(at position: Int) -> Int { splits.whileMapped { Int(splits[position]) } }

  /// The restaurant at a position.
  ///
  /// - Throws: `SnapshotError` if the file is damaged.
  func restaurant(at position: Int) throws(SnapshotError) -> Restaurant {
    let bytes = features.whileMapped { Array(features[position]) }
    guard let value = try? JSONValue(parsing: bytes, depth: -3),
      let restaurant = Restaurant(feature: value)
    else {
      throw SnapshotError.unusable(path, because: "its record \(position) is damaged")
    }
    return restaurant
  }
}

extension Snapshot {
  private static let distanceName = Array(",\"distance\":".utf8)
  private static let favorite = Array(",\"favorite\":true".utf8)

  /// Appends the Feature at a position, with the properties of an answer.
  ///
  /// - Parameters:
  ///   - position: In 0..<count.
  ///   - distance: In meters, for answers with a center.
  ///   - isFavorite: Whether the answer marks it as a favorite.
  ///   - bytes: Receives the Feature.
  package func appendFeature(
    at position: Int,
    distance: Double? = nil,
    isFavorite: Bool = false,
    to bytes: inout [UInt8]
  ) {
    records.features.whileMapped {
      let feature = records.features[position]
      // a damaged file may have no record here
      guard !feature.isEmpty else { return bytes.append(contentsOf: "{}".utf8) }
      guard distance != nil || isFavorite else { return bytes.append(raw: feature) }
      let split = min(records.splitOffset(at: position), feature.count)
      bytes.append(raw: UnsafeRawBufferPointer(rebasing: feature[..<split]))
      if let distance {
        bytes.append(contentsOf: Self.distanceName)
        bytes.append(contentsOf: distance.description.utf8)
      }
      if isFavorite { bytes.append(contentsOf: Self.favorite) }
      bytes.append(raw: UnsafeRawBufferPointer(rebasing: feature[split...]))
    }
  }
}

extension Restaurant {
  /// The restaurant of a Feature that geoq has written; nil for another JSON value.
  init?(feature: JSONValue) {
    guard case .string(let id)? = feature[name: "id"],
      case .array(let position)? = feature[name: "geometry"]?[name: "coordinates"],
      position.count == 2, case .number(let east) = position[0],
      case .number(let north) = position[1],
      let coordinate = Double(north).flatMap({ latitude in
        Double(east).flatMap { Coordinate(latitude: latitude, longitude: $0) }
      }),
      case .object(let properties)? = feature[name: "properties"],
      case .string(let name)? = feature[name: "properties"]?[name: "name"],
      case .string(let source)? = feature[name: "properties"]?[name: "source"]
    else { return nil }
    self.init(id: id, name: name, coordinate: coordinate, source: source)
    for property in properties {
      guard let field = RestaurantField(rawValue: property.name) else { continue }
      _ = restore(property.value, of: field)
    }
  }

  /// The restaurant of a packed record; nil if that is damaged.
  package init?(packed record: UnsafeRawBufferPointer) {
    var feature = JSONWriter()
    _ = FeatureWriter.append(record, to: &feature)
    guard let value = try? JSONValue(parsing: feature.bytes, depth: -3) else { return nil }
    self.init(feature: value)
  }
}

/// A packed record as a GeoJSON Feature (RFC 7946 §3.2).
///
/// The same bytes as `JSONWriter.feature` writes. The properties of an answer (`distance`,
/// `favorite`) go where `RestaurantField.distance` is in the order.
enum FeatureWriter {
  private static let id = RestaurantField.id.column
  private static let latitude = RestaurantField.latitude.column
  private static let longitude = RestaurantField.longitude.column
  private static let closed = RestaurantField.closed.column
  private static let extra = RestaurantField.extra.column
  private static let lists = PackedRecord.mask(of: .texts, .object)

  /// The names of the stored fields, as properties after others.
  private static let names = RestaurantField.stored.map { Array(",\"\($0.rawValue)\":".utf8) }

  /// The fields that are properties, and those of them after the distance.
  private static let properties = PackedRecord.mask(
    of: RestaurantField.stored.filter { ![.id, .latitude, .longitude].contains($0) }
  )
  private static let afterDistance = PackedRecord.mask(
    of: RestaurantField.allCases.drop { $0 != .distance }.filter(RestaurantField.stored.contains)
  )

  /// Appends the Feature of a record.
  ///
  /// - Returns: Where an answer's own properties go: an offset from the Feature's start.
  static func append(_ record: UnsafeRawBufferPointer, to json: inout JSONWriter) -> Int {
    let start = json.bytes.count
    json.raw("{\"type\":\"Feature\",\"id\":")
    if let text = PackedRecord.text(id, of: record) { json.string(text) }
    json.raw(",\"geometry\":{\"type\":\"Point\",\"coordinates\":[")
    json.raw((PackedRecord.number(longitude, of: record) ?? 0).description)
    json.raw(",")
    json.raw((PackedRecord.number(latitude, of: record) ?? 0).description)
    json.raw("]},\"properties\":{")
    // read once: each access to a static value checks that there is one
    let (names, lists, reals) = (names, lists, PackedRecord.reals)
    let (properties, afterDistance) = (properties, afterDistance)
    let (closed, extra) = (closed, extra)
    var split: Int?
    var isFirst = true
    PackedRecord.visit(record) { column, value in
      guard properties.hasBit(column) else { return }
      if split == nil, afterDistance.hasBit(column) { split = json.bytes.count - start }
      var list: [UInt8] = []
      if case .text(let text) = value, lists.hasBit(column) {
        guard let valid = validJSON(text, column == extra ? "{" : "[") else { return }
        list = valid
      }
      json.append { $0 += isFirst ? names[column].dropFirst() : names[column][...] }
      isFirst = false
      switch value {
      case .text where !list.isEmpty: json.append { $0 += list }
      case .text(let text): json.string(text)
      case .number where column == closed: json.raw("true")
      case .number(let bits) where reals.hasBit(column):
        json.raw(Double(bitPattern: bits).description)
      case .number(let bits): json.raw(Int64(bitPattern: bits).description)
      }
    }
    let end = json.bytes.count - start
    json.raw("}}")
    return split ?? end
  }

  /// The text as one line of JSON that begins with a bracket; nil if it is something else.
  private static func validJSON(
    _ text: UnsafeRawBufferPointer,
    _ open: Unicode.Scalar
  ) -> [UInt8]? {
    let bytes = Array(text)
    guard bytes.first == UInt8(ascii: open), firstInvalidUTF8(in: bytes) == nil else { return nil }
    var scanner = JSONScanner(bytes)
    guard (try? scanner.skipValue()) != nil, scanner.next == nil else { return nil }
    if bytes.allSatisfy({ $0 >= 0x20 }) { return bytes }
    return (try? JSONValue(parsing: bytes)).map { Array(JSONWriter.of($0).utf8) }
  }
}
