import GeoIndex

/// The languages of filters.
public enum FilterLanguage: String, Sendable, CaseIterable {
  /// The short grammar: texts folded.
  case short = "geoq"
  /// CQL2 text: texts exact.
  case cql2Text = "cql2-text"
  /// CQL2 JSON: texts exact.
  case cql2JSON = "cql2-json"

  /// A language by its name; `cql-text`, which GDAL asks for, is CQL2 text.
  public init?(name: String) {
    guard let language = Self(rawValue: name == "cql-text" ? "cql2-text" : name) else { return nil }
    self = language
  }
}

extension FilterExpression {
  /// The conformance classes of CQL2 (OGC 21-065r2) that are kept, and both encodings.
  package static let cql2Conformance = [
    "cql2-text", "cql2-json", "basic-cql2", "advanced-comparison-operators",
    "case-insensitive-comparison", "accent-insensitive-comparison", "basic-spatial-functions",
  ].map { "http://www.opengis.net/spec/cql2/1.0/conf/\($0)" }

  /// Reads an expression.
  ///
  /// The short language has `FIELD OP VALUE`, `FIELD in (VALUE, VALUE)`, `FIELD is null`, their negations
  /// `not in` and `is not null`, and these joined by `and`, `or`, `not` and parentheses. A value that contains
  /// the word `and` or `or` must be in single or double quotes, `name = 'Salt and Pepper'`; a doubled quote in
  /// it stands for one.
  ///
  /// CQL2 has what the conformance classes of `cql2Conformance` say, and S_WITHIN, POLYGON and
  /// MULTIPOLYGON. Property names are the keys of the record, `extra.NAME` and `geometry`.
  ///
  /// - Parameters:
  ///   - text: The expression.
  ///   - language: Its language.
  ///   - maximumConditions: The maximum number of conditions; each value of a list counts in CQL2 as none.
  ///   - valueLength: The maximum length of a value in bytes of UTF-8.
  /// - Throws: `QueryError` with the column of what is wrong, or for JSON with its JSON Pointer (RFC 6901).
  /// - Complexity: O(length of the text).
  public init(
    _ text: String,
    in language: FilterLanguage = .short,
    atMost maximumConditions: Int = .max,
    valueLength: Int = .max
  ) throws(QueryError) {
    try Self.checkLength(of: text)
    let node: CQL2Node
    switch language {
    case .short:
      var parser = try ExpressionParser(
        text,
        maximumConditions: maximumConditions,
        valueLength: valueLength
      )
      self = try parser.readAll()
      return
    case .cql2Text:
      var parser = CQL2TextParser(text)
      node = try parser.readAll()
    case .cql2JSON: node = try CQL2Node(json: text)
    }
    var meaning = CQL2Meaning(maximumConditions: maximumConditions, valueLength: valueLength)
    self = try meaning.expression(node)
  }
}

/// A part of a CQL2 filter, whatever its encoding.
indirect enum CQL2Node {
  /// An operator or a function, named as in CQL2 JSON, with its arguments.
  case call(String, [CQL2Node], at: CQL2Place)
  case property(String, at: CQL2Place)
  /// A text, and the same as a pattern of LIKE, where a backslash may be meant for that.
  case text(String, pattern: String, at: CQL2Place)
  case number(Double, at: CQL2Place)
  case flag(Bool, at: CQL2Place)
  /// A date or a time in the form of RFC 3339.
  case instant(String, at: CQL2Place)
  case list([CQL2Node], at: CQL2Place)
  case geometry(SpatialPredicate.Geometry, at: CQL2Place)

  var place: CQL2Place {
    switch self {
    case .call(_, _, let place), .property(_, let place), .text(_, _, let place),
      .number(_, let place), .flag(_, let place), .instant(_, let place), .list(_, let place),
      .geometry(_, let place):
      place
    }
  }
}

/// Where a part is: a column of a text, from 1, or a JSON Pointer.
enum CQL2Place {
  case column(Int)
  case pointer(String)

  func problem(_ text: String) -> QueryError {
    switch self {
    case .column(let column): QueryError("where", "\(text) at column \(column)", column: column)
    case .pointer(let pointer):
      QueryError("where", "\(text) at \(pointer.isEmpty ? "the top" : pointer)")
    }
  }
}

/// Makes an expression of a CQL2 filter and checks the types.
struct CQL2Meaning {
  let maximumConditions: Int
  let valueLength: Int
  private(set) var conditionCount = 0

