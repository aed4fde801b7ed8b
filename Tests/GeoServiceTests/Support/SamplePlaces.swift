import GeoIndex
import GeoQuery

/// Restaurants in every awkward part of the world, and what tests expect of them by plain counting.
struct SamplePlaces {
  /// Sorted by the UTF-8 bytes of their ids.
  let places: [Restaurant]

  /// Makes `count` places, the same each time.
  init(count: Int = 400) {
    var random = SplitMix(state: 20_150_821)
    let categories = ["Thai", "Café", "Burgers", nil]
    let made = (0..<count).compactMap { number -> Restaurant? in
      let position = Self.position(number, &random)
      guard let coordinate = Coordinate(latitude: position.0, longitude: position.1) else {
        return nil
      }
      var place = Restaurant(
        id: "place-\(number * 7 % count)",
        name: "Place \(number)",
        coordinate: coordinate,
        source: "sample"
      )
      place.category = categories[number % 4]
      place.address.city = ["Addison", "Dallas", "Zürich"][number % 3]
      place.rating = number % 5 == 0 ? nil : Double(number % 50) / 10
      place.priceLevel = number % 6 == 0 ? nil : number % 4 + 1
      return place
    }
    places = made.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
  }

  private static func position(_ number: Int, _ random: inout SplitMix) -> (Double, Double) {
    switch number % 5 {
    case 0: (32.9 + random.unit() / 10, -96.9 + random.unit() / 10)
    case 1: (random.unit() * 120 - 60, random.unit() * 360 - 180)
    case 2: (random.unit() * 60 - 30, [180.0, -180, 179.999, -179.999][number / 5 % 4])
    case 3: ([90.0, -90, 89.9, -89.9][number / 5 % 4], random.unit() * 360 - 180)
    default: (Double(number % 7), Double(number % 9))
    }
  }

  /// The ids nearest to a point, by sorting all of them.
  func nearest(to center: Coordinate, count: Int, within radius: Double = .infinity) -> [String] {
    let measured = places.map { ($0.coordinate.distance(to: center), $0.id) }
    let sorted = measured.filter { $0.0 <= radius }.sorted { left, right in
      left.0 != right.0 ? left.0 < right.0 : left.1.utf8.lexicographicallyPrecedes(right.1.utf8)
    }
    return sorted.prefix(count).map(\.1)
  }

  /// The ids in a box, by looking at all of them.
  func inside(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> [String] {
    places.filter { place in
      let latitude = place.coordinate.latitude
      let longitude = place.coordinate.longitude
      guard south <= latitude, latitude <= north else { return false }
      if abs(latitude) == 90 { return true }
      return [longitude, longitude + 360, longitude - 360].contains { turned in
        west <= east ? west <= turned && turned <= east : west <= turned && turned <= east + 360
      }
    }.map(\.id)
  }
}

/// A small generator with a seed (Steele, Lea, Flood: SplitMix64).
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
