import GeoIndex
package import GeoQuery

/// Ways to lay out restaurants that have broken some index before.
package enum RestaurantLayout: String, CaseIterable, Sendable {
  case city
  case world
  case antimeridian
  case poles
  case onePoint
  case grid
  case special

  package static let categories = ["Thai", "Pub", "Tex Mex"]

  /// Restaurants with ids in no order, some of them different in normalization only.
  package func restaurants(count: Int, using random: inout SplitMix64) -> [Restaurant] {
    let center = Coordinate.at(32.95, -96.82)
    return (0..<count).map { number in
      let ids = ["é\(number / 2)", "e\u{301}\(number / 2)", "r-\(random.next())", "Z\(number)"]
      var restaurant = Restaurant.plain(
        number % 4 < 2 ? ids[number % 2] : ids[2 + number % 2],
        at: coordinate(near: center, using: &random)
      )
      let category = random.int(below: 4)
      restaurant.category = category < 3 ? Self.categories[category] : nil
      return restaurant
    }
  }

  private func coordinate(near center: Coordinate, using random: inout SplitMix64) -> Coordinate {
    switch self {
    case .city: return random.coordinate(near: center, degrees: 0.05)
    case .world: return random.coordinate()
    case .antimeridian:
      return .at(random.double(in: -30...30), 180 + random.double(in: -0.5...0.5))
    case .poles:
      let depth = random.int(below: 6) == 0 ? 0 : random.double(in: 0...0.5)
      return .at(
        Bool.random(using: &random) ? 90 - depth : depth - 90,
        random.double(in: -180...180)
      )
    case .onePoint: return center
    case .grid:
      return .at(Double(random.int(below: 5)) * 0.25, Double(random.int(below: 5)) * 0.25)
    case .special:
      let latitudes = [-90, -0.0, 0.0, 45, 90.0, 90.0.nextDown]
      let longitudes = [-180, -0.0, 0.0, 90, 180, 180.0.nextDown, (-180.0).nextUp]
      return .at(latitudes[random.int(below: 6)], longitudes[random.int(below: 7)])
    }
  }
}
