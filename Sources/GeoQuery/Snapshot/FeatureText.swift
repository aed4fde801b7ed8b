/// A packed record as a GeoJSON Feature (RFC 7946 §3.2).
///
/// The same bytes as `GeoJSONWriter` writes of the restaurant. What an answer adds (`distance`,
/// `favorite`) goes in between the properties before `RestaurantField.distance` and those behind it.
enum FeatureText {
  /// Appends the Feature of a record.
  ///
  /// - Returns: Where an answer's own properties go: an offset from the Feature's start.
  static func append(_ record: UnsafeRawBufferPointer, to bytes: inout [UInt8]) -> Int {
    let start = bytes.count
    var json = JSONText(bytes)
    bytes = []
    var position = (latitude: 0.0, longitude: 0.0)
    var split: Int?
    json.raw("{\"type\":\"Feature\",\"id\":")
    var isFirst = true
    PackedRecord.visit(record) { column, value in
      switch (column, value) {
      case (idColumn, .text(let id)): json.string(id)
      case (latitudeColumn, .number(let bits)): position.latitude = Double(bitPattern: bits)
      case (longitudeColumn, .number(let bits)):
        position.longitude = Double(bitPattern: bits)
      default: break
      }
    }
    json.raw(
      ",\"geometry\":{\"type\":\"Point\",\"coordinates\":"
        + "[\(position.longitude),\(position.latitude)]},\"properties\":{"
    )
    PackedRecord.visit(record) { column, value in
      if column == idColumn || column == latitudeColumn || column == longitudeColumn { return }
      if column > longitudeColumn, split == nil, isBehindDistance[column] {
        split = json.bytes.count - start
      }
      append(column, value, to: &json, &isFirst)
    }
    let end = json.bytes.count - start
    json.raw("}}")
    bytes = json.takeAll()
    return split ?? end
  }

  private static func append(
    _ column: Int,
    _ value: PackedRecord.Value,
    to json: inout JSONText,
    _ isFirst: inout Bool
  ) {
    switch value {
    case .text(let text) where isJSON[column]:
      let open = column == extraColumn ? UInt8(ascii: "{") : UInt8(ascii: "[")
      guard let valid = validJSON(text, open) else { return }
      json.rawBytes(isFirst ? firstNames[column] : names[column])
      json.rawBytes(valid)
    case .text(let text):
      json.rawBytes(isFirst ? firstNames[column] : names[column])
      json.string(text)
    case .number(let bits):
      json.rawBytes(isFirst ? firstNames[column] : names[column])
      if column == closedColumn {
        json.raw("true")
      } else if PackedRecord.isReal[column] {
        json.raw(Double(bitPattern: bits).description)
      } else {
        json.raw(Int64(bitPattern: bits).description)
      }
    }
    isFirst = false
  }

  /// The text as one line of JSON that begins with a bracket; nil if another program has written
  /// something else there.
  private static func validJSON(_ text: UnsafeRawBufferPointer, _ open: UInt8) -> [UInt8]? {
    let bytes = Array(text)
    guard bytes.first == open, firstInvalidUTF8(in: bytes) == nil else { return nil }
    var scanner = JSONScanner(bytes)
    guard (try? scanner.skipValue()) != nil, scanner.next == nil else { return nil }
    if bytes.allSatisfy({ $0 >= 0x20 }) { return bytes }
    return (try? JSONValue(parsing: bytes)).map { Array(JSONText.of($0).utf8) }
  }

  private static let idColumn = RestaurantField.id.column
  private static let latitudeColumn = RestaurantField.latitude.column
  private static let longitudeColumn = RestaurantField.longitude.column
  private static let extraColumn = RestaurantField.extra.column
  private static let closedColumn = RestaurantField.closed.column
  private static let isJSON = RestaurantField.stored.map { $0 == .formattedAddress || $0 == .extra }
  private static let names = RestaurantField.stored.map { Array(",\"\($0.rawValue)\":".utf8) }
  private static let firstNames = RestaurantField.stored.map { Array("\"\($0.rawValue)\":".utf8) }

  /// Whether a field is written behind the distance.
  private static let isBehindDistance: [Bool] = {
    let all = RestaurantField.allCases
    let distance = all.firstIndex(of: .distance) ?? all.endIndex
    return RestaurantField.stored.map { (all.firstIndex(of: $0) ?? 0) > distance }
  }()
}
