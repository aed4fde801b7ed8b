public import GeoIndex

/// The areas of a text in GeoJSON (RFC 7946) or in well-known text (OGC 06-103r4).
///
/// ```swift
/// let text = "POLYGON ((-97 32, -96 32, -96 33, -97 32))"
/// let areas = try AreaList(parsing: Array(text.utf8))
/// // areas.areas[0].area.contains(dallas)
/// ```
///
/// In GeoJSON each feature with polygons is an area, anything else is one area without a name; points
/// and lines are ignored. Well-known text is a POLYGON or a MULTIPOLYGON, with `SRID=4326;` before it
/// or without. Numbers after longitude and latitude are dropped.
public struct AreaList: Sendable {
  /// The areas in the order of the text; at least one.
  public private(set) var areas: [NamedArea] = []

  /// What was not right and could be repaired: rings that were not closed.
  public private(set) var warnings: [String] = []

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - bytes: The text in UTF-8.
  ///   - nameKey: The property of features that is their name.
  /// - Throws: `QueryError` if it is neither, has no polygon, or one that is not an area (`AreaError`).
  /// - Complexity: O(bytes).
  public init(parsing bytes: [UInt8], nameKey: String = "name") throws(QueryError) {
    let bytes = Array(bytes.trimmingPrefix([0xEF, 0xBB, 0xBF]))
    guard let first = bytes.first(where: { $0 > 0x20 }) else { throw Self.error("is empty") }
    if first == UInt8(ascii: "{") {
      try read(Self.json(bytes), nameKey)
    } else {
      try add(nil, WKTScanner.polygons(bytes))
    }
    guard !areas.isEmpty else { throw Self.error("has no polygon") }
  }

  /// Whether a text is an outline itself, well-formed or not, and no name or path.
  package static func isText(_ text: String) -> Bool {
    let head = Array(text.utf8.drop { $0 <= 0x20 }.prefix(12)).map { $0 | 0x20 }
    return ["{", "polygon", "multipolygon", "srid="].contains { word in
      head.starts(with: word.utf8.map { $0 | 0x20 })
    }
  }

  /// All areas as one.
  ///
  /// - Throws: `QueryError` if they have too many vertices together.
  public func joined() throws(QueryError) -> Area {
    do throws(AreaError) {
      return areas.count == 1 ? areas[0].area : try Area(areas.flatMap(\.area.polygons))
    } catch {
      throw Self.error(error.description)
    }
  }

  /// The areas by their names; those with the same name are one area.
  ///
  /// - Parameter key: The property of the names, for errors.
  /// - Returns: The areas in the order of their first parts.
  /// - Throws: `QueryError` if one has no name.
  package func named(by key: String) throws -> [NamedArea] {
    var groups: [(name: String, polygons: [[Area.Ring]])] = []
    var places: [UTF8Key: Int] = [:]
    for (number, area) in areas.enumerated() {
      guard let name = area.name, !name.trimmed.isEmpty else {
        let count = areas.count == 1 ? "" : "area \(number + 1) of \(areas.count) "
        throw Self.error("\(count)has no property \"\(shortened(key))\" that names it")
      }
      if let place = places[UTF8Key(name)] {
        groups[place].polygons += area.area.polygons
      } else {
        places[UTF8Key(name)] = groups.count
        groups.append((name, area.area.polygons))
      }
    }
    return try groups.map { name, polygons in
      do throws(AreaError) {
        return NamedArea(name, try Area(polygons))
      } catch {
        throw Self.error("\"\(shortened(name))\": \(error)")
      }
    }
  }

  fileprivate static func error(_ reason: String) -> QueryError { QueryError("within", reason) }

  private static func json(_ bytes: [UInt8]) throws(QueryError) -> JSONValue {
    do throws(JSONSyntaxError) {
      return try JSONValue(parsing: bytes)
    } catch {
      throw Self.error("is not JSON: \(error)")
    }
  }

  private mutating func read(_ value: JSONValue, _ nameKey: String) throws(QueryError) {
    switch value[name: "type"] {
    case .string("FeatureCollection"):
      for feature in try Self.list(value, "features") { try read(feature, nameKey) }
    case .string("Feature"):
      guard let geometry = value[name: "geometry"], !geometry.isNull else { return }
      let name = Self.property(nameKey, of: value[name: "properties"])?.asText
      try add(name, Self.polygons(geometry))
    default: try add(nil, Self.polygons(value))
    }
  }