  static let comparisons: [String: Condition.Comparison] = [
    "=": .equal, "<>": .notEqual, "<": .less, ">": .greater, "<=": .lessOrEqual,
    ">=": .greaterOrEqual,
  ]

  private static let argumentCounts = [
    "like": 2, "between": 3, "in": 2, "isNull": 1, "s_intersects": 2, "s_within": 2,
  ]

  private static let opposites: [Condition.Comparison: Condition.Comparison] = [
    .less: .greater, .greater: .less, .lessOrEqual: .greaterOrEqual, .greaterOrEqual: .lessOrEqual,
  ]

  mutating func expression(_ node: CQL2Node, depth: Int = 0) throws(QueryError) -> FilterExpression
  {
    guard depth < FilterExpression.maximumDepth else {
      throw node.place.problem("nested more than \(FilterExpression.maximumDepth) deep")
    }
    switch node {
    case .flag(let flag, _): return flag ? .and([]) : .or([])
    case .call(let name, let arguments, let place):
      switch name {
      case "and", "or":
        guard arguments.count > 1 else {
          throw place.problem("\(name) needs two conditions or more")
        }
        let parts = try arguments.map { argument throws(QueryError) in
          try expression(argument, depth: depth + 1)
        }
        return name == "and" ? .all(of: parts) : .any(of: parts)
      case "not":
        try check(arguments, 1, name, place)
        return .not(try expression(arguments[0], depth: depth + 1))
      default:
        conditionCount += 1
        guard conditionCount <= maximumConditions else {
          throw place.problem("has more than \(maximumConditions) conditions")
        }
        return try condition(name, arguments, place)
      }
    default: throw node.place.problem("expected a condition")
    }
  }

  private func check(
    _ arguments: [CQL2Node],
    _ count: Int,
    _ name: String,
    _ place: CQL2Place
  ) throws(QueryError) {
    guard arguments.count == count else {
      throw place.problem(
        "\(name) needs \(count) argument\(count == 1 ? "" : "s"), got \(arguments.count)"
      )
    }
  }

  private func condition(
    _ name: String,
    _ arguments: [CQL2Node],
    _ place: CQL2Place
  ) throws(QueryError) -> FilterExpression {
    let compared = Self.comparisons[name]
    guard let count = compared == nil ? Self.argumentCounts[name] : 2 else {
      throw place.problem("\(name) is not supported")
    }
    try check(arguments, count, name, place)
    if let comparison = compared {
      let (left, right) = (arguments[0], arguments[1])
      if !Self.isProperty(left), Self.isProperty(right) {
        let subject = try subject(right)
        let opposite = Self.opposites[comparison] ?? comparison
        return .condition(try self.comparison(subject, opposite, [left]))
      }
      return .condition(try self.comparison(try subject(left), comparison, [right]))
    }
    switch name {
    case "like":
      return .condition(try like(try subject(arguments[0]), arguments[1]))
    case "between":
      let subject = try subject(arguments[0])
      guard case .number = arguments[1], case .number = arguments[2] else {
        throw arguments[1].place.problem("between needs two numbers")
      }
      return .and([
        .condition(try comparison(subject, .greaterOrEqual, [arguments[1]])),
        .condition(try comparison(subject, .lessOrEqual, [arguments[2]])),
      ])
    case "in":
      guard case .list(let values, let place) = arguments[1], !values.isEmpty else {
        throw arguments[1].place.problem("in needs a list of values")
      }
      guard values.count <= FilterExpression.maximumValues else {
        throw place.problem("a list has at most \(FilterExpression.maximumValues) values")
      }
      return .condition(try comparison(try subject(arguments[0]), .equal, values))
    case "isNull":
      if case .property("geometry", _) = arguments[0] { return .or([]) }
      let subject = try subject(arguments[0])
      return .isNull(subject.field, path: subject.path)
    default:
      return .spatial(try spatialPredicate(name == "s_within" ? .within : .intersects, arguments))
    }
  }

