import GeoQuery

/// Converts a record that geoq wrote as a row or as a line of JSON, recognized by its names, to the
/// GeoJSON Feature that geoq would have written.
///
/// So one reader knows the meaning of all of them.
enum OwnRecord {
  /// The columns of a whole export, in their order.
  private static let columns = keys(
    RestaurantField.allCases.filter { !RestaurantField.ofAnswers.contains($0) }
  )

  private static let answerColumns = Set(keys(RestaurantField.ofAnswers))
  private static let names = Set(keys(RestaurantField.allCases))
  private static let needed = ["id", "name", "latitude", "longitude", "source"]

  /// Whether a header is that of a complete export.
  static func isHeader(_ names: [String]) -> Bool {
    names.map(UTF8Key.init).filter { !answerColumns.contains($0) } == columns
  }

  private static func keys(_ fields: some Sequence<RestaurantField>) -> [UTF8Key] {
    fields.map { UTF8Key($0.rawValue) }
  }

  /// Whether an object has exactly geoq's members.
  static func isObject(_ value: JSONValue) -> Bool {
    guard case .object(let members) = value else { return false }
    return members.allSatisfy { names.contains(UTF8Key($0.name)) }
      && needed.allSatisfy { members.first(named: $0) != nil }
  }

  /// The Feature of an object, or of a row of texts.
  static func feature(_ record: JSONValue, isRow: Bool) -> JSONValue {
    guard case .object(var members) = record else { return record }
    if isRow {
      members = members.map { member in
        guard case .string(let cell) = member.value else { return member }
        return JSONMember(name: member.name, value: value(of: cell, in: member.name))
      }
    }
    func of(_ name: String) -> JSONValue { members.first(named: name)?.value ?? .null }
    let position = JSONValue.array([of("longitude"), of("latitude")])
    let point = [
      JSONMember(name: "type", value: .string("Point")),
      JSONMember(name: "coordinates", value: position),
    ]
    let outside: [UTF8Key] = ["id", "latitude", "longitude"]
    let properties = members.filter { !outside.contains(UTF8Key($0.name)) }
    return .object([
      JSONMember(name: "type", value: .string("Feature")),
      JSONMember(name: "id", value: of("id")),
      JSONMember(name: "geometry", value: .object(point)),
      JSONMember(name: "properties", value: .object(properties)),
    ])
  }

  /// The value of a cell: most are texts, the others are JSON.
  private static func value(of cell: String, in column: String) -> JSONValue {
    guard let field = RestaurantField(rawValue: column) else { return .string(cell) }
    if field.kind == .text { return .string(cell) }
    let parsed = try? JSONValue(parsing: Array(cell.utf8))
    if field.kind == .texts {
      if case .array? = parsed, let parsed { return parsed }
      return .array(DelimitedWriter.lines(of: cell).map(JSONValue.string))
    }
    return parsed ?? .string(cell)
  }
}