  /// A property, or else the first whose name differs in case only.
  private static func property(_ name: String, of properties: JSONValue?) -> JSONValue? {
    guard case .object(let members)? = properties else { return nil }
    let folded = UTF8Key(name.lowercased())
    return properties?[name: name]
      ?? members.first { UTF8Key($0.name.lowercased()) == folded }?.value
  }

  /// The polygons of a geometry; none of a point or a line.
  private static func polygons(_ geometry: JSONValue) throws(QueryError) -> [[Area.Ring]] {
    switch geometry[name: "type"] {
    case .string("Polygon"): return [try rings(.array(list(geometry, "coordinates")))]
    case .string("MultiPolygon"):
      return try list(geometry, "coordinates").map { polygon throws(QueryError) in
        try rings(polygon)
      }
    case .string("GeometryCollection"):
      var all: [[Area.Ring]] = []
      for part in try list(geometry, "geometries") { all += try polygons(part) }
      return all
    case .string("Point"), .string("MultiPoint"), .string("LineString"),
      .string("MultiLineString"):
      return []
    case .string(let other): throw error("has the unknown type \"\(shortened(other))\"")
    default: throw error("has an object without a type of GeoJSON")
    }
  }

  private static func list(_ value: JSONValue, _ name: String) throws(QueryError) -> [JSONValue] {
    guard case .array(let items)? = value[name: name] else {
      throw error("needs a list \"\(name)\", got \(value[name: name]?.kind ?? "none")")
    }
    return items
  }

  private static func rings(_ polygon: JSONValue) throws(QueryError) -> [Area.Ring] {
    guard case .array(let rings) = polygon else {
      throw error("needs lists of rings as polygons, got \(polygon.kind)")
    }
    return try rings.map { ring throws(QueryError) in
      guard case .array(let positions) = ring else {
        throw error("needs lists of positions as rings, got \(ring.kind)")
      }
      return try positions.map { position throws(QueryError) in
        guard case .array(let numbers) = position, numbers.count >= 2,
          case .number(let x) = numbers[0], case .number(let y) = numbers[1],
          let longitude = Double(x), let latitude = Double(y)
        else {
          throw error(
            "needs positions of longitude and latitude, two numbers; got \(position.brief)"
          )
        }
        return Area.Vertex(longitude: longitude, latitude: latitude)
      }
    }
  }

  /// Adds an area unless it has no polygon, its rings closed.
  private mutating func add(_ name: String?, _ polygons: [[Area.Ring]]) throws(QueryError) {
    var polygons = polygons.filter { !$0.isEmpty }
    if polygons.isEmpty { return }
    let label = name.map { "\"\(shortened($0))\": " } ?? ""
    for (number, rings) in polygons.enumerated() {
      for (index, ring) in rings.enumerated() where ring.count >= 3 && ring.first != ring.last {
        polygons[number][index] += ring.prefix(1)
        let place = AreaError.Place(polygon: number, ring: index)
        warnings.append("\(label)\(place) was not closed; its first position is also its last now")
      }
    }
    do throws(AreaError) {
      areas.append(NamedArea(name, try Area(polygons)))
    } catch {
      throw Self.error(label + error.description)
    }
  }
}

extension JSONValue {
  /// The value for an error message.
  fileprivate var brief: String { depth > 1 ? kind : shortened(description) }
}

/// Reads a polygon, or several, in well-known text.
private struct WKTScanner {
  let bytes: [UInt8]
  var position = 0

  static func polygons(_ bytes: [UInt8]) throws(QueryError) -> [[Area.Ring]] {
    var scanner = WKTScanner(bytes: bytes)
    var word = scanner.word()
    if word == "SRID" {
      guard scanner.take("="), scanner.word() == "4326", scanner.take(";") else {
        throw AreaList.error("has a coordinate system other than SRID=4326;")
      }
      word = scanner.word()
    }
    guard word == "POLYGON" || word == "MULTIPOLYGON" else {
      throw AreaList.error(
        "must be GeoJSON, POLYGON ((…)) or MULTIPOLYGON (((…))), got \"\(shortened(word))\""
      )
    }
    let start = scanner.position
    // the dimensions: those after the second are dropped
    if !["Z", "M", "ZM"].contains(scanner.word()) { scanner.position = start }
    let found =
      word == "POLYGON"
      ? [try scanner.rings()]
      : try scanner.list { scanner throws(QueryError) in try scanner.rings() }
    guard scanner.next == nil else { throw scanner.unexpected("the end of the text") }
    return found
  }

