import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct QueryEngineTests {
  /// A store, its engine and the oracle for one layout.
  private struct Setting: Sendable {
    let store: TemporaryStore
    let engine: QueryEngine
    let restaurants: [Restaurant]
    let centers: [Coordinate]

    init(_ layout: RestaurantLayout, count: Int) throws {
      var random = SplitMix64(stream: "\(layout) \(count)")
      let all = layout.restaurants(count: count, using: &random)
      restaurants = all
      store = try TemporaryStore(all.shuffled(using: &random))
      engine = try store.engine()
      let own = (0..<3).map { _ in all[random.int(below: count)].coordinate }
      centers =
        own + own.map { random.coordinate(near: $0, degrees: 0.1) }
        + [random.coordinate(), .at(90, 12), .at(-0.0, 180)]
    }

    /// The oracle without a filter, and with one that takes two categories of four.
    var cases: [(Filter, BruteForce)] {
      [
        (.all, BruteForce(restaurants: restaurants)),
        (
          Filter(categories: ["thai", "PUB"]),
          BruteForce(restaurants: restaurants) { ["Thai", "Pub"].contains($0.category) }
        ),
      ]
    }
  }

  private static let settings = RestaurantLayout.allCases.flatMap { layout in
    [1, 17, 150].map { (layout, $0) }
  }

  /// The settings by layout and size, made once.
  private static let made = Result {
    try Dictionary(
      uniqueKeysWithValues: settings.map { ("\($0) \($1)", try Setting($0, count: $1)) }
    )
  }

  private static func setting(_ layout: RestaurantLayout, _ size: Int) throws -> Setting {
    try #require(try made.get()["\(layout) \(size)"])
  }

  @Test(arguments: settings)
  private func `nearest equals looking at every restaurant`(
    _ layout: RestaurantLayout,
    _ size: Int
  ) throws {
    let setting = try Self.setting(layout, size)
    for (filter, oracle) in setting.cases {
      for center in setting.centers {
        let ranked = oracle.ranked(from: center)
        let rim = ranked.isEmpty ? 1_000 : ranked[ranked.count / 2].distance ?? 0
        for count in [0, 1, 5, size, size + 1] {
          let found = try setting.engine.nearest(to: center, count: count, matching: filter)
          #expect(
            found.exactly == Array(ranked.prefix(count)).exactly,
            "\(count) from \(center), SEED=\(SplitMix64.seed)"
          )
        }
        for limit in [0, rim, max(0, rim.nextDown), rim.nextUp] {
          let found = try setting.engine.nearest(
            to: center,
            count: 7,
            within: limit,
            matching: filter
          )
          #expect(
            found.exactly == oracle.nearest(to: center, count: 7, within: limit).exactly,
            "within \(limit) of \(center), SEED=\(SplitMix64.seed)"
          )
        }
      }
    }
  }

  @Test(arguments: RestaurantLayout.allCases)
  private func `nearest of many points – few or many matches – equals nearest of each`(
    _ layout: RestaurantLayout
  ) throws {
    let setting = try Self.setting(layout, 150)
    for share in [50, 75, 150, 1] {
      let ids = setting.restaurants.enumerated().filter { $0.offset % share == 0 }.map(\.element.id)
      var filter = Filter.all
      filter.ids = ids
      let nearest = try setting.engine.nearest(3, within: 5_000_000, matching: filter)
      for center in setting.centers {
        let alone = try setting.engine.nearest(
          to: center,
          count: 3,
          within: 5_000_000,
          matching: filter
        )
        #expect(
          try nearest(center).matches.exactly == alone.exactly,
          "1 in \(share) from \(center), SEED=\(SplitMix64.seed)"
        )
      }
    }
  }

  @Test(arguments: settings)
  private func `a radius equals looking at every restaurant, the rim included`(
    _ layout: RestaurantLayout,
    _ size: Int
  ) throws {
    let setting = try Self.setting(layout, size)
    for (filter, oracle) in setting.cases {
      for center in setting.centers {
        let ranked = oracle.ranked(from: center)
        let rim = ranked.isEmpty ? 1_000 : ranked[ranked.count / 2].distance ?? 0
        for radius in [0, rim, max(0, rim.nextDown), rim.nextUp, 1_000, 20_003_931.46] {
          let found = try setting.engine.within(radius: radius, of: center, matching: filter)
          #expect(
            found.exactly == oracle.within(radius: radius, of: center).exactly,
            "\(radius) around \(center), SEED=\(SplitMix64.seed)"
          )
        }
      }
    }
  }

  @Test(arguments: settings)
  private func `a box equals looking at every restaurant, across ±180 too`(
    _ layout: RestaurantLayout,
    _ size: Int
  ) throws {
    let setting = try Self.setting(layout, size)
    var boxes = [
      BoundingBox.world, BoundingBox(west: 179.9, south: -20, east: -179.9, north: 20),
      BoundingBox(west: 180, south: -90, east: -180, north: 90),
      BoundingBox(west: 0, south: 89.9, east: 1, north: 90),
      BoundingBox(west: -96.83, south: 32.94, east: -96.81, north: 32.96),
    ].compactMap { $0 }
    for (first, second) in zip(setting.centers, setting.centers.dropFirst()) {
      boxes += [
        BoundingBox(
          west: first.longitude,
          south: min(first.latitude, second.latitude),
          east: second.longitude,
          north: max(first.latitude, second.latitude)
        )
      ].compactMap { $0 }
    }
    for (filter, oracle) in setting.cases {
      for box in boxes {
        let query = Query(.box(box), matching: filter)
        let expected = oracle.within(box).exactly
        #expect(try setting.engine.within(box, matching: filter).exactly == expected, "\(box)")
        #expect(try setting.engine.count(query).total == expected.count, "\(box)")
      }
      #expect(
        try setting.engine.matches(Query(.everywhere, matching: filter)).exactly
          == oracle.everything.exactly
      )
    }
  }

  @Test func `whole records come back, not only their ids`() throws {
    let feed = try Feeds.sample()
    let store = try TemporaryStore()
    try store.add(feed)
    let engine = try store.engine()
    let oracle = BruteForce(restaurants: feed.restaurants)
    let center = feed.restaurants[5].coordinate
    #expect(try engine.nearest(to: center, count: 15) == oracle.nearest(to: center, count: 15))
    #expect(try engine.within(.world) == oracle.within(.world))
    #expect(try engine.matches(Query(.everywhere)) == oracle.everything)
  }

  @Test func `from Gloria's the third nearest is The Social House, as on the map`() throws {
    let store = try TemporaryStore()
    let feed = try Feeds.sample()
    try store.add(feed)
    // degrees taken for a plane would put Pluckers third
    let names = try store.engine().nearest(to: feed.restaurants[5].coordinate, count: 4)
      .map(\.restaurant.name)
    #expect(names[0] == "Gloria's" && names[1] == "Whole Foods Market")
    #expect(names[3] == "The Social House")
  }

  @Test func `distances are the ellipsoid's, where a sphere would turn the order round`() throws {
    let store = try TemporaryStore()
    try store.add(try Feeds.sample())
    let answer = try store.engine().within(radius: 3_004, of: .at(32.9299, -96.8206))
    let found = answer.filter { ($0.distance ?? 0) > 3_003 }
    #expect(found.map(\.restaurant.name) == ["Chuy's", "The Londoner"])
    let expected = [3_003.173553, 3_003.533506]
    #expect(
      zip(found.compactMap(\.distance), expected).allSatisfy { abs($0 - $1) < 1e-6 },
      "\(found.compactMap(\.distance))"
    )
  }
}
