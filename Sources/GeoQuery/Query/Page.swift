public import GeoIndex

/// A page of results: some restaurants in order, and facts about all results.
public struct Page: Sendable {
  /// The number of restaurants that match the query, whatever its limit, offset and cursor.
  public let total: Int

  /// The cursor of the next page; nil if there is none.
  public let next: String?

  /// The cursor of the previous page; nil if there is none.
  public let previous: String?

  /// The index statistics; nil unless the query asked for them.
  public let statistics: SearchStatistics?

  /// Whether its restaurants have a distance.
  public let hasDistance: Bool

  /// The snapshot that was queried.
  public let snapshot: Snapshot

  /// Whether all restaurants before the cursor are gone, so that the first page follows.
  package let startsOver: Bool

  /// The restaurants' positions, and their distances.
  package let hits: Hits

  /// The number of restaurants on the page.
  public var count: Int { hits.count }

  /// The restaurants of the page, in order.
  ///
  /// - Throws: `SnapshotError` if the file is damaged.
  public var matches: [Match] {
    get throws(SnapshotError) {
      var matches: [Match] = []
      matches.reserveCapacity(count)
      for index in 0..<count { matches.append(try match(at: index)) }
      return matches
    }
  }

  /// One restaurant of the page.
  ///
  /// - Parameter index: In 0..<count.
  /// - Returns: The restaurant, with its distance if the page has distances.
  /// - Throws: `SnapshotError` if the file is damaged.
  public func match(at index: Int) throws(SnapshotError) -> Match {
    let hit = hits[index]
    return Match(
      restaurant: try snapshot.records.restaurant(at: hit.position),
      distance: hit.distance
    )
  }

  /// The smallest box around the page's restaurants; nil if the page is empty.
  ///
  /// It crosses the antimeridian if that makes it narrower.
  ///
  /// - Complexity: O(count); O(1) for all restaurants.
  public var extent: BoundingBox? {
    if count == snapshot.count { return snapshot.extent }
    return BoundingBox(
      enclosing: (0..<count).lazy.map { snapshot.tree[hits[$0].position] }
    )
  }
}

/// Positions in the order of an answer.
package enum Hits: Sendable {
  /// A range of positions, by id.
  case range(Range<Int>)
  /// Some, without distances.
  case positions([UInt32])
  /// Some, with distances.
  case neighbors(ArraySlice<Neighbor>)

  package var count: Int {
    switch self {
    case .range(let range): range.count
    case .positions(let positions): positions.count
    case .neighbors(let neighbors): neighbors.count
    }
  }

  /// One of them, its index in 0..<count.
  package subscript(index: Int) -> (position: Int, distance: Double?) {
    switch self {
    case .range(let range): (range.lowerBound + index, nil)
    case .positions(let positions): (Int(positions[index]), nil)
    case .neighbors(let neighbors):
      (
        neighbors[neighbors.startIndex + index].index,
        neighbors[neighbors.startIndex + index].distance
      )
    }
  }
}

extension Page {
  /// The ranks of a page among `total`, which begins, or ends if it is backward, at `start`.
  static func ranks(
    of total: Int,
    from start: Int,
    isBackward: Bool,
    offset: Int,
    limit: Int?
  ) -> Range<Int> {
    let limit = limit ?? total
    if isBackward { return Swift.max(0, start - limit)..<start }
    let first = start + Swift.min(offset, total - start)
    return first..<first + Swift.min(limit, total - first)
  }

  /// A page without neighbors: the first of `total` restaurants.
  init(_ hits: Hits, of total: Int, hasDistance: Bool, _ snapshot: Snapshot) {
    self.hits = hits
    self.total = total
    self.hasDistance = hasDistance
    self.snapshot = snapshot
    (next, previous, statistics, startsOver) = (nil, nil, nil, false)
  }

  /// All of some neighbors.
  init(_ neighbors: [Neighbor], of snapshot: Snapshot) {
    self.init(.neighbors(neighbors[...]), of: neighbors.count, hasDistance: true, snapshot)
  }
}

