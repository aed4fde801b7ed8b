import GeoIndex

@testable import GeoQuery

/// The oracle: every query by looking at every restaurant.
struct BruteForce {
  let restaurants: [Restaurant]

  /// Which restaurants count; decided by the test's own data, not by geoq's filter.
  var isTaken: (Restaurant) -> Bool = { _ in true }

  /// All that count, by (distance, id as UTF-8 bytes).
  func ranked(from center: Coordinate) -> [Match] {
    restaurants.filter(isTaken)
      .map { Match(restaurant: $0, distance: center.distance(to: $0.coordinate)) }
      .sorted(by: Self.isBefore)
  }

  func nearest(
    to center: Coordinate,
    count: Int,
    within maximumDistance: Double = .infinity
  ) -> [Match] {
    Array(within(radius: maximumDistance, of: center).prefix(count))
  }

  func within(radius: Double, of center: Coordinate) -> [Match] {
    ranked(from: center).filter { ($0.distance ?? 0) <= radius }
  }

  /// All that count in a box, by id.
  func within(_ box: BoundingBox) -> [Match] {
    everything.filter { box.contains($0.restaurant.coordinate) }
  }

  /// All that count, by id.
  var everything: [Match] {
    restaurants.filter(isTaken).map { Match(restaurant: $0) }.sorted(by: Self.isBefore)
  }

  private static func isBefore(_ left: Match, _ right: Match) -> Bool {
    let distances = (left.distance ?? 0, right.distance ?? 0)
    if distances.0 != distances.1 { return distances.0 < distances.1 }
    return Array(left.restaurant.id.utf8).lexicographicallyPrecedes(Array(right.restaurant.id.utf8))
  }
}

extension [Match] {
  /// Ids as bytes and distances as bits: equal only if the answers are.
  var exactly: [String] {
    map { match in
      let id = match.restaurant.id.utf8.map { String($0, radix: 16) }.joined()
      return "\(id) \(match.distance.map { String($0.bitPattern, radix: 16) } ?? "-")"
    }
  }
}
