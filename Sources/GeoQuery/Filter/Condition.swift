/// A condition on one field of a restaurant: `city = Dallas`, `rating >= 4`, `name ~ grill`.
///
/// Texts are compared without case and accents, `<` and similar operators by their folded UTF-8
/// bytes; numbers as in the feed. A restaurant without the field never matches, not even `!=`.
///
/// `extra.outdoor_seating = yes` tests a member without its own key, see `MemberValue`.
public struct Condition: Sendable, Hashable {
  /// The tested field.
  public let field: Field

  /// The names that lead to a member of `extra`; empty for every other field.
  public let path: [String]

  /// The comparison.
  public let comparison: Comparison

  /// The value to compare with.
  public let operand: Operand

  /// The comparisons of a field with a value.
  public enum Comparison: String, Sendable, CaseIterable {
    /// Equal.
    case equal = "="
    /// Present, but not equal.
    case notEqual = "!="
    /// Before.
    case less = "<"
    /// Before or equal.
    case lessOrEqual = "<="
    /// After.
    case greater = ">"
    /// After or equal.
    case greaterOrEqual = ">="
    /// Contains the value, for texts.
    case contains = "~"
  }

  /// A value of the field's kind.
  public enum Operand: Sendable, Hashable {
    /// A text, folded.
    case text(String)
    /// A finite number.
    case number(Double)
    /// True or false.
    case flag(Bool)
    /// A value that is compared with a member of `extra` of any type.
    case member(MemberValue)
  }

  /// Makes a condition.
  ///
  /// - Throws: `QueryError` if the value does not have the field's type, or the type has no such
  ///   comparison.
  public init(_ field: Field, _ comparison: Comparison, _ value: String) throws(QueryError) {
    try self.init(field, [], comparison, value)
  }

  /// Makes a condition on a member of `extra`.
  ///
  /// - Parameters:
  ///   - path: The names that lead to it, exactly as the feed has them.
  ///   - comparison: The comparison.
  ///   - value: The value to compare with.
  /// - Throws: `QueryError` if the path has no names, too many, or too long ones.
  public init(extra path: [String], _ comparison: Comparison, _ value: String) throws(QueryError) {
    try self.init(.extra, path, comparison, value)
  }

  private init(
    _ field: Field,
    _ path: [String],
    _ comparison: Comparison,
    _ value: String,
    isQuoted: Bool = false
  ) throws(QueryError) {
    func problem(_ reason: String) -> QueryError {
      QueryError("where", "\(field.usage) \(comparison.rawValue) \"\(value)\": \(reason)")
    }
    if field == .extra { try Self.check(path) }
    guard field.kind.comparisons.contains(comparison) else {
      let known = field.kind.comparisons.map(\.rawValue).joined(separator: " ")
      throw problem("\(field.rawValue) is \(field.kind.name); its operators are \(known)")
    }
    guard let operand = field.kind.operand(value, isQuoted: isQuoted) else {
      throw problem("\(field.rawValue) is \(field.kind.name)")
    }
    self.field = field
    self.path = path
    self.comparison = comparison
    self.operand = operand
  }

  /// Reads a condition: field, operator, value, with or without blanks between them; a value that
  /// begins with one of `=!<>~` needs a blank before it; a value may be in quotes: `'…'` or `"…"`.
  ///
  /// - Throws: `QueryError` that lists the fields and operators, if one is unknown.
  public init(_ text: String) throws(QueryError) {
    try self.init(text, valueLength: .max)
  }

  /// Reads a condition whose value has at most `valueLength` bytes of UTF-8.
  init(_ text: String, valueLength: Int) throws(QueryError) {
    let isBlank = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
    let bare = text.unicodeScalars.drop(while: isBlank)
    let nameEnd = bare.firstIndex { !Self.isNamePart($0) } ?? bare.endIndex
    let name = String(bare[..<nameEnd])
    guard let field = Field(name: name) else {
      let found = name.isEmpty ? "no field in \"\(text)\"" : "unknown field \"\(name)\""
      throw QueryError("where", "\(found); \(Self.grammar)")
    }
    var afterName = bare[nameEnd...]
    let path = field == .extra ? try Self.takePath(from: &afterName) : []
    let rest = afterName.drop(while: isBlank)
    // all of them together: <> is not an operator, rather than < and a value that begins with >
    let signEnd = rest.firstIndex { !"=!<>~".unicodeScalars.contains($0) } ?? rest.endIndex
    let sign = String(rest[..<signEnd])
    guard let comparison = Comparison(rawValue: sign) else {
      let found = sign.isEmpty ? "no operator after \"\(name)\"" : "unknown operator \"\(sign)\""
      throw QueryError("where", "\(found); \(Self.grammar)")
    }
    let value = String(rest[signEnd...]).trimmingBlanks
    guard !value.isEmpty else {
      throw QueryError(
        "where",
        "no value after \"\(name) \(comparison.rawValue)\"; \(Self.grammar)"
      )
    }
    guard let bare = Self.unquoted(value), !bare.isEmpty else {
      throw QueryError(
        "where",
        "the value \(value) is not closed by the quote it begins with; write that twice within the quotes"
      )
    }
    // answered without a word, it would find nothing
    guard bare.utf8.count < value.utf8.count || !value.lowercased().contains(" or ") else {
      throw QueryError(
        "where",
        "or does not join conditions, and the value \(shortened(value)) contains it; if it is a part of "
          + "the value, quote that: name = 'Surf or Turf'"
      )
    }
    guard bare.utf8.count <= valueLength else {
      throw QueryError("where", "a value has at most \(valueLength) bytes, got \(bare.utf8.count)")
    }
    try self.init(field, path, comparison, bare, isQuoted: bare.utf8.count < value.utf8.count)
  }

