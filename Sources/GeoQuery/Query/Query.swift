public import GeoIndex

/// A question to the engine: where, which restaurants, and how many of them.
public struct Query: Sendable {
  /// The part of the world that is asked for.
  ///
  /// Boundaries are closed.
  public enum Region: Sendable {
    /// The nearest so many, at most so many metres away.
    case nearest(to: Coordinate, count: Int, within: Double = .infinity)
    /// All within a distance in metres.
    case radius(Double, of: Coordinate)
    /// All in a box.
    case box(BoundingBox)
    /// All there are.
    case everywhere
  }

  /// Where to look.
  public var region: Region

  /// Which restaurants count.
  public var filter: Filter

  /// The order of the answers; nil gives that of the region: by distance where there is a centre, else
  /// by id.
  public var order: Order?

  /// At most so many answers, the first ones in order; nil gives all.
  public var limit: Int?

  /// Where to go on: what an answer to the same query with a limit gave as `AnswerSummary.next`.
  public var cursor: String?

  /// Whether the answer's summary shall say what the index did; it does not change the answer.
  public var isExplained: Bool

  /// Makes a query.
  public init(
    _ region: Region,
    matching filter: Filter = .all,
    in order: Order? = nil,
    limit: Int? = nil,
    from cursor: String? = nil,
    explained isExplained: Bool = false
  ) {
    precondition(limit.map { $0 >= 0 } ?? true, "A limit must not be negative.")
    self.region = region
    self.filter = filter
    self.order = order
    self.limit = limit
    self.cursor = cursor
    self.isExplained = isExplained
  }

  /// The point that distances are measured from; nil for boxes and for everything.
  public var center: Coordinate? {
    switch region {
    case .nearest(let center, _, _), .radius(_, let center): center
    case .box, .everywhere: nil
    }
  }
}

extension Query {
  /// Checks what the types leave open: an order by distance needs a centre.
  ///
  /// - Throws: `QueryError`.
  func check() throws(QueryError) {
    if order?.key == .distance, center == nil {
      throw QueryError("sort", "distance needs a point to measure from")
    }
  }

  /// Whether the answer is the whole store as it stands: no index is needed for that.
  var asksForEverything: Bool {
    guard case .everywhere = region else { return false }
    return filter.takesAll && order == nil && limit == nil && cursor == nil
  }
}

/// One answer: a restaurant, and how far it is from the query's centre.
public struct Match: Sendable, Hashable {
  /// The restaurant.
  public let restaurant: Restaurant

  /// Metres along the WGS84 geodesic; nil where the query has no centre.
  public let distance: Double?

  /// What makes the restaurant a favourite; nil but in lists of favourites.
  public let favorite: FavoriteMark?

  /// Makes a match.
  public init(restaurant: Restaurant, distance: Double? = nil, favorite: FavoriteMark? = nil) {
    self.restaurant = restaurant
    self.distance = distance
    self.favorite = favorite
  }

  /// What one key holds, those of answers included; nil where there is nothing.
  public subscript(field: RestaurantField) -> JSONValue? {
    switch field {
    case .distance: distance.map { .number($0.description) }
    case .favoriteSince: favorite.map { .string($0.since) }
    case .gone: favorite?.isGone == true ? .bool(true) : nil
    default: restaurant[field]
    }
  }
}
