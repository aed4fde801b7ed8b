/// Which restaurants count in a query.
///
/// Compared without case and accents.
public struct Filter: Sendable, Hashable {
  /// Any of these categories; empty takes every category.
  public var categories: [String]

  /// Every word of this text begins some word of name, category, address or city; empty takes all.
  ///
  /// Apostrophes are dropped on both sides: `glorias` finds Gloria's.
  public var text: String

  /// The filter that takes every restaurant.
  public static let all = Filter()

  /// Whether two category names mean the same category.
  public static func isSameCategory(_ name: String, _ other: String) -> Bool {
    folded(name) == folded(other)
  }

  /// Makes a filter.
  public init(categories: [String] = [], text: String = "") {
    self.categories = categories
    self.text = text
  }
}

/// A filter made ready for many rows.
struct CompiledFilter {
  private let categories: Set<String>
  private let words: [Substring]
  private let matchesNothing: Bool

  /// Nil where the filter takes everything.
  init?(_ filter: Filter) {
    categories = Set(filter.categories.map(folded))
    words = foldedWords(filter.text)
    // a text without a single letter or digit asks for something that no word can begin with
    matchesNothing = words.isEmpty && filter.text.contains { !$0.isWhitespace }
    if categories.isEmpty, words.isEmpty, !matchesNothing { return nil }
  }

  /// Whether a restaurant counts.
  func matches(_ texts: FilterTexts) -> Bool {
    if matchesNothing { return false }
    if !categories.isEmpty {
      guard let category = texts.category, categories.contains(folded(category)) else {
        return false
      }
    }
    if words.isEmpty { return true }
    let candidates = [texts.name, texts.category, texts.address, texts.city]
      .compactMap { $0 }.flatMap(foldedWords)
    return words.allSatisfy { word in candidates.contains { $0.hasPrefix(word) } }
  }
}

/// The texts of a restaurant that filters look at.
struct FilterTexts {
  let name: String?
  let category: String?
  let address: String?
  let city: String?
}
