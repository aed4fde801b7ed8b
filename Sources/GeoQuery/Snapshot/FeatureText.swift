/// A packed record as a GeoJSON Feature (RFC 7946 §3.2).
///
/// The same bytes as `GeoJSONWriter` writes of the restaurant. The properties of an answer
/// (`distance`, `favorite`) go where `RestaurantField.distance` is in the order.
enum FeatureText {
  /// Appends the Feature of a record.
  ///
  /// - Returns: Where an answer's own properties go: an offset from the Feature's start.
  static func append(_ record: UnsafeRawBufferPointer, to bytes: inout [UInt8]) -> Int {
    let layout = Layout.shared
    let start = bytes.count
    var json = JSONText(bytes)
    bytes = []
    var position = (latitude: 0.0, longitude: 0.0)
    var split: Int?
    json.raw("{\"type\":\"Feature\",\"id\":")
    var isFirst = true
    PackedRecord.visit(record) { column, value in
      switch (column, value) {
      case (layout.id, .text(let id)): json.string(id)
      case (layout.latitude, .number(let bits)): position.latitude = Double(bitPattern: bits)
      case (layout.longitude, .number(let bits)): position.longitude = Double(bitPattern: bits)
      default: break
      }
    }
    json.raw(",\"geometry\":{\"type\":\"Point\",\"coordinates\":[")
    json.raw(position.longitude.description)
    json.raw(",")
    json.raw(position.latitude.description)
    json.raw("]},\"properties\":{")
    PackedRecord.visit(record) { column, value in
      if column == layout.id || column == layout.latitude || column == layout.longitude { return }
      if split == nil, layout.behindDistance.hasBit(column) { split = json.bytes.count - start }
      layout.append(column, value, to: &json, &isFirst)
    }
    let end = json.bytes.count - start
    json.raw("}}")
    bytes = json.takeAll()
    return split ?? end
  }
}

/// The precomputed text and order of the stored fields, shared by all records.
private struct Layout: Sendable {
  static let shared = Layout()

  let id = RestaurantField.id.column
  let latitude = RestaurantField.latitude.column
  let longitude = RestaurantField.longitude.column
  let closed = RestaurantField.closed.column
  let extra = RestaurantField.extra.column
  let lists = PackedRecord.mask(of: RestaurantField.lists + [.extra])
  let reals = PackedRecord.reals
  let names = RestaurantField.stored.map { Array(",\"\($0.rawValue)\":".utf8) }
  let firstNames = RestaurantField.stored.map { Array("\"\($0.rawValue)\":".utf8) }

  /// The fields that are written after the distance.
  let behindDistance = PackedRecord.mask(
    of: RestaurantField.allCases.drop { $0 != .distance }.filter(RestaurantField.stored.contains)
  )

  func append(
    _ column: Int,
    _ value: PackedRecord.Value,
    to json: inout JSONText,
    _ isFirst: inout Bool
  ) {
    switch value {
    case .text(let text) where lists.hasBit(column):
      guard let valid = validJSON(text, UInt8(ascii: column == extra ? "{" : "[")) else { return }
      json.rawBytes(isFirst ? firstNames[column] : names[column])
      json.rawBytes(valid)
    case .text(let text):
      json.rawBytes(isFirst ? firstNames[column] : names[column])
      json.string(text)
    case .number(let bits):
      json.rawBytes(isFirst ? firstNames[column] : names[column])
      if column == closed {
        json.raw("true")
      } else if reals.hasBit(column) {
        json.raw(Double(bitPattern: bits).description)
      } else {
        json.raw(Int64(bitPattern: bits).description)
      }
    }
    isFirst = false
  }

  /// The text as one line of JSON that begins with a bracket; nil if another program has written
  /// something else there.
  private func validJSON(_ text: UnsafeRawBufferPointer, _ open: UInt8) -> [UInt8]? {
    let bytes = Array(text)
    guard bytes.first == open, firstInvalidUTF8(in: bytes) == nil else { return nil }
    var scanner = JSONScanner(bytes)
    guard (try? scanner.skipValue()) != nil, scanner.next == nil else { return nil }
    if bytes.allSatisfy({ $0 >= 0x20 }) { return bytes }
    return (try? JSONValue(parsing: bytes)).map { Array(JSONText.of($0).utf8) }
  }
}