  /// The condition in its own grammar, its value folded.
  var description: String {
    let value =
      switch operand {
      case .text(let text): text
      case .number(let number): number.description
      case .flag(let flag): flag.description
      case .member(let value): value.isText ? Self.quoted(value.text) : value.text
      }
    let names = path.map { "." + Self.quoted($0) }.joined()
    return "\(field.rawValue)\(names) \(comparison.rawValue) \(value)"
  }

  private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_"
  }

  private static let grammar =
    "expected FIELD OP VALUE; fields are \(Field.allCases.map(\.usage).joined(separator: ", ")); "
    + "operators are \(Comparison.allCases.map(\.rawValue).joined(separator: " "))"

  /// The fields that conditions can test.
  public enum Field: String, Sendable, CaseIterable {
    /// The name.
    case name
    /// The category.
    case category
    /// The chain or brand.
    case chain
    /// Street and number.
    case address
    /// The street that crosses nearby.
    case crossStreet
    /// City or town.
    case city
    /// State or region.
    case state
    /// Postal code: a text.
    case postalCode
    /// Two-letter country code.
    case countryCode
    /// Country by name.
    case country
    /// Telephone number to dial.
    case phone
    /// The restaurant's own site.
    case website
    /// The feed of the record.
    case source
    /// The mean rating, on the feed's own scale.
    case rating
    /// The best rating possible.
    case ratingScale
    /// The number of ratings.
    case reviewCount
    /// Price from 1 to 4.
    case priceLevel
    /// Degrees north.
    case latitude
    /// Degrees east.
    case longitude
    /// Not closed for good.
    case open
    /// Closed for good.
    case closed
    /// A description in the feed's words.
    case description
    /// A member without its own key, at a path of names.
    case extra

    /// A field by its name, without regard to case.
    public init?(name: String) {
      let lower = UTF8Key(name.lowercased())
      let found = Self.allCases.first { UTF8Key($0.rawValue.lowercased()) == lower }
      guard let field = found else { return nil }
      self = field
    }

    /// Its name in conditions.
    package var usage: String { self == .extra ? "extra.NAME" : rawValue }

    /// Whether its values are only in the records, not in a column.
    var isInRecords: Bool { self == .extra || self == .description }

    var kind: Kind {
      switch self {
      case .extra: .member
      case .rating, .ratingScale, .reviewCount, .priceLevel, .latitude, .longitude: .number
      case .open, .closed: .flag
      default: .text
      }
    }
  }

  enum Kind {
    case text, number, flag, member

    /// The kind in a sentence.
    var name: String {
      switch self {
      case .text: "a text"
      case .number: "a number"
      case .flag: "true or false"
      case .member: "a value"
      }
    }

    var comparisons: [Comparison] {
      switch self {
      case .text, .member: Comparison.allCases
      case .number: Comparison.allCases.filter { $0 != .contains }
      case .flag: [.equal, .notEqual]
      }
    }

    /// A value of this kind; nil if the text is not one.
    func operand(_ text: String, isQuoted: Bool) -> Operand? {
      switch self {
      case .member: .member(MemberValue(text, isQuoted: isQuoted))
      case .text: .text(folded(text))
      case .number: Self.number(text).map(Operand.number)
      case .flag:
        switch UTF8Key(text.lowercased()) {
        case "true", "yes", "1": .flag(true)
        case "false", "no", "0": .flag(false)
        default: nil
        }
      }
    }

    static func number(_ text: String) -> Double? {
      decimal(text).flatMap { $0.isFinite ? $0 : nil }
    }
  }
}
