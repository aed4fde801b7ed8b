/// The categories that a filter wants, folded.
///
/// A restaurant has one of them where its category is it, or is a list (`Thai, Bars`, `thai;bar`) or a
/// path (`Dining > Thai`) with it among its parts: feeds with several categories come as such texts.
package struct CategoryNames: Sendable {
  private let wanted: Set<ByteKey>

  /// - Parameter names: Categories as somebody asks for them.
  package init(_ names: some Sequence<String>) {
    wanted = Set(names.map { ByteKey(folded($0)) })
  }

  /// Whether any category is wanted: none takes all.
  package var isEmpty: Bool { wanted.isEmpty }

  /// Whether a restaurant's category is among them.
  package func contain(_ category: String) -> Bool {
    contain(folded: folded(category))
  }

  /// Whether a restaurant's category, folded, is among them.
  func contain(folded category: String) -> Bool {
    wanted.contains(ByteKey(category))
      || Self.parts(ofFolded: category).contains { wanted.contains(ByteKey($0)) }
  }

  /// The parts of a category that is a list or a path; none of one that is neither.
  package static func parts(ofFolded category: String) -> [String] {
    let separators = ",;>".utf8
    let parts = category.utf8.split { separators.contains($0) }
    return parts.count < 2 ? [] : parts.map { String(Substring($0)).trimming { $0 == " " } }
  }
}