  private func spatialPredicate(
    _ relation: SpatialPredicate.Relation,
    _ arguments: [CQL2Node]
  ) throws(QueryError) -> SpatialPredicate {
    switch (arguments[0], arguments[1], relation) {
    case (.property("geometry", _), .geometry(let geometry, _), _),
      (.geometry(let geometry, _), .property("geometry", _), .intersects):
      return SpatialPredicate(relation: relation, geometry: geometry)
    case (.geometry(.point(let point), _), .property("geometry", _), .within):
      return SpatialPredicate(relation: relation, geometry: .point(point))
    case (.geometry, .property("geometry", _), .within):
      throw arguments[0].place.problem("only a point can lie within a position")
    default:
      throw arguments[0].place.problem(
        "\(relation.rawValue) needs geometry and a point, polygon or bbox"
      )
    }
  }

  // MARK: - Operands

  /// A property, and what is ignored in its text.
  private typealias Subject = (
    field: Condition.Field, path: [String], ignored: ExactValue.Ignored, place: CQL2Place
  )

  private static func isProperty(_ node: CQL2Node) -> Bool {
    switch node {
    case .property: true
    case .call("casei", let inner, _), .call("accenti", let inner, _):
      inner.first.map(isProperty) ?? false
    default: false
    }
  }

  /// What is in CASEI and ACCENTI, and what they ignore.
  private func unwrapped(
    _ node: CQL2Node
  ) throws(QueryError) -> (node: CQL2Node, ignored: ExactValue.Ignored) {
    var (node, ignored) = (node, ExactValue.Ignored())
    var depth = 0
    while case .call(let name, let arguments, let place) = node,
      name == "casei" || name == "accenti"
    {
      try check(arguments, 1, name, place)
      ignored.insert(name == "casei" ? .letterCase : .accents)
      node = arguments[0]
      depth += 1
      guard depth <= FilterExpression.maximumDepth else { throw place.problem("nested too deep") }
    }
    return (node, ignored)
  }

  private func subject(_ node: CQL2Node) throws(QueryError) -> Subject {
    let (inner, ignored) = try unwrapped(node)
    guard case .property(let name, let place) = inner else {
      throw inner.place.problem("expected a property")
    }
    let isExtra = name.utf8.starts(with: "extra.".utf8)
    guard let field = isExtra ? .extra : Condition.Field(rawValue: name), isExtra || field != .extra
    else {
      if name == "geometry" {
        throw place.problem("geometry is compared by S_INTERSECTS and S_WITHIN")
      }
      let advice = FilterExpression.advice(onField: name).map { "; \($0)" } ?? ""
      let error = place.problem("unknown property \"\(shortened(name))\"")
      throw QueryError("where", error.reason + advice, column: error.column)
    }
    var path: [String] = []
    if isExtra {
      do throws(QueryError) {
        path = try ExpressionParser.path(String(name.dropFirst("extra".count)))
      } catch {
        throw place.problem(error.reason)
      }
    }
    let kind = field.kind
    guard ignored.isEmpty || kind == .text || kind == .member else {
      throw place.problem("\(name) is \(kind.name), which CASEI and ACCENTI do not take")
    }
    return (field, path, ignored, place)
  }

  private func comparison(
    _ subject: Subject,
    _ comparison: Condition.Comparison,
    _ values: [CQL2Node]
  ) throws(QueryError) -> Condition {
    var operands: [Condition.Operand] = []
    for value in values {
      let (node, ignored) = try unwrapped(value)
      let content: ExactValue.Content
      switch node {
      case .text(let text, _, let place):
        try checkLength(text, place)
        content = .text(ignored(text))
      case .instant(let text, _) where subject.field == .extra: content = .text(text)
      case .number(let number, _): content = .number(number)
      case .flag(let flag, _): content = .flag(flag)
      case .property:
        throw node.place.problem("a property is compared with values, not with another property")
      default: throw node.place.problem("\(subject.field.rawValue) is \(subject.field.kind.name)")
      }
      operands.append(try operand(content, subject, node.place))
    }
    return Condition(subject.field, subject.path, comparison, operands)
  }

  private func operand(
    _ content: ExactValue.Content,
    _ subject: Subject,
    _ place: CQL2Place
  ) throws(QueryError) -> Condition.Operand {
    switch (subject.field.kind, content) {
    case (.number, .number(let number)): return .number(number)
    case (.flag, .flag(let flag)): return .flag(flag)
    case (.text, .text), (.text, .pattern), (.member, _):
      return .exact(ExactValue(content: content, ignored: subject.ignored))
    default: throw place.problem("\(subject.field.rawValue) is \(subject.field.kind.name)")
    }
  }

