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

  /// At most so many answers, the first ones in order; nil gives all.
  public var limit: Int?

  /// Whether the answer's summary shall say what the index did; it does not change the answer.
  public var isExplained: Bool

  /// Makes a query.
  public init(
    _ region: Region,
    matching filter: Filter = .all,
    limit: Int? = nil,
    explained isExplained: Bool = false
  ) {
    precondition(limit.map { $0 >= 0 } ?? true, "A limit must not be negative.")
    self.region = region
    self.filter = filter
    self.limit = limit
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

/// One answer: a restaurant, and how far it is from the query's centre.
public struct Match: Sendable, Hashable {
  /// The restaurant.
  public let restaurant: Restaurant

  /// Metres along the WGS84 geodesic; nil where the query has no centre.
  public let distance: Double?

  /// Makes a match.
  public init(restaurant: Restaurant, distance: Double? = nil) {
    self.restaurant = restaurant
    self.distance = distance
  }
}
