import Foundation
import GeoIndex
import TestSupport

@testable import GeoQuery

/// Random restaurants with everything that makes queries go wrong: equal names, accents, missing values,
/// equal places, the poles and ±180.
struct MadeUpRestaurants {
  private var random: SplitMix64

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
  }

  mutating func number(below bound: Int) -> Int {
    Int(random.next() % UInt64(bound))
  }

  mutating func one<Element>(of elements: [Element]) -> Element {
    elements[number(below: elements.count)]
  }

  mutating func restaurants(_ count: Int) -> [Restaurant] {
    (0..<count).map { restaurant($0) }.sorted { UTF8Key($0.id) < UTF8Key($1.id) }
  }

  mutating func restaurant(_ index: Int) -> Restaurant {
    let long = String(repeating: "very ", count: 60)
    let names = [
      "Café Zoë", "cafe zoe", "Gloria's", "Pho 99", "李家", "Zed", "Ångström", "a\"b\\c\n",
      long + "one", long + "two", "🍕", "The Grill",
    ]
    let id = one(of: ["x", "é", "A", "restaurant-"]) + "\(index)"
    var restaurant = Restaurant(
      id: id,
      name: one(of: names) + (number(below: 3) == 0 ? " \(number(below: 5))" : ""),
      coordinate: coordinate(),
      source: one(of: ["one", "two.csv", "https://example.org/feed"])
    )
    if number(below: 4) > 0 {
      restaurant.category = one(of: ["Thai", "thai", "Thai, Bars", "Dining > Pizza", "Café"])
    }
    if number(below: 3) > 0 {
      restaurant.address.city = one(of: ["Dallas", "DALLAS", "Köln", "Ulm"])
    }
    if number(below: 2) > 0 { restaurant.address.street = "\(number(below: 90)) Belt Line Rd" }
    if number(below: 2) > 0 { restaurant.address.postalCode = one(of: ["75254", "01067"]) }
    if number(below: 3) > 0 { restaurant.rating = Double(number(below: 11)) / 2 }
    if number(below: 3) == 0 { restaurant.ratingScale = one(of: [5, 10, 100]) }
    if number(below: 3) > 0 { restaurant.priceLevel = 1 + number(below: 4) }
    if number(below: 3) == 0 { restaurant.reviewCount = number(below: 1_000) }
    if number(below: 5) == 0 { restaurant.closed = true }
    if number(below: 3) == 0 { restaurant.chain = one(of: ["Thai Star", "THAI STAR", "Chuy's"]) }
    if number(below: 6) == 0 { restaurant.description = one(of: names) }
    if number(below: 6) == 0 { restaurant.images = ["https://example.com/a; b", "[", ""] }
    if number(below: 4) == 0 { restaurant.contact.phone = "+1972555\(number(below: 100))" }
    if number(below: 6) == 0 { restaurant.website = "https://example.com/\(index)" }
    if number(below: 6) == 0 { restaurant.address.formatted = ["one; two", "three"] }
    if number(below: 6) == 0 {
      restaurant.extra = [
        JSONMember(name: "n\u{1F}", value: .array([.number("1.50"), .null, .string("\u{7F}\"")]))
      ]
    }
    return restaurant
  }

  /// A coordinate that is known to be one.
  static func valid(_ latitude: Double, _ longitude: Double) -> Coordinate {
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
      preconditionFailure("\(latitude),\(longitude) is no coordinate.")
    }
    return coordinate
  }

  mutating func coordinate() -> Coordinate {
    let places: [(Double, Double)] = [
      (90, 0), (-90, 17), (0, 180), (0, -180), (32.95, -96.82), (-0.0, 0),
    ]
    if number(below: 5) == 0 {
      let place = one(of: places)
      return Self.valid(place.0, place.1)
    }
    if number(below: 2) == 0 {
      return Self.valid(
        32.9 + Double(number(below: 1_000)) / 5_000,
        -96.9 + Double(number(below: 1_000)) / 5_000
      )
    }
    return Self.valid(
      Double(number(below: 180_001)) / 1_000 - 90,
      Double(number(below: 360_001)) / 1_000 - 180
    )
  }
}

/// A snapshot in a temporary folder, which goes with it.
final class TemporarySnapshot {
  let snapshot: Snapshot
  let path: String

  init(of restaurants: [Restaurant], generation: Int = 1) throws {
    let folder = FileManager.default.temporaryDirectory.path
    path = "\(folder)/geoq-\(UUID().uuidString).geoqx"
    try Snapshot.write(restaurants, to: path, storeID: 1, generation: generation)
    snapshot = try Snapshot(path: path)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
