import Foundation
import GeoIndex

// Values of this module in any `Encoder`, under the keys that they have in JSON everywhere.

extension JSONValue: Codable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Decodes any value.
  ///
  /// Numbers keep their value, up to 38 digits, but not their spelling. Members are in order of their
  /// names (UTF-8 bytes), because decoders do not keep theirs.
  ///
  /// - Throws: `DecodingError` if it is not a value of JSON.
  public init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: Name.self) {
      let names = members.allKeys.sorted { UTF8Key($0.stringValue) < UTF8Key($1.stringValue) }
      self = .object(
        try names.map { name in
          JSONMember(name: name.stringValue, value: try members.decode(Self.self, forKey: name))
        }
      )
    } else if var items = try? decoder.unkeyedContainer() {
      var values: [JSONValue] = []
      while !items.isAtEnd { values.append(try items.decode(Self.self)) }
      self = .array(values)
    } else {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let flag = try? value.decode(Bool.self) {
        self = .bool(flag)
      } else if let text = try? value.decode(String.self) {
        self = .string(text)
      } else if let number = try? value.decode(Decimal.self) {
        self = .number(number.description)
      } else {
        self = .number(try value.decode(Double.self).description)
      }
    }
  }

  /// Encodes the value; numbers of more than 38 digits are rounded.
  ///
  /// - Throws: `EncodingError` for the text of a number that is none; errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let object):
      var members = encoder.container(keyedBy: Name.self)
      for member in object {
        try members.encode(member.value, forKey: Name(stringValue: member.name))
      }
    case .array(let values):
      var items = encoder.unkeyedContainer()
      for value in values { try items.encode(value) }
    default:
      var value = encoder.singleValueContainer()
      switch self {
      case .bool(let flag): try value.encode(flag)
      case .string(let text): try value.encode(text)
      case .number(let token):
        guard let double = decimal(token) else {
          throw EncodingError.invalidValue(
            token,
            EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "not a number")
          )
        }
        // a decimal has fewer exponents than a double
        let exact = (1e-90...1e90).contains(double.magnitude) ? Decimal(string: token) : nil
        if let exact { try value.encode(exact) } else { try value.encode(double) }
      default: try value.encodeNil()
      }
    }
  }

  /// Its members; none if it is not an object.
  fileprivate var members: [JSONMember] {
    if case .object(let members) = self { members } else { [] }
  }

  fileprivate var double: Double? {
    if case .number(let token) = self { decimal(token) } else { nil }
  }

  fileprivate var texts: [String]? {
    guard case .array(let items) = self else { return asText.map { [$0] } }
    let texts = items.compactMap(\.asText)
    return texts.count == items.count ? texts : nil
  }
}

extension Restaurant: Codable {
  /// Decodes a restaurant from the flat keys of `RestaurantField`; other keys are ignored.
  ///
  /// - Throws: `DecodingError` if `id`, `name`, `source` or the position is missing, or a value is not
  ///   possible.
  public init(from decoder: any Decoder) throws {
    let value = try JSONValue(from: decoder)
    func fault(_ reason: String) -> DecodingError {
      .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
    }
    func text(_ field: RestaurantField) throws -> String {
      guard let text = value[name: field.rawValue]?.asText, !text.isEmpty else {
        throw fault("\(field.rawValue) is missing")
      }
      return text
    }
    self.init(
      id: try text(.id),
      name: try text(.name),
      coordinate: try Coordinate(from: decoder),
      source: try text(.source)
    )
    for member in value.members {
      guard let field = RestaurantField(rawValue: member.name),
        !RestaurantField.ofAnswers.contains(field), !member.value.isNull,
        member.value != .string("")
      else { continue }
      guard restore(member.value, of: field) else {
        throw fault(
          "\(member.name) has a value that is not possible: \(shortened("\(member.value)"))"
        )
      }
    }
  }

  /// Encodes the restaurant under its flat keys; what is missing is omitted.
  public func encode(to encoder: any Encoder) throws {
    try JSONValue.object(Match(restaurant: self).members(RestaurantField.stored))
      .encode(to: encoder)
  }
}

