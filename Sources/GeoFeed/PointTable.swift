public import GeoQuery

/// The points of a file with their other values: a table with a header line, or GeoJSON.
///
/// Unlike a feed it needs no names, and keeps every column unchanged. It is read at once.
public struct PointTable: Sendable {
  /// One point.
  public struct Row: Sendable {
    /// Its line in a table, or its number in GeoJSON, from 1.
    public let number: Int

    /// Its latitude as written in the file; nil if it is missing.
    public let latitude: String?

    /// Its longitude.
    public let longitude: String?

    /// Its value in each column; null if there is none.
    public let values: [JSONValue]
  }

  /// The names of the columns.
  public let columns: [String]

  /// The points, in their order.
  public let rows: [Row]

  /// Reads a file; nil if it is neither a table whose header names a position nor GeoJSON.
  ///
  /// - Parameters:
  ///   - bytes: The file, as UTF-8.
  ///   - names: The columns of latitude and longitude, if their names do not show it.
  public init?(_ bytes: [UInt8], columns names: ChosenColumns = ChosenColumns()) {
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let found =
      first == UInt8(ascii: "{") ? Self.features(bytes) : Self.table(bytes, MemberSynonyms(names))
    guard let found else { return nil }
    (columns, rows) = found
  }

  private static let separators = [",", ";", "\t", "|"].map { UInt8(ascii: $0) }

  private static func table(
    _ bytes: [UInt8],
    _ synonyms: MemberSynonyms
  ) -> (columns: [String], rows: [Row])? {
    let header = separators.compactMap { separator in
      var scanner = RowScanner(bytes, from: 0, separator: separator)
      let cells = scanner.row().cells.map(\.trimmed)
      return sides(among: cells, synonyms).map { (separator, cells, $0, scanner.position) }
    }
    .max { $0.1.count < $1.1.count }
    guard let (separator, columns, (north, east), end) = header else { return nil }
    var rows: [Row] = []
    var position = end
    var line = 1
    while position < bytes.count {
      if bytes[position] == 0x0A || bytes[position] == 0x0D {
        let isPair =
          bytes[position] == 0x0D && position + 1 < bytes.count && bytes[position + 1] == 0x0A
        position += isPair ? 2 : 1
        line += 1
        continue
      }
      var scanner = RowScanner(bytes, from: position, separator: separator)
      let cells = scanner.row().cells
      rows.append(
        Row(
          number: line,
          latitude: cells.indices.contains(north) ? cells[north].trimmed : nil,
          longitude: cells.indices.contains(east) ? cells[east].trimmed : nil,
          values: columns.indices.map { index in
            guard index < cells.count, !cells[index].isEmpty else { return .null }
            return .string(FormulaGuard.unguarded(cells[index]))
          }
        )
      )
      line += bytes[position..<scanner.position].count { $0 == 0x0A }
      position = scanner.position
    }
    return (columns, rows)
  }

  /// The columns of latitude and longitude.
  private static func sides(
    among columns: [String],
    _ synonyms: MemberSynonyms
  ) -> (north: Int, east: Int)? {
    let members = columns.map { JSONMember(name: $0, value: .string("")) }
    let known = synonyms.known(in: MemberBag(.object(members)))
    func column(of field: RestaurantField) -> Int? {
      let found = known.filter { $0.meaning.field == field }
        .min { $0.meaning.rank < $1.meaning.rank }
      return found.flatMap { found in columns.firstIndex { UTF8Key($0) == UTF8Key(found.name) } }
    }
    guard let north = column(of: .latitude), let east = column(of: .longitude) else { return nil }
    return (north, east)
  }

  private static func features(_ bytes: [UInt8]) -> (columns: [String], rows: [Row])? {
    guard let root = try? JSONValue(parsing: bytes) else { return nil }
    var features = [root]
    if case .array(let members)? = root[name: "features"] { features = members }
    guard features.allSatisfy({ $0[name: "type"] == .string("Feature") }) else { return nil }
    let properties = features.map { feature -> [JSONMember] in
      var members: [JSONMember] = []
      if let id = feature[name: "id"], id != .null { members = [JSONMember(name: "id", value: id)] }
      guard case .object(let own)? = feature[name: "properties"] else { return members }
      return members + own.filter { $0.name != "id" || members.isEmpty }
    }
    var columns: [String] = []
    var seen: Set<UTF8Key> = []
    for member in properties.joined() where seen.insert(UTF8Key(member.name)).inserted {
      columns.append(member.name)
    }
    let rows = zip(features, properties).enumerated().map { index, item -> Row in
      let (feature, members) = item
      let values = Dictionary(
        members.map { (UTF8Key($0.name), $0.value) },
        uniquingKeysWith: { first, _ in first }
      )
      var sides: [String] = []
      if let geometry = feature[name: "geometry"], geometry[name: "type"] == .string("Point"),
        case .array(let numbers)? = geometry[name: "coordinates"]
      {
        sides = numbers.compactMap(\.asText)
      }
      return Row(
        number: index + 1,
        latitude: sides.count >= 2 ? sides[1] : nil,
        longitude: sides.first,
        values: columns.map { values[UTF8Key($0)] ?? .null }
      )
    }
    return (columns, rows)
  }
}
