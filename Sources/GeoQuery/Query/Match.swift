/// One answer: a restaurant, and how far it is from the query's centre.
public struct Match: Sendable, Hashable {
  /// The restaurant.
  public let restaurant: Restaurant

  /// Meters along the WGS84 geodesic; nil if the query has no center.
  public let distance: Double?

  /// What makes the restaurant a favorite; nil but in lists of favorites.
  public let favorite: FavoriteMark?

  /// Makes a match.
  public init(restaurant: Restaurant, distance: Double? = nil, favorite: FavoriteMark? = nil) {
    self.restaurant = restaurant
    self.distance = distance
    self.favorite = favorite
  }

  /// What one key holds, those of answers included; nil if there is nothing.
  public subscript(field: RestaurantField) -> JSONValue? {
    switch field {
    case .distance: distance.map { .number($0.description) }
    case .favoriteSince: favorite.map { .string($0.since) }
    case .gone: favorite?.isGone == true ? .bool(true) : nil
    default: restaurant[field]
    }
  }
}
