/// Conditions joined by `and`, `or` and `not`: `rating >= 4 and not (city = Dallas or phone is null)`.
///
/// A condition on a missing value is neither true nor false but unknown, and so is its `not`; `and` is
/// false if a part is false, `or` is true if a part is true, whatever the others (three-valued logic, as in
/// SQL). A restaurant matches only if the whole is true. So `!=` never matches a restaurant
/// without the field.
public indirect enum FilterExpression: Sendable, Hashable {
  /// A condition on one field.
  case condition(Condition)
  /// The field, or the member of `extra` at a path, has no value. It is never unknown.
  case isNull(Condition.Field, path: [String])
  /// The position lies in a geometry. It is never unknown.
  case spatial(SpatialPredicate)
  /// True if the expression is false.
  case not(FilterExpression)
  /// True if all parts are; without parts, true.
  case and([FilterExpression])
  /// True if any part is; without parts, false.
  case or([FilterExpression])

  /// The maximum length of a text in bytes of UTF-8.
  public static let maximumLength = 32_768

  /// The maximum number of `not` and of parentheses within each other.
  public static let maximumDepth = 32

  /// The maximum number of values of one `in`.
  public static let maximumValues = 100

  /// Joins parts by `and`; parts that are joined so become parts of the whole.
  public static func all(of parts: [FilterExpression]) -> FilterExpression {
    let flat = parts.flatMap { part in if case .and(let inner) = part { inner } else { [part] } }
    return flat.count == 1 ? flat[0] : .and(flat)
  }

  /// Joins parts by `or`; parts that are joined so become parts of the whole.
  public static func any(of parts: [FilterExpression]) -> FilterExpression {
    let flat = parts.flatMap { part in if case .or(let inner) = part { inner } else { [part] } }
    return flat.count == 1 ? flat[0] : .or(flat)
  }

  /// What must be true for the whole to be true.
  package var conjuncts: [FilterExpression] {
    if case .and(let parts) = self { parts } else { [self] }
  }

  /// The fields that it tests, each with the path of a member of `extra`, as often as it does.
  package var subjects: [(field: Condition.Field, path: [String])] {
    switch self {
    case .condition(let condition): [(condition.field, condition.path)]
    case .isNull(let field, let path): [(field, path)]
    case .spatial: []
    case .not(let inner): inner.subjects
    case .and(let parts), .or(let parts): parts.flatMap(\.subjects)
    }
  }

  /// Whether it tests what is a favorite.
  package var testsFavorites: Bool { subjects.contains { $0.field == .favorite } }

  /// The same with tests of the id instead of tests of `favorite`.
  ///
  /// - Parameter ids: The ids of the favorites, compared as UTF-8 bytes.
  /// - Returns: An expression that the columns can answer.
  func replacingFavorites(by ids: [String]) -> FilterExpression {
    switch self {
    case .condition(let condition) where condition.field == .favorite:
      let favorites = ids.map {
        Condition.Operand.exact(ExactValue(content: .text($0), ignored: []))
      }
      let isFavorite: FilterExpression =
        ids.isEmpty ? .or([]) : .condition(Condition(.id, [], .equal, favorites))
      switch (condition.holds(true), condition.holds(false)) {
      case (true, true): return .and([])
      case (true, false): return isFavorite
      case (false, true): return .not(isFavorite)
      case (false, false): return .or([])
      }
    case .isNull(.favorite, _): return .or([])
    case .condition, .isNull, .spatial: return self
    case .not(let inner): return .not(inner.replacingFavorites(by: ids))
    case .and(let parts): return .and(parts.map { $0.replacingFavorites(by: ids) })
    case .or(let parts): return .or(parts.map { $0.replacingFavorites(by: ids) })
    }
  }

  /// Checks the length of a text before it is read.
  static func checkLength(of text: String) throws(QueryError) {
    guard text.utf8.count <= maximumLength else {
      throw QueryError(
        "where",
        "an expression has at most \(maximumLength) bytes of UTF-8, got \(text.utf8.count)"
      )
    }
  }
}

extension FilterExpression: CustomStringConvertible {
  /// The expression in the short grammar, folded texts in their folded form; it reads back as an equal one.
  ///
  /// Exact conditions and geometries, which the short grammar has not, are in CQL2.
  public var description: String { text(isCQL2: false) }

  /// The expression in CQL2 text; one that was read from CQL2 reads back as an equal one.
  public var cql2Text: String { text(isCQL2: true) }

  private func text(isCQL2: Bool) -> String {
    func grouped(_ part: FilterExpression, _ needsGroup: Bool) -> String {
      needsGroup ? "(\(part.text(isCQL2: isCQL2)))" : part.text(isCQL2: isCQL2)
    }
    switch self {
    case .condition(let condition):
      return condition.text(isNegated: false, isCQL2: isCQL2)
    case .isNull(let field, let path): return "\(Self.name(field, path, isCQL2)) is null"
    case .not(.isNull(let field, let path)):
      return "\(Self.name(field, path, isCQL2)) is not null"
    case .not(.condition(let condition)) where !condition.alternatives.isEmpty:
      return condition.text(isNegated: true, isCQL2: isCQL2)
    case .spatial(let test): return test.description
    case .not(let inner):
      if case .not = inner { return "not " + grouped(inner, isCQL2) }
      return "not " + grouped(inner, inner.isJoined)
    case .and(let parts) where parts.isEmpty: return "TRUE"
    case .or(let parts) where parts.isEmpty: return "FALSE"
    case .and(let parts):
      return parts.map { grouped($0, $0.isJoined) }.joined(separator: " and ")
    case .or(let parts):
      return parts.map { part in
        if case .or = part { grouped(part, part.isJoined) } else { grouped(part, false) }
      }.joined(separator: " or ")
    }
  }

