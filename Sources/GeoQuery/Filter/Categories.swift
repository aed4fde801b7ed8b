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
