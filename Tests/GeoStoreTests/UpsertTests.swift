import GeoFeed
import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery
@testable import GeoStore

/// Restaurants that a caller has as values.
struct UpsertTests {
  @Test func `values make a database, are replaced by id, and the others stay`() throws {
    let store = try TemporaryStore()
    let first = [Restaurant.plain("a"), .plain("b"), .plain("c")]
    let made = try RestaurantStore.upsert(first, source: "app", into: store.path)
    #expect((made.inserted, made.generation) == (3, 1))
    let database = try store.open()
    var changed = Restaurant.plain("b", at: .at(-40, 170))
    changed.rating = 4.5
    let report = try database.upsert([changed, .plain("d"), .plain("a")], source: "app")
    #expect((report.inserted, report.updated, report.unchanged, report.removed) == (1, 1, 1, 0))
    #expect(report.generation == 2)
    let read = try QueryEngine(database.snapshot()).matches(Query(.everywhere)).map(\.restaurant)
    var expected = [Restaurant.plain("a"), changed, .plain("c"), .plain("d")]
    for index in expected.indices { expected[index].source = "app" }
    #expect(read == expected)
    #expect(try database.upsert(read, source: "app").generation == 2)
    #expect(try database.upsert([], source: "app").generation == 2)
  }

  @Test func `an id that another source has gets the source before it`() throws {
    let store = try TemporaryStore([.plain("a")])
    let database = try store.open()
    try database.upsert([.plain("a")], source: "app")
    #expect(try store.restaurants().map(\.id) == ["a", "app:a"])
    #expect(try database.remove(ids: ["app:a"]).removed == 1)
    #expect(try store.restaurants().map(\.id) == ["a"])
    #expect(throws: UnknownRestaurant.self) { try database.remove(ids: ["app:a"]) }
  }

  @Test func `one that cannot be kept, or comes twice, changes nothing`() throws {
    let store = try TemporaryStore([.plain("x")])
    let database = try store.open()
    var wrong = Restaurant.plain("b")
    wrong.priceLevel = 9
    let error = #expect(throws: FeedError.self) {
      try database.upsert([.plain("a"), wrong], source: "app")
    }
    #expect(error?.record == 2)
    #expect(error?.problem == "the restaurant has a priceLevel that is not possible")
    let twice = #expect(throws: FeedError.self) {
      try database.upsert([.plain("a"), .plain("b"), .plain("a")], source: "app")
    }
    #expect(twice?.record == 3)
    #expect(try store.restaurants() == [.plain("x")])
    #expect(throws: (any Error).self) { try database.upsert([.plain("a")], source: "") }
  }

  @Test func `the asynchronous variants do the same`() async throws {
    let store = try TemporaryStore()
    let report = try await RestaurantStore.importFeed(Feeds.of([.plain("a")]), into: store.path)
    #expect(report.inserted == 1)
    #expect(try await store.open().upsert([.plain("b")], source: "test").inserted == 1)
    #expect(try store.restaurants().map(\.id) == ["a", "b"])
  }
}
