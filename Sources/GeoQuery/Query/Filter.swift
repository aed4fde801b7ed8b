/// Which restaurants count in a query.
///
/// Compared without case and accents.
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

  /// The filter that takes every restaurant.
  public static let all = Filter()

  /// Whether a restaurant's category is one that somebody asks for by a name, or has it as a part.
  public static func isCategory(_ category: String, named name: String) -> Bool {
    CategoryNames([name]).contain(category)
  }

  /// Makes a filter.
  public init(categories: [String] = [], text: String = "", conditions: [Condition] = []) {
    self.categories = categories
    self.text = text
    self.conditions = conditions
  }

  /// Whether every restaurant counts.
  var takesAll: Bool {
    categories.isEmpty && conditions.isEmpty && text.isBlank
  }

  /// Whether the text asks for something, but has no letter or digit: no word can begin with that.
  var hasTextWithoutWords: Bool {
    !text.isBlank && FoldedWords(text).words.isEmpty
  }
}

/// The filter's text and categories, made ready to look at rows one by one.
///
/// What the index on texts answers at once: for rows that have no such index, and for checking it.
struct CompiledFilter {
  private let categories: CategoryNames
  private let words: [ArraySlice<UInt8>]
  private let matchesNothing: Bool

  /// Nil where the filter takes every text and category.
  init?(_ filter: Filter) {
    categories = CategoryNames(filter.categories)
    words = FoldedWords(filter.text).words
    matchesNothing = filter.hasTextWithoutWords
    if categories.isEmpty, words.isEmpty, !matchesNothing { return nil }
  }

  /// Whether a restaurant counts.
  func matches(_ texts: FilterTexts) -> Bool {
    if matchesNothing { return false }
    if !categories.isEmpty {
      guard let category = texts.category, categories.contain(category) else { return false }
    }
    if words.isEmpty { return true }
    var found = FoldedWords()
    for text in [texts.name, texts.category, texts.address, texts.city] {
      if let text { found.add(text) }
    }
    let candidates = found.words
    return words.allSatisfy { word in candidates.contains { $0.starts(with: word) } }
  }
}

/// The texts of a restaurant that filters look at.
struct FilterTexts {
  let name: String?
  let category: String?
  let address: String?
  let city: String?
}
