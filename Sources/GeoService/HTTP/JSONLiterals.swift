import GeoQuery

/// Documents as literals of the program: `["type": "string", "minLength": 1]`.
extension JSONValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .string(value) }

  init(integerLiteral value: Int) { self.init(value) }

  init(_ number: Int) { self = .number("\(number)") }

  init(booleanLiteral value: Bool) { self = .bool(value) }

  init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// An object; members without a value are omitted.
  init(dictionaryLiteral elements: (String, JSONValue?)...) {
    self = .object(
      elements.compactMap { name, value in
        value.map { JSONMember(name: name, value: $0) }
      }
    )
  }

  /// A value that is written as JSON already; nil if it is not JSON.
  init?(text: String) {
    guard let value = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
    self = value
  }

  /// An array of numbers.
  static func numbers(_ numbers: [Double]) -> JSONValue {
    .array(numbers.map { .number($0.description) })
  }

  /// The links of a resource.
  static func links(_ links: [Link]) -> JSONValue {
    .array(
      links.map { link in
        [
          "href": .string(link.address), "rel": .string(link.relation),
          "type": .string(link.type), "title": link.title.map(JSONValue.string),
          "templated": link.isTemplate ? true : nil,
        ]
      }
    )
  }

  /// The text of a document: a value in a line.
  static func document(_ value: JSONValue) -> [UInt8] {
    var json = JSONWriter()
    json.value(value)
    json.raw("\n")
    return json.bytes
  }
}
