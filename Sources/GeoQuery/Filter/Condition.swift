/// A condition on one field of a restaurant: `city = Dallas`, `rating >= 4`, `name ~ grill`,
/// `state in ('TX', 'OK')`.
///
/// Texts are compared without case and accents, `<` and similar operators by their folded UTF-8
/// bytes; numbers as in the feed. For a restaurant without the field it is unknown whether the condition
/// is true, so that it never matches, not even `!=` or `not`. `closed` and `favorite` are never missing.
///
/// `extra.outdoor_seating = yes` tests a member without its own key, see `MemberValue`.
public struct Condition: Sendable, Hashable {
  /// The tested field.
  public let field: Field

  /// The names that lead to a member of `extra`; empty for every other field.
  package let path: [String]

  /// The comparison.
  package let comparison: Comparison

  /// The value to compare with.
  package let operand: Operand

  /// More values, any of which may be equal: those of `in` after the first; otherwise empty.
  package let alternatives: [Operand]

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
  package enum Operand: Sendable, Hashable {
    /// A text, folded.
    case text(String)
    /// A finite number.
    case number(Double)
    /// True or false.
    case flag(Bool)
    /// A value that is compared with a member of `extra` of any type.
    case member(MemberValue)
    /// A value that is compared exactly, as CQL2 does.
    case exact(ExactValue)
  }

  /// Makes a condition.
  ///
  /// - Throws: `QueryError` if the value does not have the field's type, or the type has no such
  ///   comparison.
  public init(_ field: Field, _ comparison: Comparison, _ value: String) throws(QueryError) {
    try self.init(field, [], comparison, [(value, false)])
  }

  /// Makes a condition with one value or several, each in quotes or not.
  init(
    _ field: Field,
    _ path: [String],
    _ comparison: Comparison,
    _ values: [(text: String, isQuoted: Bool)]
  ) throws(QueryError) {
    if field == .extra { try Self.check(path) }
    var operands: [Operand] = []
    for value in values {
      func problem(_ reason: String) -> QueryError {
        QueryError("where", "\(field.usage) \(comparison.rawValue) \"\(value.text)\": \(reason)")
      }
      guard field.kind.comparisons.contains(comparison) else {
        let known = field.kind.comparisons.map(\.rawValue).joined(separator: " ")
        throw problem("\(field.rawValue) is \(field.kind.name); its operators are \(known)")
      }
      guard let operand = field.kind.operand(value.text, isQuoted: value.isQuoted) else {
        throw problem("\(field.rawValue) is \(field.kind.name)")
      }
      operands.append(operand)
    }
    self.init(field, path, comparison, operands)
  }

  /// Makes a condition with values of the field's type, at least one.
  init(_ field: Field, _ path: [String], _ comparison: Comparison, _ operands: [Operand]) {
    precondition(!operands.isEmpty, "A condition compares with a value.")
    self.field = field
    self.path = path
    self.comparison = comparison
    operand = operands[0]
    alternatives = Array(operands.dropFirst())
  }

  /// Reads a condition: field, operator, value, with or without blanks between them; a value that
  /// begins with one of `=!<>~` needs a blank before it; a value may be in quotes: `'…'` or `"…"`.
  ///
  /// A value without quotes ends with the text, even if it contains the words `and` and `or`.
  ///
  /// - Throws: `QueryError` that lists the fields and operators, if one is unknown.
  public init(_ text: String) throws(QueryError) {
    var parser = try ExpressionParser(text, joinsConditions: false)
    guard case .condition(let condition) = try parser.readAll() else {
      throw QueryError("where", "\(shortened(text)) is not a condition FIELD OP VALUE")
    }
    self = condition
  }

  /// All values that it compares with.
  var operands: [Operand] { [operand] + alternatives }

  /// The fields that conditions can test.
  public enum Field: String, Sendable, CaseIterable {
    /// The key of this name, see `RestaurantField`; all of these are texts.
    case id, name, category, chain, address, crossStreet, city, state, postalCode, countryCode,
      country, formattedAddress, phone, formattedPhone, twitter, facebook, facebookUsername,
      facebookName, imageURL, images, website, hours, source, sourceID
    /// The number of this name; `rating` is on the feed's own scale.
    case rating, ratingScale, reviewCount, priceLevel, latitude, longitude
    /// Closed for good.
    case closed
    /// Kept as a favorite; known to engines with favorites only, see `QueryEngine`.
    case favorite
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
    package var isInRecords: Bool {
      switch self {
      case .extra, .description, .formattedAddress, .formattedPhone, .twitter, .facebook,
        .facebookUsername, .facebookName, .imageURL, .images, .hours, .sourceID:
        true
      default: false
      }
    }

    var kind: Kind {
      switch self {
      case .extra: .member
      case .rating, .ratingScale, .reviewCount, .priceLevel, .latitude, .longitude: .number
      case .closed, .favorite: .flag
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

/// The numbers from `low` to `high`, inclusive, or all others; never NaN, a missing value.
struct NumberRange {
  let low: Double
  let high: Double
  var isInside = true

  /// Whether a number is one of them; inlined, as `BitSet.init(capacity:where:)` is.
  @inline(__always)
  func contain(_ number: Double) -> Bool {
    (number >= low && number <= high) == isInside && number == number
  }
}
