extension FavoriteList {
  /// The favorites that match a filter, by the same rules as restaurants in the engine.
  ///
  /// Those that have left their feed are not in a snapshot, so each is compared separately, with
  /// the same words and names of categories.
  ///
  /// - Parameters:
  ///   - filter: The filter. It has no conditions.
  ///   - favorites: All of them.
  /// - Returns: Those that match, in the same order.
  package static func matching(_ filter: Filter, among favorites: [Match]) -> [Match] {
    precondition(filter.conditions.isEmpty, "Favorites are filtered by words and categories.")
    let words = FoldedWords(filter.text).words
    let names = CategoryNames(filter.categories)
    return favorites.filter { favorite in
      let restaurant = favorite.restaurant
      let isWanted = restaurant.category.map { names.contain($0) } ?? false
      guard names.isEmpty || isWanted else { return false }
      if filter.text.isBlank { return true }
      // a text without letters and digits: it is the start of no word
      if words.isEmpty { return false }
      var own = FoldedWords()
      for field in FoldedWords.fields {
        let text = field == .name ? restaurant.name : restaurant.text(field)
        if let text { own.add(text) }
      }
      return words.allSatisfy { word in own.words.contains { $0.starts(with: word) } }
    }
  }

  /// The number of favorites per category, like `QueryEngine.facets(by:of:)`.
  ///
  /// - Parameter favorites: The favorites to count.
  ///
  /// - Returns: The counts, the greatest first, ties by the value's UTF-8.
  package static func categories(of favorites: [Match]) -> [Facet] {
    var counts: [ByteKey: Facet] = [:]
    for favorite in favorites {
      let category = favorite.restaurant.category
      // no category contains the byte 0
      let key = ByteKey(category ?? "\u{0}")
      counts[key] = Facet(value: category, count: (counts[key]?.count ?? 0) + 1)
    }
    return counts.values.sorted { left, right in
      if left.count != right.count { return left.count > right.count }
      return (left.value ?? "").utf8.lexicographicallyPrecedes((right.value ?? "").utf8)
    }
  }
}