extension Filter: Codable {
  /// Decodes a filter from the members of `POST /search`.
  ///
  /// These are `category`, `q`, `city`, `filter` with `filter-lang`, `within` (GeoJSON), `open`,
  /// `open-unknown` and `ids`; other keys are ignored.
  ///
  /// - Throws: `QueryError` if a member is wrong; errors of the decoder.
  public init(from decoder: any Decoder) throws {
    try self.init(members: try JSONValue(from: decoder))
  }

  /// Encodes what ``init(from:)`` reads, so that an equal filter is decoded.
  ///
  /// - Throws: `EncodingError` if its expression joins conditions of the short grammar and of CQL2,
  ///   which no language of filters has; errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    guard let members else {
      throw EncodingError.invalidValue(
        self,
        .init(codingPath: encoder.codingPath, debugDescription: "no text says what it means")
      )
    }
    try JSONValue.object(members).encode(to: encoder)
  }

  fileprivate init(members value: JSONValue) throws(QueryError) {
    self.init()
    func wrong(_ name: String, _ expected: String) -> QueryError {
      QueryError(name, "must be \(expected)")
    }
    for member in value.members where !member.value.isNull {
      switch member.name {
      case "category":
        guard let texts = member.value.texts else { throw wrong("category", "an array of texts") }
        categories = texts
      case "ids":
        guard let texts = member.value.texts else { throw wrong("ids", "an array of texts") }
        ids = texts
      case "q":
        guard let words = member.value.asText else { throw wrong("q", "a text") }
        text = words
      case "city":
        guard let city = member.value.asText else { throw wrong("city", "a text") }
        require(.condition(try Condition(.city, .equal, city)))
      case "filter": require(try Self.expression(member.value, value[name: "filter-lang"]))
      case "within":
        area = try AreaList(parsing: Array(member.value.description.utf8)).joined()
      case "open":
        let includesUnknown = value[name: "open-unknown"] == .bool(true)
        open = try OpenAt(member.value.asText ?? "", now: .now, includesUnknown: includesUnknown)
      default: continue
      }
    }
  }

  private static func expression(
    _ value: JSONValue,
    _ language: JSONValue?
  ) throws(QueryError) -> FilterExpression {
    var name = language?.asText ?? FilterLanguage.short.rawValue
    if case .object = value { name = FilterLanguage.cql2JSON.rawValue }
    guard let known = FilterLanguage(name: name) else {
      throw QueryError("filter-lang", "is not a language of filters: \"\(shortened(name))\"")
    }
    return try FilterExpression(value.asText ?? value.description, in: known)
  }

  /// The members that are read as an equal filter; nil if there are none.
  fileprivate var members: [JSONMember]? {
    guard favoriteIDs == nil, open?.isUnknownOnly != true else { return nil }
    var members: [JSONMember] = []
    members.add("category", categories)
    members.add("q", text.isEmpty ? nil : text)
    if let expression {
      let short = expression.description
      if (try? FilterExpression(short)) == expression {
        members.add("filter", short)
      } else if (try? FilterExpression(expression.cql2Text, in: .cql2Text)) == expression {
        members.add("filter", expression.cql2Text)
        members.add("filter-lang", FilterLanguage.cql2Text.rawValue)
      } else {
        return nil
      }
    }
    if let area {
      var json = JSONWriter()
      json.geometry(area, asMultiPolygon: true)
      members.add("within", try? JSONValue(parsing: json.bytes))
    }
    if let open {
      members.add("open", open.time.description)
      if open.includesUnknown { members.add("open-unknown", .bool(true)) }
    }
    if let ids { members.add("ids", .array(ids.map(JSONValue.string))) }
    return members
  }
}

