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
  package struct MemberValue: Sendable, Hashable {
    /// The text, folded.
    package let text: String

    /// The value as a number; nil if it is not one, or is quoted.
    package let number: Double?

    /// The value as true or false; nil if it is neither, or is quoted.
    package let flag: Bool?

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

  static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
}
