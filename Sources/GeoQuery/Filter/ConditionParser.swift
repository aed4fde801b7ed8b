extension Condition {
  /// Reads conditions joined by the word `and`: `rating >= 4 and city = Dallas`.
  ///
  /// A value that contains this word must be in single or double quotes, `name = 'Salt and
  /// Pepper'`; a doubled quote in it stands for one.
  ///
  /// - Parameters:
  ///   - text: The conditions.
  ///   - maximumConditions: The maximum number of conditions.
  ///   - valueLength: The maximum length of a value in bytes of UTF-8.
  /// - Returns: The conditions, in their order.
  /// - Throws: `QueryError` if a condition is invalid or too long, or there are too many.
  /// - Complexity: O(length of the text).
  public static func list(
    _ text: String,
    atMost maximumConditions: Int = .max,
    valueLength: Int = .max
  ) throws(QueryError) -> [Condition] {
    let parts = split(text)
    guard parts.count <= maximumConditions else {
      throw QueryError("where", "has \(parts.count) conditions, at most \(maximumConditions)")
    }
    var conditions: [Condition] = []
    for part in parts {
      // and room for the field and the operator
      guard valueLength == .max || part.utf8.count <= valueLength + otherLength else {
        throw QueryError(
          "where",
          "a value has at most \(valueLength) bytes, a condition has \(part.utf8.count)"
        )
      }
      do throws(QueryError) {
        conditions.append(try Condition(part, valueLength: valueLength))
      } catch {
        guard parts.count > 1 else { throw error }
        throw QueryError(
          "where",
          "\(error.reason); quote a value that contains the word \"and\": name = 'Salt and Pepper'"
        )
      }
    }
    return conditions
  }

  private static let otherLength = 64 + pathLength

  private enum Place {
    case field, operation, value
  }

  /// The parts of a text between the words `and` that are not in quotes.
  private static func split(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    var parts: [String] = []
    var start = 0
    var index = 0
    var place = Place.field
    while index < bytes.count {
      let byte = bytes[index]
      if place != .value, isQuote(byte) {
        index = endOfQuote(bytes, index)
        if place == .operation { place = .value }
        continue
      }
      if isBlank(byte), let next = endOfJoint(bytes, index) {
        parts.append(String(decoding: bytes[start..<index], as: UTF8.self))
        start = next
        index = next
        place = .field
        continue
      }
      switch place {
      case .field: if "=!<>~".utf8.contains(byte) { place = .operation }
      case .operation: if !isBlank(byte), !"=!<>~".utf8.contains(byte) { place = .value }
      case .value: break
      }
      index += 1
    }
    parts.append(String(decoding: bytes[start...], as: UTF8.self))
    return parts
  }

  /// The index after a quoted value; that of the end if nothing closes it.
  private static func endOfQuote(_ bytes: [UInt8], _ start: Int) -> Int {
    let quote = bytes[start]
    var index = start + 1
    while index < bytes.count {
      guard bytes[index] == quote else {
        index += 1
        continue
      }
      guard index + 1 < bytes.count, bytes[index + 1] == quote else { return index + 1 }
      index += 2
    }
    return index
  }

  /// The index after a blank, the word `and` in any case, and another blank; nil if that is not here.
  private static func endOfJoint(_ bytes: [UInt8], _ start: Int) -> Int? {
    guard start + 4 < bytes.count, isBlank(bytes[start + 4]),
      bytes[(start + 1)..<(start + 4)].map({ $0 | 0x20 }) == Array("and".utf8)
    else { return nil }
    return start + 4
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func isQuote(_ byte: UInt8) -> Bool { "'\"".utf8.contains(byte) }

  /// A value without its quotes; nil if it begins with a quote that is not closed at its end.
  static func unquoted(_ value: String) -> String? {
    guard let quote = value.utf8.first, isQuote(quote) else { return value }
    var rest = Substring(value).unicodeScalars
    let inner = takeQuoted(from: &rest)
    return rest.isEmpty ? inner : nil
  }
}

/// Conditions on members of `extra`: `extra.outdoor_seating = yes`, `extra.attributes.WiFi = free`.
///
/// Names are compared byte by byte; those with a dot, a blank or one of `=!<>~'` are in quotes:
/// `extra.'opening hours' = late`. A list matches if an element does; with `!=`, if none is equal.
/// Objects and null are not values.
extension Condition {
  /// A value that is compared with a member of `extra` of any type.
  ///
  /// A number is compared with numbers and with texts that are decimals; any other text, and a
  /// quoted one, is compared with texts, folded. `true` and `yes`, `false` and `no` also match the
  /// values true and false. A value of another type matches `!=` only.
  public struct MemberValue: Sendable, Hashable {
    /// The text, folded.
    public let text: String

    /// The value as a number; nil if it is not one, or is quoted.
    public let number: Double?

    /// The value as true or false; nil if it is neither, or is quoted.
    public let flag: Bool?

    init(_ value: String, isQuoted: Bool) {
      text = folded(value)
      number = isQuoted ? nil : Kind.number(value)
      flag =
        switch UTF8Key(text) {
        case "true" where !isQuoted, "yes" where !isQuoted: true
        case "false" where !isQuoted, "no" where !isQuoted: false
        default: nil
        }
    }

    /// Makes a value that is compared with texts only.
    init(foldedText: String) {
      text = foldedText
      number = nil
      flag = nil
    }

    /// Whether it is compared with texts only.
    var isText: Bool { number == nil && flag == nil }
  }

  /// The maximum number of names that lead to a member: records are not nested more deeply.
  static let maximumNames = 32

  /// The maximum length of these names together, in bytes of UTF-8.
  static let pathLength = 256

  /// Checks the names that lead to a member.
  ///
  /// - Throws: `QueryError` if there are none, too many, or too long ones.
  static func check(_ path: [String]) throws(QueryError) {
    guard !path.isEmpty else {
      throw QueryError("where", "extra is an object; name one of its members, as in extra.NAME")
    }
    guard path.count <= maximumNames else {
      throw QueryError("where", "a path has at most \(maximumNames) names, got \(path.count)")
    }
    let length = path.reduce(0) { $0 + $1.utf8.count }
    guard length <= pathLength else {
      throw QueryError(
        "where",
        "the names in a path may have at most \(pathLength) bytes, got \(length)"
      )
    }
  }

  /// Takes the names after `extra` from the start of a text.
  ///
  /// - Throws: `QueryError` if a dot has no name after it, or a quote is not closed.
  static func takePath(
    from text: inout Substring.UnicodeScalarView
  ) throws(QueryError) -> [String] {
    var path: [String] = []
    while text.first == "." {
      text.removeFirst()
      let isQuoted = text.first == "'" || text.first == "\""
      guard let name = isQuoted ? takeQuoted(from: &text) : takeBare(from: &text) else {
        throw QueryError(
          "where",
          isQuoted
            ? "a name is not closed by the quote it begins with; write that twice within the quotes"
            : "no name after a dot of extra; one with odd characters stands between quotes: extra.'a b'"
        )
      }
      path.append(name)
    }
    return path
  }

  private static func takeBare(from text: inout Substring.UnicodeScalarView) -> String? {
    let end = text.firstIndex { ".=!<>~'\" \t".unicodeScalars.contains($0) } ?? text.endIndex
    let name = String(text[..<end])
    text = text[end...]
    return name.isEmpty ? nil : name
  }

  /// A name between quotes; nil if nothing closes it.
  private static func takeQuoted(from text: inout Substring.UnicodeScalarView) -> String? {
    let quote = text.removeFirst()
    var name = String.UnicodeScalarView()
    while let scalar = text.popFirst() {
      if scalar == quote {
        guard text.first == quote else { return String(name) }
        text.removeFirst()
      }
      name.append(scalar)
    }
    return nil
  }

  static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
}