  /// Whether it has several parts.
  private var isJoined: Bool {
    switch self {
    case .and(let parts), .or(let parts): !parts.isEmpty
    default: false
    }
  }

  /// A field with the names after it; in CQL2 between quotes if there are any.
  fileprivate static func name(
    _ field: Condition.Field,
    _ path: [String],
    _ isCQL2: Bool
  ) -> String {
    let name = field.rawValue + path.map { "." + Condition.quoted($0) }.joined()
    return isCQL2 && !path.isEmpty ? "\"\(name.replacing("\"", with: "\"\""))\"" : name
  }
}

extension Condition {
  /// The condition in its own grammar, its values folded.
  var description: String { text(isNegated: false, isCQL2: false) }

  fileprivate func text(isNegated: Bool, isCQL2: Bool) -> String {
    var name = FilterExpression.name(field, path, isCQL2)
    var sign = comparison == .notEqual && isCQL2 ? "<>" : comparison.rawValue
    if case .exact(let value) = operand {
      // in double quotes, which the short grammar has not
      name = FilterExpression.name(field, path, true)
      if path.isEmpty { name = "\"\(name)\"" }
      if value.ignored.contains(.accents) { name = "ACCENTI(\(name))" }
      if value.ignored.contains(.letterCase) { name = "CASEI(\(name))" }
      if comparison == .notEqual { sign = "<>" }
      if case .pattern = value.content { sign = "LIKE" }
    }
    if alternatives.isEmpty { return "\(name) \(sign) \(Self.text(operand))" }
    let values = operands.map(Self.text).joined(separator: ", ")
    return "\(name) \(isNegated ? "not in" : "in") (\(values))"
  }

  private static func text(_ operand: Operand) -> String {
    switch operand {
    case .text(let text): text.unicodeScalars.allSatisfy(isPlain) ? bare(text) : quoted(text)
    case .number(let number): number.description
    case .flag(let flag): flag.description
    case .member(let value):
      value.isText && !value.text.isEmpty ? quoted(value.text) : bare(value.text)
    case .exact(let value):
      switch value.content {
      case .text(let text): quoted(text.replacing("\\", with: "\\\\"))
      case .pattern(let text): quoted(text)
      case .number(let number): number.description
      case .flag(let flag): flag.description
      }
    }
  }

  /// A value without quotes: for none, a mark, because folding drops marks.
  private static func bare(_ text: String) -> String { text.isEmpty ? "\u{301}" : text }

  /// Whether a text of such characters needs no quotes.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    FilterExpression.isNamePart(scalar) || "-.:/+#@&*".unicodeScalars.contains(scalar)
  }
}

// MARK: - Unknown fields

extension FilterExpression {
  static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_"
  }

  /// What to write instead of a field that there is not; nil if nothing is similar.
  static func advice(onField name: String) -> String? {
    let typed = name.lowercased()
    if typed == "open" {
      return
        "closed = false finds those not closed for good, \(Remedy.filterByHours) those open at a time"
    }
    let similar =
      typed.utf8.count <= 40
      ? closest(to: typed, among: Condition.Field.allCases.map(\.rawValue)) : nil
    let meant = meanings[typed] ?? similar.flatMap(Condition.Field.init(rawValue:))
    return meant.map { "did you mean \($0.usage)?" }
  }

  /// Names that other programs and feeds have for the fields, in lower case.
  private static let meanings: [String: Condition.Field] = [
    "price": .priceLevel, "pricerange": .priceLevel, "price_range": .priceLevel,
    "cost": .priceLevel,
    "stars": .rating, "score": .rating, "maxrating": .ratingScale, "scale": .ratingScale,
    "reviews": .reviewCount, "review_count": .reviewCount, "ratings": .reviewCount,
    "votes": .reviewCount, "zip": .postalCode, "zipcode": .postalCode, "postcode": .postalCode,
    "postal_code": .postalCode, "cuisine": .category, "kind": .category, "type": .category,
    "categories": .category, "brand": .chain, "title": .name, "street": .address,
    "town": .city, "locality": .city, "region": .state, "province": .state, "cc": .countryCode,
    "country_code": .countryCode, "tel": .phone, "telephone": .phone, "url": .website,
    "web": .website,
    "site": .website, "lat": .latitude, "lon": .longitude, "lng": .longitude,
    "opening_hours": .hours,
    "openinghours": .hours, "image": .imageURL, "picture": .imageURL, "feed": .source,
    "permanently_closed": .closed, "isclosed": .closed,
  ]
}
