import Foundation
import GeoIndex
import GeoQuery

/// Seeded places that crowd in cities, as `Driver/points.py` makes them, each with a cuisine or two.
struct PlaceMaker {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func number(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

  private mutating func share() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A number of the normal distribution (Box and Muller, 1958).
  private mutating func normal() -> Double {
    (-2 * log(1 - share())).squareRoot() * cos(2 * .pi * share())
  }

  /// A coordinate with 7 decimals; longitude wraps around, latitude ends at the poles.
  private static func coordinate(_ latitude: Double, _ longitude: Double) -> Coordinate {
    func rounded(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }
    let wrapped = longitude - 360 * ((longitude + 180) / 360).rounded(.down)
    let latitude = rounded(min(max(latitude, -90), 90))
    guard let coordinate = Coordinate(latitude: latitude, longitude: rounded(wrapped)) else {
      preconditionFailure("Rounding stays in the range of coordinates.")
    }
    return coordinate
  }

  /// A point near another one.
  mutating func near(_ center: Coordinate, degrees: Double) -> Coordinate {
    Self.coordinate(
      center.latitude + degrees * normal(),
      center.longitude + degrees * normal()
    )
  }

  /// Places in order of id: 20 000 cities whose sizes follow rank^-0.9, each dense in the middle.
  mutating func restaurants(_ count: Int) -> [Restaurant] {
    let cities = (0..<20_000).map { _ in
      (latitude: min(max(30 + 22 * normal(), -60), 72), longitude: 360 * share() - 180)
    }
    let weights = cities.indices.map { pow(Double($0 + 1), -0.9) }
    let total = weights.reduce(0, +)
    var sum = 0.0
    let ends = weights.map { weight in
      sum += weight
      return sum
    }
    return (0..<count).map { index in
      let drawn = total * share()
      var (low, high) = (0, cities.count - 1)
      while low < high {
        let middle = (low + high) / 2
        if ends[middle] > drawn { high = middle } else { low = middle + 1 }
      }
      let reach = 1 + 0.06 * pow((weights[low] / total * Double(count)).squareRoot(), 0.8)
      let spread = [0.15, 0.15, 0.5, 0.5, 1.5][number(below: 5)] * reach / 111.195
      let east = spread * normal() / cos(cities[low].latitude * .pi / 180)
      var place = Restaurant(
        id: String(format: "%09d", index),
        name: "Place \(index)",
        coordinate: Self.coordinate(
          cities[low].latitude + spread * normal(),
          cities[low].longitude + east
        ),
        source: "made up"
      )
      place.category = "Cuisine \(number(below: 20))"
      if number(below: 4) == 0 { place.category? += ", Cuisine \(number(below: 20))" }
      place.rating = Double(10 + number(below: 41)) / 10
      return place
    }
  }
}