  private func like(_ subject: Subject, _ pattern: CQL2Node) throws(QueryError) -> Condition {
    let (node, ignored) = try unwrapped(pattern)
    guard case .text(_, let text, let place) = node else {
      throw node.place.problem("like needs a pattern")
    }
    try checkLength(text, place)
    let changed = LikePattern.text(text) { ignored($0) }
    let operand = try operand(.pattern(changed), subject, subject.place)
    return Condition(subject.field, subject.path, .equal, [operand])
  }

  private func checkLength(_ text: String, _ place: CQL2Place) throws(QueryError) {
    guard text.utf8.count <= valueLength else {
      throw place.problem("a value has at most \(valueLength) bytes, got \(text.utf8.count)")
    }
  }
}

// MARK: - Geometries and times

extension CQL2Node {
  /// A geometry of coordinates as GeoJSON has them (RFC 7946 §3.1).
  init(geometry type: String, _ coordinates: JSONValue, at place: CQL2Place) throws(QueryError) {
    switch type {
    case "Point":
      let vertex = try Self.vertex(coordinates, place)
      guard let point = Coordinate(latitude: vertex.latitude, longitude: vertex.longitude) else {
        throw place.problem(
          "\(vertex.longitude) \(vertex.latitude) is not a longitude and a latitude"
        )
      }
      self = .geometry(.point(point), at: place)
    case "Polygon": self = .geometry(.polygons([try Self.area(coordinates, place)]), at: place)
    case "MultiPolygon":
      let polygons = try Self.items(coordinates, place, Self.area)
      guard !polygons.isEmpty else { throw place.problem("the geometry has no polygon") }
      self = .geometry(.polygons(polygons), at: place)
    default:
      throw place.problem(
        "\(shortened(type)) is not supported; a point, polygon, multipolygon or bbox is"
      )
    }
  }

  /// A box of four numbers, or of six with heights.
  init(box numbers: [Double], at place: CQL2Place) throws(QueryError) {
    guard numbers.count == 4 || numbers.count == 6 else {
      throw place.problem("a bbox has 4 or 6 numbers, got \(numbers.count)")
    }
    let corners = numbers.prefix(2) + numbers.dropFirst(numbers.count / 2).prefix(2)
    guard let box = BoundingBox(Array(corners)) else {
      throw place.problem("the bbox is not west, south, east, north in degrees")
    }
    self = .geometry(.box(box), at: place)
  }

  /// A date, or a time in UTC (RFC 3339 §5.6).
  init(instant text: String, isDate: Bool, at place: CQL2Place) throws(QueryError) {
    let hasForm =
      isDate
      ? text.utf8.count == 10
      : text.utf8.dropFirst(10).first == UInt8(ascii: "T") && text.utf8.last == UInt8(ascii: "Z")
    guard hasForm, CalendarDay.seconds(ofInstant: text) != nil else {
      let form = isDate ? "a date YYYY-MM-DD" : "a time YYYY-MM-DDThh:mm:ssZ"
      throw place.problem("\"\(shortened(text))\" is not \(form)")
    }
    self = .instant(text, at: place)
  }

  /// The items of a list, each read by a function.
  private static func items<Item>(
    _ value: JSONValue,
    _ place: CQL2Place,
    _ read: (JSONValue, CQL2Place) throws(QueryError) -> Item
  ) throws(QueryError) -> [Item] {
    guard case .array(let items) = value else {
      throw place.problem("expected a list of coordinates")
    }
    return try items.map { item throws(QueryError) in try read(item, place) }
  }

  private static func area(
    _ value: JSONValue,
    _ place: CQL2Place
  ) throws(QueryError) -> Area {
    let rings = try items(value, place) { ring, place throws(QueryError) in
      try items(ring, place, vertex)
    }
    do throws(AreaError) { return try Area([rings]) } catch { throw place.problem("\(error)") }
  }

  private static func vertex(
    _ value: JSONValue,
    _ place: CQL2Place
  ) throws(QueryError) -> Area.Vertex {
    let numbers = try items(value, place) { item, _ in
      if case .number(let token) = item { decimal(token) ?? .nan } else { Double.nan }
    }
    guard 2...3 ~= numbers.count, numbers.allSatisfy({ !$0.isNaN }), -540...540 ~= numbers[0],
      -90...90 ~= numbers[1]
    else { throw place.problem("a position is a longitude and a latitude") }
    return Area.Vertex(longitude: numbers[0], latitude: numbers[1])
  }
}

// MARK: - JSON

