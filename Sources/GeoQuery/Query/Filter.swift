/// Which restaurants count in a query: those for which everything here holds.
///
/// Texts are compared without case and accents.
public struct Filter: Sendable, Hashable {
  /// Any of these categories; empty takes every category.
  ///
  /// A category that is a list (`Thai, Bars`) or a path (`Dining > Thai`) is each of its parts too.
  public var categories: [String]

  /// Every word of this text begins some word of name, category, address or city; empty takes all.
  ///
  /// Apostrophes are dropped on both sides: `glorias` finds Gloria's.
  public var text: String

  /// Conditions on single fields; all of them must hold.
  public var conditions: [Condition]

  /// Only restaurants with one of these ids, compared as UTF-8 bytes; nil takes all.
  ///
  /// Ids that no restaurant has find nothing.
  public var ids: [String]?

  /// The ids of the favorites if only these count; nil takes all.
  ///
  /// Apart from `ids`, because a cursor stays valid when the favorites change.
  package var favoriteIDs: [String]?

  /// The filter that takes every restaurant.
  public static let all = Filter()

  /// Makes a filter.
  public init(
    categories: [String] = [],
    text: String = "",
    conditions: [Condition] = [],
    ids: [String]? = nil
  ) {
    self.categories = categories
    self.text = text
    self.conditions = conditions
    self.ids = ids
  }

  /// Whether every restaurant counts.
  package var takesAll: Bool {
    categories.isEmpty && conditions.isEmpty && text.isBlank && ids == nil
      && favoriteIDs == nil
  }

  /// The filter as bytes: those of two filters are the same if the filters are, whatever the favorites.
  package var bytes: [UInt8] {
    // no text has the bytes between them
    var bytes: [UInt8] = []
    for category in categories { bytes += category.utf8 + [0xFF] }
    bytes += [0xFE] + Array(text.utf8) + [0xFE]
    for condition in conditions { bytes += condition.description.utf8 + [0xFF] }
    bytes.append(0xFE)
    for id in ids ?? [] { bytes += id.utf8 + [0xFF] }
    return bytes + [ids == nil ? 0xFD : 0xFE, favoriteIDs == nil ? 0xFD : 0xFE]
  }
}
