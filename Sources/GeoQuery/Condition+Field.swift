extension Condition {
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
      let lower = ByteKey(name.lowercased())
      let found = Self.allCases.first { ByteKey($0.rawValue.lowercased()) == lower }
      guard let field = found else { return nil }
      self = field
    }

    /// Its name in conditions.
    package var usage: String { self == .extra ? "extra.NAME" : rawValue }

    /// Whether its values are only in the records, not in a column.
    var isInRecords: Bool { self == .extra || self == .description }

    /// The type of its values.
    var kind: Kind {
      switch self {
      case .extra: .member
      case .rating, .ratingScale, .reviewCount, .priceLevel, .latitude, .longitude: .number
      case .open, .closed: .flag
      default: .text
      }
    }
  }

  /// The types of values.
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

    /// The comparisons that are possible.
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
        switch ByteKey(text.lowercased()) {
        case "true", "yes", "1": .flag(true)
        case "false", "no", "0": .flag(false)
        default: nil
        }
      }
    }

    /// Decimal digits, a point and an exponent; neither hexadecimal nor infinite.
    static func number(_ text: String) -> Double? {
      guard text.utf8.allSatisfy({ decimals.contains($0) }), let value = Double(text),
        value.isFinite
      else { return nil }
      return value
    }

    private static let decimals = Set("0123456789+-.eE".utf8)
  }
}
