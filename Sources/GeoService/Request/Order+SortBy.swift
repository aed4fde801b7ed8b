import GeoQuery

/// Orders as values of `sortby`: `name`, `-rating`, `-rating,distance`.
extension Order {
  /// Parses an order.
  ///
  /// - Parameters:
  ///   - text: The keys, separated by commas; - before one sorts descending.
  ///   - keys: The possible keys.
  /// - Throws: `QueryError` if the text is not an order by some of them.
  init(sortBy text: String, among keys: [Key] = Key.allCases) throws(QueryError) {
    var terms: [Term] = []
    // keys are ASCII and short: other texts are rejected before they are compared
    let isShort = text.utf8.count <= 20 * Self.maximumTerms && text.utf8.allSatisfy { $0 < 0x80 }
    for name in isShort ? text.split(separator: ",", omittingEmptySubsequences: false) : [""] {
      let isDescending = name.hasPrefix("-")
      let key = Key(rawValue: String(isDescending ? name.dropFirst() : name))
      guard let key, keys.contains(key) else {
        let words = Self.words(of: keys).joined(separator: ", ")
        throw QueryError(
          "sortby",
          "expected one of \(words), or several separated by commas, got \(quoted(text))"
        )
      }
      terms.append(Term(key, descending: isDescending))
    }
    do {
      try self.init(terms)
    } catch {
      throw QueryError("sortby", error.reason)
    }
  }

  /// The terms by some keys, as `sortby` has them.
  static func words(of keys: [Key]) -> [String] {
    keys.flatMap { [$0.rawValue, "-" + $0.rawValue] }
  }

  /// The order as a value of `sortby`.
  var sortBy: String {
    terms.map { ($0.isDescending ? "-" : "") + $0.key.rawValue }.joined(separator: ",")
  }
}
