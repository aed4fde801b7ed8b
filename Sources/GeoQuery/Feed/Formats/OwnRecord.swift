/// A record that geoq wrote as a row of a table or as a line of JSON, told by its names, as the GeoJSON
/// Feature that geoq would have written: one reader knows what all of it means.
enum OwnRecord {
  /// The columns of a whole export, in their order.
  private static let columns = RestaurantField.allCases
    .filter { !RestaurantField.ofAnswers.contains($0) }
    .map(\.rawValue)

  private static let answerColumns = Set(RestaurantField.ofAnswers.map(\.rawValue))
  private static let names = Set(RestaurantField.allCases.map(\.rawValue))
  private static let needed = ["id", "name", "latitude", "longitude", "source"]

  /// Whether a header is that of a whole export.
  static func isHeader(_ names: [String]) -> Bool {
    names.filter { !answerColumns.contains($0) } == columns
  }

  /// Whether an object has geoq's members and no others.
  static func isObject(_ value: JSONValue) -> Bool {
    guard case .object(let members) = value else { return false }
    return members.allSatisfy { names.contains($0.name) }
      && needed.allSatisfy { name in members.contains { $0.name == name } }
  }

  /// The Feature of a row of texts.
  static func feature(ofRow row: JSONValue) -> JSONValue {
    guard case .object(let members) = row else { return row }
    return feature(
      members.map { member in
        guard case .string(let cell) = member.value else { return member }
        return JSONMember(name: member.name, value: value(of: cell, in: member.name))
      }
    )
  }

  /// The Feature of an object.
  static func feature(ofObject object: JSONValue) -> JSONValue {
    guard case .object(let members) = object else { return object }
    return feature(members)
  }

  private static func feature(_ members: [JSONMember]) -> JSONValue {
    func value(_ name: String) -> JSONValue { members.first { $0.name == name }?.value ?? .null }
    let point: [JSONMember] = [
      JSONMember(name: "type", value: .string("Point")),
      JSONMember(
        name: "coordinates",
        value: .array([value("longitude"), value("latitude")])
      ),
    ]
    let properties = members.filter { !["id", "latitude", "longitude"].contains($0.name) }
    return .object([
      JSONMember(name: "type", value: .string("Feature")),
      JSONMember(name: "id", value: value("id")),
      JSONMember(name: "geometry", value: .object(point)),
      JSONMember(name: "properties", value: .object(properties)),
    ])
  }

  /// What a cell says: most are texts, the others are written as in JSON.
  private static func value(of cell: String, in column: String) -> JSONValue {
    guard let field = RestaurantField(rawValue: column) else { return .string(cell) }
    if field.textPath != nil || [.id, .name, .source].contains(field) { return .string(cell) }
    let parsed = try? JSONValue(parsing: Array(cell.utf8))
    if field == .formattedAddress {
      if case .array? = parsed, let parsed { return parsed }
      return .array(DelimitedWriter.lines(of: cell).map(JSONValue.string))
    }
    return parsed ?? .string(cell)
  }
}