extension Query: Codable {
  /// Decodes a query from the members of `POST /search`.
  ///
  /// These are the members of a ``Filter``; `lat` and `lon` with `radius` or with `count` and `max`, or
  /// `bbox`; `sortby`, `limit`, `offset` and `cursor`. Distances are meters; without `limit` all
  /// restaurants follow.
  ///
  /// - Throws: `QueryError` if a member is wrong; errors of the decoder.
  public init(from decoder: any Decoder) throws {
    let value = try JSONValue(from: decoder)
    func number(_ name: String) throws(QueryError) -> Double? {
      guard let member = value[name: name], !member.isNull else { return nil }
      guard let number = member.double else { throw QueryError(name, "must be a number") }
      return number
    }
    func count(_ name: String) throws(QueryError) -> Int? {
      guard let number = try number(name) else { return nil }
      guard let count = Int(exactly: number), count >= 0 else {
        throw QueryError(name, "must be a whole number, 0 or more")
      }
      return count
    }
    let order = try value[name: "sortby"].flatMap { $0.isNull ? nil : try Self.order($0) }
    self.init(
      try Self.region(value, number, count),
      matching: try Filter(members: value),
      in: order,
      limit: try count("limit"),
      offset: try count("offset") ?? 0,
      from: value[name: "cursor"]?.asText
    )
  }

  /// Encodes what ``init(from:)`` reads, so that an equal query is decoded: what to ask, without
  /// ``isExplained`` and ``deadline``.
  ///
  /// - Throws: As a ``Filter`` does.
  public func encode(to encoder: any Encoder) throws {
    guard var members = filter.members else { return try filter.encode(to: encoder) }
    func add(_ name: String, _ number: Double) {
      members.add(name, .number(number.description))
    }
    if let center {
      add("lat", center.latitude)
      add("lon", center.longitude)
    }
    switch region {
    case .nearest(_, let count, let distance):
      members.add("count", count)
      if distance < .infinity { add("max", distance) }
    case .radius(let radius, _): add("radius", radius)
    case .box(let box):
      let sides = [box.west, box.south, box.east, box.north]
      members.add("bbox", .array(sides.map { .number($0.description) }))
    case .everywhere: break
    }
    members.add("sortby", order?.terms.map { ($0.isDescending ? "-" : "") + $0.key.rawValue } ?? [])
    members.add("limit", limit)
    if offset > 0 { members.add("offset", offset) }
    members.add("cursor", cursor)
    try JSONValue.object(members).encode(to: encoder)
  }

  private static func region(
    _ value: JSONValue,
    _ number: (String) throws(QueryError) -> Double?,
    _ count: (String) throws(QueryError) -> Int?
  ) throws -> Region {
    let (latitude, longitude) = (try number("lat"), try number("lon"))
    let (radius, maximum) = (try number("radius"), try number("max"))
    let (limit, box) = (try count("count"), value[name: "bbox"].flatMap { $0.isNull ? nil : $0 })
    for (name, distance) in [("radius", radius), ("max", maximum)] {
      guard distance ?? 0 >= 0 else { throw QueryError(name, "must be 0 or more meters") }
    }
    guard let latitude, let longitude else {
      guard latitude == nil, longitude == nil, radius == nil, maximum == nil, limit == nil else {
        throw QueryError("lat", "lat and lon must both be there")
      }
      guard let box else { return .everywhere }
      guard case .array(let items) = box, items.count == 4,
        let found = BoundingBox(items.compactMap(\.double))
      else { throw QueryError("bbox", "must be west, south, east, north in degrees") }
      return .box(found)
    }
    guard box == nil else { throw QueryError("bbox", "does not go with lat and lon") }
    guard let center = Coordinate(latitude: latitude, longitude: longitude) else {
      throw QueryError("lat", "\(latitude),\(longitude) is not in -90...90,-180...180")
    }
    guard let radius else {
      return .nearest(to: center, count: limit ?? 10, within: maximum ?? .infinity)
    }
    guard limit == nil, maximum == nil else {
      throw QueryError("radius", "does not go with count and max")
    }
    return .radius(radius, of: center)
  }

  private static func order(_ value: JSONValue) throws(QueryError) -> Order? {
    let keys = (value.texts ?? [""]).flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }
    let terms = try keys.map { key throws(QueryError) in
      let (text, isDescending) = (String(key) ?? "", key.first == UInt8(ascii: "-"))
      guard let known = Order.Key(rawValue: isDescending ? String(text.dropFirst()) : text) else {
        throw QueryError("sortby", "is not a key of orders: \"\(shortened(text))\"")
      }
      return Order.Term(known, descending: isDescending)
    }
    return keys.isEmpty ? nil : try Order(terms)
  }
}