extension CQL2Node {
  /// Reads CQL2 JSON.
  init(json text: String) throws(QueryError) {
    let value: JSONValue
    do {
      // an operator takes two levels, and coordinates some more
      let depth = -2 * FilterExpression.maximumDepth
      value = try JSONValue(parsing: Array(text.utf8), depth: depth)
    } catch {
      throw QueryError("where", "not JSON \(error)")
    }
    try self.init(value, "")
  }

  init(_ value: JSONValue, _ pointer: String) throws(QueryError) {
    let place = CQL2Place.pointer(pointer)
    switch value {
    case .bool(let flag): self = .flag(flag, at: place)
    case .string(let text): self = .text(text, pattern: text, at: place)
    case .number(let token):
      guard let number = decimal(token), number.isFinite else {
        throw place.problem("\(shortened(token)) is too great")
      }
      self = .number(number, at: place)
    case .array(let items): self = .list(try Self.nodes(items, pointer), at: place)
    case .null: throw place.problem("null is not a value; use isNull")
    case .object(let members): try self.init(members, pointer)
    }
  }

  private init(_ members: [JSONMember], _ pointer: String) throws(QueryError) {
    let place = CQL2Place.pointer(pointer)
    let value = JSONValue.object(members)
    if case .string(let name)? = value[name: "op"] {
      guard case .array(let arguments)? = value[name: "args"], members.count == 2 else {
        throw place.problem("an operator has the members op and args")
      }
      self = .call(name, try Self.nodes(arguments, pointer + "/args"), at: place)
    } else if case .string(let name)? = value[name: "property"], members.count == 1 {
      self = .property(name, at: place)
    } else if case .string(let text)? = value[name: "date"], members.count == 1 {
      try self.init(instant: text, isDate: true, at: place)
    } else if case .string(let text)? = value[name: "timestamp"], members.count == 1 {
      try self.init(instant: text, isDate: false, at: place)
    } else if case .array(let items)? = value[name: "bbox"], value[name: "type"] == nil {
      var numbers: [Double] = []
      for case .number(let token) in items { numbers.append(decimal(token) ?? .nan) }
      try self.init(box: numbers.count == items.count ? numbers : [], at: place)
    } else if case .string(let type)? = value[name: "type"] {
      try self.init(geometry: type, value[name: "coordinates"] ?? .null, at: place)
    } else {
      throw place.problem("expected op, property, date, timestamp, bbox or a geometry")
    }
  }

  private static func nodes(
    _ values: [JSONValue],
    _ pointer: String
  ) throws(QueryError) -> [CQL2Node] {
    try values.enumerated().map { index, value throws(QueryError) in
      try CQL2Node(value, "\(pointer)/\(index)")
    }
  }
}

// MARK: - Queryables

/// What filters can test, as a JSON Schema (OGC 19-079r2, requirement /req/queryables/get-queryables-response).
package enum Queryables {
  /// The schema, under its address and the collection's title: a property for each key of the record that
  /// conditions test, the members of `extra` by a pattern, and the geometry.
  package static func schema(id: String, title: String) -> [JSONMember] {
    var properties: [JSONMember] = []
    // favorites have a parameter of their own, with an access rule
    for field in Condition.Field.allCases where ![.extra, .favorite].contains(field) {
      properties.add(field.rawValue, definition(of: field))
    }
    var geometry: [JSONMember] = []
    geometry.add("x-ogc-role", "primary-geometry")
    geometry.add("format", "geometry-point")
    properties.add("geometry", geometry)
    var member: [JSONMember] = []
    member.add("type", ["string", "number", "boolean"])
    var schema: [JSONMember] = []
    schema.add("$schema", "https://json-schema.org/draft/2020-12/schema")
    schema.add("$id", id)
    schema.add("title", title)
    schema.add("type", "object")
    schema.add("properties", properties)
    schema.add("patternProperties", [JSONMember(name: "^extra\\..+$", value: .object(member))])
    schema.add("additionalProperties", .bool(false))
    return schema
  }

  private static func definition(of field: Condition.Field) -> [JSONMember] {
    let type =
      switch RestaurantField(rawValue: field.rawValue)?.kind {
      case .real: "number"
      case .whole: "integer"
      case .flag: "boolean"
      // a list is one text
      case .text, .texts, .object, nil: "string"
      }
    var definition: [JSONMember] = []
    definition.add("type", type)
    definition.add("x-ogc-role", field == .id ? "id" : nil)
    return definition
  }
}
