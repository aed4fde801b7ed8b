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
  ///   - offset: The number to skip at the beginning.
  ///   - cursor: The cursor to continue at: `next` or `previous` of a page in the same order.
  /// - Returns: The page, and the cursors of its neighbors.
  /// - Throws: `QueryError` if the cursor does not fit, or the order is by distance and no place is known.
  /// - Complexity: O(n log n).
  package static func page(
    of favorites: [Match],
    in order: Order? = nil,
    center: Coordinate? = nil,
    limit: Int? = nil,
    offset: Int = 0,
    from cursor: String? = nil
  ) throws(QueryError) -> FavoriteList {
    if order?.key == .distance, center == nil {
      throw QueryError("sort", "distance needs a point to measure from")
    }
    let place = order?.key == .distance ? center.map { " \($0)" } : nil
    let fingerprint = "favorites" + (order.map { " \($0)" } ?? "") + (place ?? "")
    let entries = favorites.map { favorite in
      let match = favorite.measured(from: center)
      let value = order.flatMap { OrderValue($0, of: match) }
      return Entry(match: match, value: value, id: Array(match.restaurant.id.utf8))
    }.sorted { $0.comes(before: $1, order) }
    var start = 0
    var isBackward = false
    if let cursor {
      let place = try Cursor(cursor, of: fingerprint)
      isBackward = place.side == .before
      if let value = place.value, value.isText != (order?.key.isText == true) {
        throw QueryError("cursor", "is damaged; copy all of it from the previous page")
      }
      let bound = Entry(match: nil, value: place.value, id: place.id)
      start = entries.partitionPoint {
        isBackward ? !$0.comes(before: bound, order) : bound.comes(before: $0, order)
      }
    }
    let ranks = Page.ranks(
      of: entries.count,
      from: start,
      isBackward: isBackward,
      offset: offset,
      limit: limit
    )
    func text(_ side: Cursor.Side, _ rank: Int) -> String {
      Cursor(side, value: entries[rank].value, id: entries[rank].id).text(of: fingerprint)
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

  /// A favorite, or the place of a cursor, with the value it is sorted by.
  private struct Entry {
    let match: Match?
    let value: OrderValue?
    let id: [UInt8]

    /// Whether it comes before another: by value, missing values last, then by id.
    func comes(before other: Entry, _ order: Order?) -> Bool {
      switch (value, other.value) {
      case (_?, nil) where order != nil: return true
      case (nil, _?) where order != nil: return false
      case (let value?, let other?) where order != nil && value.precedes(other):
        return order?.isDescending == false
      case (let value?, let other?) where order != nil && other.precedes(value):
        return order?.isDescending == true
      default: return id.lexicographicallyPrecedes(other.id)
      }
    }
  }
}

extension Match {
  /// The same with its distance from a point, if one is known.
  fileprivate func measured(from center: Coordinate?) -> Match {
    guard let center else { return self }
    let distance = center.distance(to: restaurant.coordinate)
    return Match(restaurant: restaurant, distance: distance, favorite: favorite)
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
        if let text { own.addSearched(text) }
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
    var counts: [UTF8Key: Facet] = [:]
    for favorite in favorites {
      let category = favorite.restaurant.category
      // no category contains the byte 0
      let key = UTF8Key(category ?? "\u{0}")
      counts[key] = Facet(value: category, count: (counts[key]?.count ?? 0) + 1)
    }
    return counts.values.sorted(by: Facet.precedes)
  }
}
