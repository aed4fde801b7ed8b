package import GeoIndex

/// A page of the favorites, which are few and in memory; some have left the snapshot.
///
/// Orders, cursors and pages are those of the engine (`Page`).
package struct FavoriteList: Sendable {
  /// The favorites of the page, in order.
  package let matches: [Match]

  /// The number of all favorites.
  package let total: Int

  /// The cursor of the next page; nil if there is none.
  package let next: String?

  /// The cursor of the previous page; nil if there is none.
  package let previous: String?

  /// Whether all favorites before the cursor are gone, so that the first page follows.
  package let startsOver: Bool

  /// A page of the favorites.
  ///
  /// - Parameters:
  ///   - favorites: All of them, in any order.
  ///   - order: The order; nil for the order by id.
  ///   - center: The point from which distances are measured; nil if no place is known.
  ///   - limit: The maximum number of favorites; nil for all.
  ///   - cursor: The cursor to continue at: `next` or `previous` of a page in the same order.
  /// - Returns: The page, and the cursors of its neighbors.
  /// - Throws: `QueryError` if the cursor does not fit, or the order is by distance and no place is known.
  /// - Complexity: O(n log n).
  package static func page(
    of favorites: [Match],
    in order: Order? = nil,
    center: Coordinate? = nil,
    limit: Int? = nil,
    from cursor: String? = nil
  ) throws(QueryError) -> FavoriteList {
    if order?.needsCenter == true, center == nil {
      throw QueryError("sort", "distance needs a point to measure from")
    }
    let terms = order?.terms ?? []
    let place = order?.needsCenter == true ? center.map { " \($0)" } : nil
    let fingerprint = "favorites" + terms.map { " \($0)" }.joined() + (place ?? "")
    let entries = favorites.map { favorite in
      let restaurant = favorite.restaurant
      let distance = center.map { $0.distance(to: restaurant.coordinate) } ?? favorite.distance
      let match = Match(restaurant: restaurant, distance: distance, favorite: favorite.favorite)
      let values = terms.map { OrderValue($0.key, of: match) }
      return Entry(match: match, values: values, id: Array(match.restaurant.id.utf8))
    }.sorted { $0.comes(before: $1, terms) }
    var start = 0
    var isBackward = false
    if let cursor {
      let place = try Cursor(cursor, of: fingerprint)
      isBackward = place.side == .before
      let fits = zip(place.values, terms).allSatisfy { $0 == nil || $0?.isText == $1.key.isText }
      guard fits, order == nil || place.values.count == terms.count else { throw Cursor.damaged }
      let bound = Entry(match: nil, values: place.values, id: place.id)
      start = entries.partitionPoint {
        isBackward ? !$0.comes(before: bound, terms) : bound.comes(before: $0, terms)
      }
    }
    let ranks = Page.ranks(
      of: entries.count,
      from: start,
      isBackward: isBackward,
      offset: 0,
      limit: limit
    )
    func text(_ side: Cursor.Side, _ rank: Int) -> String {
      Cursor(side, values: entries[rank].values, id: entries[rank].id).text(of: fingerprint)
    }
    return FavoriteList(
      matches: entries[ranks].compactMap(\.match),
      total: entries.count,
      next: !ranks.isEmpty && ranks.upperBound < entries.count
        ? text(.after, ranks.upperBound - 1) : nil,
      previous: !ranks.isEmpty && ranks.lowerBound > 0 ? text(.before, ranks.lowerBound) : nil,
      startsOver: isBackward && ranks.isEmpty && !entries.isEmpty && limit != 0
    )
  }

  /// A favorite, or the place of a cursor, with the values it is sorted by.
  private struct Entry {
    let match: Match?
    let values: [OrderValue?]
    let id: [UInt8]

    /// Whether it comes before another: by values, missing ones last, then by id.
    func comes(before other: Entry, _ terms: [Order.Term]) -> Bool {
      for (term, (value, other)) in zip(terms, zip(values, other.values)) {
        switch (value, other) {
        case (_?, nil): return true
        case (nil, _?): return false
        case (let value?, let other?) where value.precedes(other): return !term.isDescending
        case (let value?, let other?) where other.precedes(value): return term.isDescending
        default: break
        }
      }
      return id.lexicographicallyPrecedes(other.id)
    }
  }

  /// The favorites that match a filter, by the same rules as restaurants in the engine.
  ///
  /// Those that have left their feed are not in a snapshot, so each is compared separately.
  ///
  /// - Parameters:
  ///   - filter: The filter. It has no expression.
  ///   - favorites: All of them.
  /// - Returns: Those that match, in the same order.
  package static func matching(_ filter: Filter, among favorites: [Match]) -> [Match] {
    precondition(
      filter.expression == nil && filter.open == nil && filter.area == nil,
      "Favorites are filtered by words and categories."
    )
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
        if let text { own.addSearched(text) }
      }
      return words.allSatisfy { word in own.words.contains { $0.starts(with: word) } }
    }
  }

  /// The number of favorites per category, like `QueryEngine.facets(by:of:)`.
  ///
  /// - Returns: The counts, the greatest first, ties by the value's UTF-8.
  package static func categories(of favorites: [Match]) -> [Facet] {
    var counts: [UTF8Key: Facet] = [:]
    for favorite in favorites {
      let entries = favorite.restaurant.category.map(categoryEntries)
      // no category contains the byte 0
      let names: [(UTF8Key, String?)] =
        entries?.map { (UTF8Key(folded($0)), $0) } ?? [(UTF8Key("\u{0}"), nil)]
      for (key, name) in Dictionary(names, uniquingKeysWith: { first, _ in first }) {
        counts[key] = Facet(value: counts[key]?.value ?? name, count: (counts[key]?.count ?? 0) + 1)
      }
    }
    return counts.values.sorted(by: Facet.precedes)
  }
}

extension OrderValue {
  fileprivate var isText: Bool {
    if case .text = self { true } else { false }
  }

  /// Whether it is less than another of its kind.
  fileprivate func precedes(_ other: OrderValue) -> Bool {
    switch (self, other) {
    case (.number(let one), .number(let other)): one.orderedBits < other.orderedBits
    case (.text(let one), .text(let other)): one.lexicographicallyPrecedes(other)
    default: false
    }
  }
}
