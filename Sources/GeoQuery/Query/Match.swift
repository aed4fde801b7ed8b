/// A result: a restaurant, with its distance from the query's center.
public struct Match: Sendable, Hashable {
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
