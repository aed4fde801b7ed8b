import GeoIndex
import Testing

@testable import GeoQuery

/// SpatiaLite's way, as `geoq bench` times it, is a true rival: it gives the engine's answers.
struct SpatiaLiteSearchTests {
  private static let layouts = RestaurantLayout.allCases

  @Test(arguments: layouts)
  private func `answers are the engine's, ±180 and the poles included`(
    _ layout: RestaurantLayout
  ) throws {
    var random = SplitMix64(stream: "spatialite \(layout)")
    let restaurants = layout.restaurants(count: 150, using: &random)
    let store = try TemporaryStore(restaurants)
    let engine = try store.engine()
    let search = try SpatiaLiteSearch(engine.store)
    defer { try? search.close() }
    let own = (0..<5).map { _ in restaurants[random.int(below: 150)].coordinate }
    for center in own + [random.coordinate(), .at(89.99, 12), .at(-0.0, 180), .at(10, -179.99)] {
      for count in [1, 10, 200] {
        let found = try search.nearest(to: center, count: count)
        try expectSame(found, engine.nearest(to: center, count: count), "\(count) at \(center)")
      }
      for radius in [0.0, 900, 250_000, 20_100_000] {
        let found = try search.within(radius: radius + 1e-5, of: center)
        let expected = try engine.within(radius: radius + 1e-5, of: center)
        try expectSame(found, expected, "\(radius) m at \(center)")
      }
    }
    for box in [
      BoundingBox.world, BoundingBox(west: 170, south: -20, east: -170, north: 20) ?? .world,
      BoundingBox(west: -97, south: 32, east: -96, north: 33) ?? .world,
    ] {
      let ids = try search.within(box).map(\.restaurant.id)
      #expect(try ids == engine.within(box).map(\.restaurant.id), "\(box)")
    }
  }

  /// Equal up to a micrometre of PROJ against ours, which may turn ties round.
  private func expectSame(_ found: [Match], _ expected: [Match], _ what: String) throws {
    let distances = { (matches: [Match]) in matches.compactMap(\.distance) }
    #expect(found.count == expected.count, "\(what), SEED=\(SplitMix64.seed)")
    #expect(
      zip(distances(found), distances(expected)).allSatisfy { abs($0 - $1) < 1e-5 },
      "\(what), SEED=\(SplitMix64.seed)"
    )
  }
}
