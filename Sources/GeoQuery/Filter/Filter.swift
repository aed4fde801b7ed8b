public import GeoIndex

/// The restaurants that a query includes: those that match everything here.
///
/// Texts are compared without case and accents.
public struct Filter: Sendable, Hashable {
  /// Any of these categories; empty matches every category.
  ///
  /// A list (`Thai, Bars`) or a path (`Dining > Thai`) also matches by each of its parts.
  public var categories: [String]

  /// Every word of this text must start a word of name, category, address or city; empty for all.
  ///
  /// Apostrophes are dropped on both sides: `glorias` finds Gloria's.
  public var text: String

  /// What must be true of the fields; nil matches all.
  public var expression: FilterExpression?

  /// Only restaurants with one of these ids, compared as UTF-8 bytes; nil matches all.
  ///
  /// Unknown ids are ignored.
  public var ids: [String]?

  /// Only restaurants in this area or on its boundary; nil matches all.
  ///
  /// - Complexity: O(vertices) to set.
  public var area: Area? {
    get { digestedArea?.area }
    set { digestedArea = newValue.map(DigestedArea.init) }
  }

  /// The area with its digest, which is O(1) to set.
  package var digestedArea: DigestedArea?

  /// Only restaurants that are open at a time; nil for all.
  public var open: OpenAt?

  /// The ids of the favorites if only these match; nil matches all.
  ///
  /// They are separate from `ids`, because a cursor stays valid when the favorites change.
  package var favoriteIDs: [String]?

  /// The filter that matches every restaurant.
  public static let all = Filter()

  /// Makes a filter; `conditions` must be true as well as `expression`.
  public init(
    categories: [String] = [],
    text: String = "",
    where expression: FilterExpression? = nil,
    conditions: [Condition] = [],
    ids: [String]? = nil,
    area: Area? = nil,
    open: OpenAt? = nil
  ) {
    self.categories = categories
    self.text = text
    self.expression = expression
    self.ids = ids
    digestedArea = area.map(DigestedArea.init)
    self.open = open
    for condition in conditions { require(.condition(condition)) }
  }

  /// Adds what must be true as well.
  public mutating func require(_ other: FilterExpression) {
    expression = .all(of: [expression, other].compactMap(\.self))
  }

  /// The conditions that must all be true; not those within `or` and `not`.
  public var conditions: [Condition] {
    (expression?.conjuncts ?? []).compactMap { part in
      if case .condition(let condition) = part { condition } else { nil }
    }
  }

  /// The number of tests of single fields.
  package var testCount: Int { expression?.subjects.count ?? 0 }

  /// Whether it matches every restaurant.
  package var takesAll: Bool {
    categories.isEmpty && expression == nil && text.isBlank && ids == nil
      && favoriteIDs == nil && digestedArea == nil && open == nil
  }

  /// Whether it tests values that are only in the records, which takes long.
  package var readsRecords: Bool { expression?.readsRecords ?? false }

  /// Whether the favorites decide what matches.
  package var testsFavorites: Bool { favoriteIDs != nil || expression?.testsFavorites == true }

  /// The filter as bytes, which are equal for equal filters, whatever the favorites.
  package var bytes: [UInt8] {
    // no text contains the separators
    var bytes: [UInt8] = []
    for category in categories { bytes += category.utf8 + [0xFF] }
    bytes += [0xFE] + Array(text.utf8) + [0xFE]
    for part in expression?.conjuncts ?? [] { bytes += part.description.utf8 + [0xFF] }
    bytes.append(0xFE)
    for id in ids ?? [] { bytes += id.utf8 + [0xFF] }
    bytes += [ids == nil ? 0xFD : 0xFE, favoriteIDs == nil ? 0xFD : 0xFE]
    if let digestedArea { bytes += [0xFC] + digestedArea.digest }
    return bytes + (open?.bytes ?? [])
  }
}

/// An area with a digest, by which areas of a million vertices are told apart.
package struct DigestedArea: Sendable, Hashable {
  /// The area.
  package let area: Area

  /// SHA-256 of all its positions.
  package let digest: [UInt8]

  /// Computes the digest.
  ///
  /// - Complexity: O(vertices).
  package init(_ area: Area) {
    self.area = area
    var bytes: [UInt8] = []
    func add(_ word: UInt64) {
      withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }
    for rings in area.polygons {
      add(UInt64(rings.count))
      for ring in rings {
        add(UInt64(ring.count))
        for vertex in ring {
          add(vertex.longitude.bitPattern)
          add(vertex.latitude.bitPattern)
        }
      }
    }
    digest = SHA256.digest(of: bytes)
  }

  package static func == (left: Self, right: Self) -> Bool { left.digest == right.digest }

  package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// What is wrong with a query, and what is expected instead.
public struct QueryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The part of the query, named as on the command line and in addresses: `where`, `cursor`.
  public let parameter: String

  /// What is wrong with it; it names the column, if there is one.
  public let reason: String

  /// Where in the text of the parameter that is: the number of the Unicode scalar, the first is 1.
  public let column: Int?

  /// Makes an error.
  public init(_ parameter: String, _ reason: String, column: Int? = nil) {
    self.parameter = parameter
    self.reason = reason
    self.column = column
  }

  /// The parameter and the reason as one sentence.
  public var description: String { complaint(about: parameter, reason) }
}

/// What is wrong with a parameter, as one sentence: `lat is missing`, `where: unknown field "x"`.
package func complaint(about parameter: String, _ reason: String) -> String {
  let isPredicate = ["is ", "has ", "must "].contains { reason.utf8.starts(with: $0.utf8) }
  return parameter + (isPredicate ? " " : ": ") + reason
}

/// The entries of a category, which may be a list (`Thai, Bars`, `Thai;Vegan`, `Pizza|Bar`) or a path
/// (`Dining > Thai`).
///
/// Commas, semicolons, bars and angle brackets divide it, also in their full-width forms; a slash does
/// not. Each entry is without blanks at its ends.
///
/// - Returns: The entries in their order; the category itself if it has none.
package func categoryEntries(of category: String) -> [String] {
  let parts = category.unicodeScalars.split { entrySeparators.contains($0) }
  let entries = parts.map { String($0).trimmed }.filter { !$0.isEmpty }
  return entries.isEmpty ? [category] : entries
}

private let entrySeparators: Set<Unicode.Scalar> = [",", ";", "|", ">", "，", "；", "｜", "＞"]

/// The categories that a filter wants, folded.
///
/// A restaurant has one of them if its category, or an entry of it, is equal.
package struct CategoryNames: Sendable {
  private let wanted: Set<UTF8Key>

  /// - Parameter names: Categories as the caller writes them.
  package init(_ names: some Sequence<String>) {
    wanted = Set(names.map { UTF8Key(folded($0)) })
  }

  /// Whether there are no categories, so that all match.
  package var isEmpty: Bool { wanted.isEmpty }

  /// Whether a restaurant's category is among them.
  package func contain(_ category: String) -> Bool {
    contain(folded: folded(category))
      || categoryEntries(of: category).contains { contain(folded: folded($0)) }
  }

  /// Whether a folded text is among them.
  func contain(folded text: String) -> Bool { wanted.contains(UTF8Key(text)) }
}