extension Page: Sequence {
  /// Reads the restaurants one after another; each may be damaged, which `get()` throws.
  ///
  /// ```swift
  /// for result in page {
  ///   print(try result.get().restaurant.name)
  /// }
  /// ```
  public func makeIterator() -> some IteratorProtocol<Result<Match, SnapshotError>> {
    (0..<count).lazy.map { index in
      Result { () throws(SnapshotError) in try match(at: index) }
    }
    .makeIterator()
  }
}

/// A result: a restaurant, with its distance from the query's center.
public struct Match: Sendable, Hashable, Identifiable {
  /// The restaurant's id.
  public var id: String { restaurant.id }

  /// The restaurant.
  public let restaurant: Restaurant

  /// Meters along the WGS84 geodesic; nil if the query has no center.
  public let distance: Double?

  /// The mark of a favorite; nil except in lists of favorites.
  public let favorite: FavoriteMark?

  /// Makes a match.
  public init(restaurant: Restaurant, distance: Double? = nil, favorite: FavoriteMark? = nil) {
    self.restaurant = restaurant
    self.distance = distance
    self.favorite = favorite
  }

  /// The value of a key, including those of answers; nil if it is missing.
  public subscript(field: RestaurantField) -> JSONValue? {
    switch field {
    case .distance: distance.map { .number($0.description) }
    case .favoriteSince: favorite.map { .string($0.since) }
    case .gone: favorite?.isGone == true ? .bool(true) : nil
    default: restaurant[field]
    }
  }
}

/// The mark of a favorite.
public struct FavoriteMark: Sendable, Hashable {
  /// When it was added: UTC, `2026-05-14T18:03:11Z`.
  public let since: String

  /// Whether the restaurant has left its feed, so that its values are the last known ones.
  public let isGone: Bool

  package init(since: String, isGone: Bool) {
    self.since = since
    self.isGone = isGone
  }
}

/// No restaurant in the store has the requested id.
public struct UnknownRestaurant: Error, Sendable, Hashable, CustomStringConvertible {
  /// The id.
  public let id: String

  /// The most similar ids that exist, the most similar first; at most three.
  public let similar: [String]

  package init(id: String, similar: [String]) {
    self.id = id
    self.similar = similar
  }

  /// The id, and what to do.
  public var description: String {
    let advice =
      similar.isEmpty
      ? "" : "; did you mean \(similar.map { "\"\($0)\"" }.joined(separator: ", "))?"
    return "no restaurant has the id \"\(id)\"\(advice)"
  }
}

/// The summary of an answer, which is known before its first restaurant.
public struct AnswerSummary: Sendable, Hashable {
  /// The number of restaurants in the answer.
  public let count: Int

  /// The number of restaurants without the query's limit and cursor.
  public let total: Int

  /// The smallest box around them, by the smallest arc; nil if there are none.
  public let extent: BoundingBox?

  /// Whether the restaurants have a distance.
  public let hasDistance: Bool

  /// Whether the restaurants are marked as favorites.
  public let hasFavorites: Bool

  /// The index statistics; nil unless the query asked for them, or if no index was needed.
  public let statistics: SearchStatistics?

  /// The cursor of the next page; nil if there is none, or without a limit.
  public let next: String?

  /// Makes a summary.
  public init(
    count: Int,
    total: Int,
    extent: BoundingBox?,
    hasDistance: Bool,
    hasFavorites: Bool = false,
    statistics: SearchStatistics? = nil,
    next: String? = nil
  ) {
    self.count = count
    self.total = total
    self.extent = extent
    self.hasDistance = hasDistance
    self.hasFavorites = hasFavorites
    self.statistics = statistics
    self.next = next
  }

  /// Whether answers of this kind can have a key.
  func has(_ field: RestaurantField) -> Bool {
    switch field {
    case .distance: hasDistance
    case .favoriteSince, .gone: hasFavorites
    default: true
    }
  }
}
