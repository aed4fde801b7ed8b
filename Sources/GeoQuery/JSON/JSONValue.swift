/// A JSON value that keeps the order of members and every digit of numbers.
///
/// Foundation's readers change `0.10` to `0.1` and round integers of 20 digits.
public enum JSONValue: Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, as the token in the text: `-96.50`, `1e3`, `92873089221`.
  case number(String)
  /// A string, unescaped.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object: its members in the order of the text, names unique byte for byte.
  case object([JSONMember])

  /// Whether both are the same, texts and digits byte for byte.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)), (.string(let left), .string(let right)):
      UTF8Key(left) == UTF8Key(right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let flag): hasher.combine(flag)
    case .number(let text), .string(let text): hasher.combine(UTF8Key(text))
    case .array(let values): hasher.combine(values)
    case .object(let members): hasher.combine(members)
    }
  }

  /// The depth of nested arrays and objects: 0 for a text or a number.
  package var depth: Int {
    switch self {
    case .array(let values): 1 + (values.map(\.depth).max() ?? 0)
    case .object(let members): 1 + (members.map(\.value.depth).max() ?? 0)
    default: 0
    }
  }

  package var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The type of the value in words, for error messages.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .number: "a number"
    case .string: "text"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// Reads a whole JSON text by RFC 8259, strictly: UTF-8, no member twice, at most 32 levels deep.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - depth: The level of the value itself; below 0, more levels are allowed.
  /// - Throws: `JSONSyntaxError` at the first byte that is wrong.
  package init(parsing bytes: [UInt8], depth: Int = 0) throws(JSONSyntaxError) {
    if let offset = firstInvalidUTF8(in: bytes) {
      throw JSONSyntaxError(offset: offset, problem: "not valid UTF-8")
    }
    var scanner = JSONScanner(bytes)
    self = try scanner.readValue(depth: depth)
    scanner.skipWhitespace()
    guard scanner.next == nil else { throw scanner.unexpected("the end of the text") }
  }

  /// The member of an object with a name, compared as UTF-8 bytes.
  package subscript(name name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first(named: name)?.value
  }
}

/// One member of a JSON object.
public struct JSONMember: Sendable, Hashable {
  /// The member's name, unescaped.
  public let name: String

  /// The member's value.
  public package(set) var value: JSONValue

  /// Makes a member.
  public init(name: String, value: JSONValue) {
    self.name = name
    self.value = value
  }

  /// Whether names and values are the same, byte for byte.
  public static func == (left: JSONMember, right: JSONMember) -> Bool {
    left.isNamed(right.name) && left.value == right.value
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(UTF8Key(name))
    hasher.combine(value)
  }

  /// Whether it has this name, compared as UTF-8 bytes.
  func isNamed(_ other: String) -> Bool { UTF8Key(name) == UTF8Key(other) }
}

extension [JSONMember] {
  /// The first member with a name, compared as UTF-8 bytes.
  package func first(named name: String) -> JSONMember? { first { $0.isNamed(name) } }

  package func firstIndex(named name: String) -> Int? { firstIndex { $0.isNamed(name) } }

  /// Adds a member, unless it is missing.
  package mutating func add(_ name: String, _ value: JSONValue?) {
    if let value { append(JSONMember(name: name, value: value)) }
  }

  package mutating func add(_ name: String, _ text: String?) {
    add(name, text.map(JSONValue.string))
  }

  package mutating func add(_ name: String, _ number: (some Numeric & CustomStringConvertible)?) {
    add(name, number.map { .number($0.description) })
  }

  /// Adds a list, unless it is empty.
  package mutating func add(_ name: String, _ texts: [String]) {
    add(name, texts.isEmpty ? nil : .array(texts.map(JSONValue.string)))
  }

  /// Adds an object, unless it is empty.
  package mutating func add(_ name: String, _ inner: [JSONMember]) {
    add(name, inner.isEmpty ? nil : .object(inner))
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as compact JSON text.
  public var description: String { JSONWriter.of(self) }
}
