import Foundation
import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct RestaurantRowTests {
  @Test func `every field of a restaurant comes back byte for byte, hostile texts included`() throws
  {
    var random = SplitMix64(stream: "rows")
    let restaurants = (0..<80).map { number in
      Restaurant.full("\(number)", at: random.coordinate()) { random.hostileText(upTo: 8) }
    }
    let store = try TemporaryStore(restaurants)
    let expected = restaurants.sorted { UTF8Key($0.id) < UTF8Key($1.id) }.map(\.allBytes)
    #expect(try store.restaurants().map(\.allBytes) == expected, "SEED=\(SplitMix64.seed)")
  }

  @Test func `values missing in a feed stay missing`() throws {
    let plain = Restaurant.plain("a")
    let store = try TemporaryStore([plain])
    #expect(try store.restaurants() == [plain])
    try store.sql { db in
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM restaurants"))
      let set = row.filter { !$0.1.isNull }.map(\.0)
      #expect(set == ["pk", "id", "name", "latitude", "longitude", "source", "geom"])
    }
  }

  @Test func `coordinates keep their bits`() throws {
    let coordinates: [Coordinate] = [
      .at(-0.0, -0.0), .at(0, 0), .at(90, 180), .at(-90, -180),
      .at(.leastNonzeroMagnitude, -.leastNonzeroMagnitude),
      .at(32.95078700000001, -96.82111800000001), .at(-0.0, -180),
    ]
    let store = try TemporaryStore(
      coordinates.enumerated().map { .plain("\($0.offset)", at: $0.element) }
    )
    #expect(try store.restaurants().map(\.coordinate.bits) == coordinates.map(\.bits))
  }

  @Test func `texts that look like SQL, numbers or other types stay texts`() throws {
    var restaurant = Restaurant.plain("'; DROP TABLE restaurants; --")
    restaurant.address.postalCode = "02134"
    restaurant.contact.facebook = "92873089221"
    restaurant.contact.phone = "+1e5"
    restaurant.hours = "NULL"
    restaurant.category = "{\"a\":1}"
    let store = try TemporaryStore([restaurant])
    #expect(try store.restaurants() == [restaurant])
    let types = try store.sql {
      try String.fetchAll($0, sql: "SELECT typeof(postalCode) || typeof(facebook) FROM restaurants")
    }
    #expect(types == ["texttext"])
  }

  @Test(arguments: [
    "rating = 'good', reviewCount = 'many', priceLevel = NULL", "closed = NULL",
    "formattedAddress = 'no JSON'", "extra = '[1]'", "extra = x'00FF'", "phone = x'00FF'",
  ])
  func `values edited by hand into another type are passed over`(_ change: String) throws {
    let store = try TemporaryStore([.plain("a")])
    try store.sql { try $0.execute(sql: "UPDATE restaurants SET \(change)") }
    try store.removeSnapshot()
    #expect(try store.restaurants() == [.plain("a")])
  }

  @Test func `a row without a usable point or name is an error, not a crash`() throws {
    for change in ["name = x'FF'", "id = x'FF'", "source = x'FF'"] {
      let store = try TemporaryStore([.plain("a")])
      try store.sql { try $0.execute(sql: "UPDATE restaurants SET \(change)") }
      try store.removeSnapshot()
      let error = store.error { _ = try store.restaurants() }
      #expect(error?.kind == .corrupt)
      #expect(
        error?.description
          == "\(store.path): a row of restaurants has no id, name, source or point; check the database"
      )
    }
    let store = try TemporaryStore([.plain("a")])
    try store.sql { db in
      for trigger in ["ggu_restaurants_geom", "giu_restaurants_geom"] {
        try db.execute(sql: "DROP TRIGGER IF EXISTS \(trigger)")
      }
      try db.execute(sql: "UPDATE restaurants SET geom = x'0001'")
    }
    try store.removeSnapshot()
    #expect(
      store.error { _ = try store.engine().nearest(to: .at(1, 2), count: 1) }?.message
        == "a row of restaurants has no point; check the database"
    )
  }
}
