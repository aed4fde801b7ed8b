/// The categories that a filter wants, folded.
///
/// A restaurant has one of them if its category is equal, or is a list (`Thai, Bars`, `thai;bar`)
/// or a path (`Dining > Thai`) that contains it, because feeds write several categories this way.
package struct CategoryNames: Sendable {
  private let wanted: Set<ByteKey>

  /// - Parameter names: Categories as the caller writes them.
  package init(_ names: some Sequence<String>) {
    wanted = Set(names.map { ByteKey(folded($0)) })
  }

  /// Whether there are no categories, so that all match.
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
