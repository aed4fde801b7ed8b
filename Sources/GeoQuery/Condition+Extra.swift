/// Conditions on members of `extra`: `extra.outdoor_seating = yes`, `extra.attributes.WiFi = free`.
///
/// Names are compared byte by byte. A name with a dot, a blank or one of `=!<>~'` must be in
/// quotes: `extra.'opening hours' = late`. A list matches if one of its elements does; with `!=`,
/// if none is equal. Objects and null are not values.
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

    /// Reads a value.
    init(_ value: String, isQuoted: Bool) {
      text = folded(value)
      number = isQuoted ? nil : Kind.number(value)
      flag =
        switch ByteKey(text) {
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
  static let mostNames = 32

  /// The maximum length of these names together, in bytes of UTF-8.
  static let pathLength = 256

  /// Checks the names that lead to a member.
  ///
  /// - Throws: `QueryError` if there are none, too many, or too long ones.
  static func check(_ path: [String]) throws(QueryError) {
    guard !path.isEmpty else {
      throw QueryError("where", "extra is an object; name one of its members, as in extra.NAME")
    }
    guard path.count <= mostNames else {
      throw QueryError("where", "a path has at most \(mostNames) names, got \(path.count)")
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

  /// A text between quotes.
  static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
}
