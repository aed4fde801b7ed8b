import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct SpatialIndexTests {
  /// What SQLite and SpatiaLite say of the index, and its entries.
  private func check(_ store: TemporaryStore, _ comment: Comment) throws -> [Row] {
    try store.sql { db in
      let tree = try String.fetchOne(db, sql: "SELECT rtreecheck('idx_restaurants_geom')")
      #expect(tree == "ok", comment)
      let isSound = try Int.fetchOne(db, sql: "SELECT CheckSpatialIndex('restaurants', 'geom')")
      #expect(isSound == 1, comment)
      return try Row.fetchAll(db, sql: "SELECT * FROM idx_restaurants_geom ORDER BY pkid")
    }
  }

  @Test(arguments: [0, 1, 2, 44, 45, 46, 90, 91, 2_025, 2_026, 5_000])
  func `a packed tree is sound to SQLite and SpatiaLite, and has SpatiaLite's own entries`(
    _ count: Int
  ) throws {
    var random = SplitMix64(stream: "packed \(count)")
    for layout in [RestaurantLayout.world, .special, .onePoint] {
      let restaurants = layout.restaurants(count: count, using: &random).enumerated().map {
        Restaurant.plain("id-\($0.offset)", at: $0.element.coordinate)
      }
      let store = try TemporaryStore()
      try store.add(Feeds.of(restaurants)) { $0.allowsShrinking = true }
      let packed = try check(store, "\(count) \(layout), SEED=\(SplitMix64.seed)")
      #expect(packed.count == count)
      try store.sql {
        try $0.execute(sql: "DELETE FROM idx_restaurants_geom")
        try $0.execute(
          sql: """
            INSERT INTO idx_restaurants_geom
            SELECT pk, longitude, longitude, latitude, latitude FROM restaurants
            """
        )
      }
      #expect(try check(store, "\(layout), by SQLite") == packed)
    }
  }

  @Test func `single changes to a packed tree leave it sound`() throws {
    var random = SplitMix64(stream: "packed changes")
    var restaurants = (0..<3_000).map { Restaurant.plain("id-\($0)", at: random.coordinate()) }
    let store = try TemporaryStore(restaurants)
    for round in 0..<6 {
      for _ in 0..<30 {
        let place = random.int(below: restaurants.count)
        restaurants[place].coordinate = random.coordinate()
        restaurants.remove(at: random.int(below: restaurants.count))
        restaurants.append(.plain("new-\(random.next())", at: random.coordinate()))
      }
      try store.add(Feeds.of(restaurants))
      #expect(try check(store, "round \(round), SEED=\(SplitMix64.seed)").count == 3_000)
    }
    let box = try #require(BoundingBox(west: -20, south: -30, east: 60, north: 10))
    let expected = BruteForce(restaurants: restaurants).within(box).exactly
    #expect(try store.engine().within(box).exactly == expected)
    let found = try store.sql {
      try String.fetchAll(
        $0,
        sql: """
          SELECT id FROM restaurants WHERE pk IN (
            SELECT pkid FROM idx_restaurants_geom
            WHERE xmin <= 60 AND xmax >= -20 AND ymin <= 10 AND ymax >= -30
          ) AND longitude BETWEEN -20 AND 60 AND latitude BETWEEN -30 AND 10
          """
      )
    }
    #expect(
      Set(found) == Set(BruteForce(restaurants: restaurants).within(box).map(\.restaurant.id))
    )
  }

  @Test func `SpatiaLite's triggers are unchanged after an import`() throws {
    func triggers(_ store: TemporaryStore) throws -> [String] {
      try store.sql {
        try String.fetchAll(
          $0,
          sql:
            "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'restaurants' ORDER BY name"
        )
      }
    }
    let store = try TemporaryStore([.plain("a")])
    let before = try triggers(store)
    #expect(before.count == 8)
    try store.add(Feeds.of([.plain("a"), .plain("b")]))
    #expect(try triggers(store) == before)
    // and they work: a row written by hand has its entry
    try store.sql {
      try $0.execute(
        sql: """
          INSERT INTO restaurants (id, name, latitude, longitude, source, geom)
          VALUES ('c', 'C', 1, 2, 's', MakePoint(2, 1, 4326))
          """
      )
      #expect(try Int.fetchOne($0, sql: "SELECT count(*) FROM idx_restaurants_geom") == 3)
    }
  }
}