  /// The next byte that is not a blank.
  var next: UInt8? {
    mutating get {
      while position < bytes.count, bytes[position] <= 0x20 { position += 1 }
      return position < bytes.count ? bytes[position] : nil
    }
  }

  mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  /// The letters, digits and signs that follow, in capitals.
  mutating func word() -> String {
    _ = next
    let start = position
    while position < bytes.count, bytes[position] > 0x20, !"(),;=".utf8.contains(bytes[position]) {
      position += 1
    }
    return String(decoding: bytes[start..<position], as: UTF8.self).uppercased()
  }

  /// The error for what is here instead of `expected`.
  mutating func unexpected(_ expected: String) -> QueryError {
    let byte = next
    let place = position + 1
    let word = word()
    let found = byte.map { word.isEmpty ? String(Unicode.Scalar($0)) : shortened(word) }
    let text = found.map { "\"\($0)\"" } ?? "the end of the text"
    return AreaList.error("needs \(expected) at byte \(place), got \(text)")
  }

  /// Items in parentheses, or none if there is the word EMPTY.
  mutating func list<Item>(
    _ item: (inout WKTScanner) throws(QueryError) -> Item
  ) throws(QueryError) -> [Item] {
    let start = position
    if word() == "EMPTY" { return [] }
    position = start
    guard take("(") else { throw unexpected("\"(\"") }
    var items: [Item] = []
    repeat { items.append(try item(&self)) } while take(",")
    guard take(")") else { throw unexpected("\",\" or \")\"") }
    return items
  }

  mutating func rings() throws(QueryError) -> [Area.Ring] {
    try list { scanner throws(QueryError) in
      try scanner.list { scanner throws(QueryError) in try scanner.vertex() }
    }
  }

  mutating func vertex() throws(QueryError) -> Area.Vertex {
    var numbers: [Double] = []
    while let byte = next, !"(),".utf8.contains(byte), numbers.count < 4 {
      let start = position
      guard let number = decimal(word()) else {
        position = start
        throw unexpected("a number")
      }
      numbers.append(number)
    }
    guard numbers.count >= 2 else { throw unexpected("two numbers, longitude and latitude,") }
    return Area.Vertex(longitude: numbers[0], latitude: numbers[1])
  }
}

extension JSONWriter {
  /// A FeatureCollection of areas, one per line, each with its name and other properties.
  package static func featureCollection(
    _ areas: [(area: NamedArea, properties: [JSONMember])]
  ) -> [UInt8] {
    var json = JSONWriter()
    json.raw(#"{"type":"FeatureCollection","features":"#)
    json.lines(areas) { json, item in
      json.raw(#"{"type":"Feature","properties":"#)
      let name = item.area.name.map(JSONValue.string) ?? .null
      json.value(.object([JSONMember(name: "name", value: name)] + item.properties))
      json.raw(#","geometry":"#)
      json.geometry(item.area.area)
      json.raw("}")
    }
    return json.bytes
  }

  /// Writes an area as a geometry (RFC 7946 §3.1): a Polygon unless it has several, or one must be a MultiPolygon.
  package mutating func geometry(_ area: Area, asMultiPolygon: Bool = false) {
    let isOne = area.polygons.count == 1 && !asMultiPolygon
    raw(#"{"type":"\#(isOne ? "Polygon" : "MultiPolygon")","coordinates":"#)
    let polygons = area.polygons.map { rings in
      let lists = rings.map { ring in
        "[" + ring.map { "[\($0.longitude),\($0.latitude)]" }.joined(separator: ",") + "]"
      }
      return "[" + lists.joined(separator: ",") + "]"
    }
    raw(isOne ? polygons[0] : "[" + polygons.joined(separator: ",") + "]")
    raw("}")
  }
}
