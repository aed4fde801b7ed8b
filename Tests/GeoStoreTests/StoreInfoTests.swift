import Foundation
import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct StoreInfoTests {
  @Test func `info tells what a store holds`() throws {
    let store = try TemporaryStore()
    let places: [(String, String?, Coordinate)] = [
      ("a", "Thai", .at(1, 179)), ("b", "Pub", .at(-3, -179)), ("c", nil, .at(2, -178.5)),
      ("d", "Thai", .at(0, 179.5)), ("e", "Cafe", .at(0.5, 180)),
    ]
    let restaurants = places.map { id, category, coordinate in
      var restaurant = Restaurant.plain(id, at: coordinate)
      restaurant.category = category
      return restaurant
    }
    try store.add(Feeds.of(restaurants))
    let origin = FeedOrigin(address: "https://a.example/feed", etag: "\"x\"")
    try store.add(Feeds.of([.plain("z", at: .at(1, 179.2), source: "web")], source: "web")) {
      $0.origin = origin
    }
    let info = try store.open().info()
    #expect(info.path == store.path)
    #expect(info.bytes == store.bytes.count)
    #expect(UUID(uuidString: info.storeID) != nil)
    #expect(info.generation == 2)
    #expect(info.schemaVersion == Schema.version)
    #expect(info.count == 6)
    #expect(info.extent == BoundingBox(west: 179, south: -3, east: -178.5, north: 2))
    #expect(
      info.categories.map { "\($0.name) \($0.count)" } == [" 2", "Thai 2", "Cafe 1", "Pub 1"]
    )
    #expect(info.sources.map { "\($0.name) \($0.count)" } == ["test 5", "web 1"])
    #expect(info.sources.map(\.address) == [nil, origin.address])
    for source in info.sources {
      let moment = try #require(source.importedAt)
      #expect(try Date.ISO8601FormatStyle().parse(moment) <= Date.now)
    }
  }

  @Test func `two stores have two ids, and an import keeps the id`() throws {
    let stores = [try TemporaryStore([.plain("a")]), try TemporaryStore([.plain("a")])]
    let ids = try stores.map { try $0.open().info().storeID }
    #expect(ids[0] != ids[1])
    try stores[0].add(Feeds.of([.plain("a"), .plain("b")]))
    #expect(try stores[0].open().info().storeID == ids[0])
  }

  @Test func `a source that came inside another feed has no time of its own`() throws {
    let store = try TemporaryStore([.plain("a", source: "inner"), .plain("b")])
    let sources = try store.open().info().sources
    #expect(sources.map(\.name) == ["inner", "test"])
    #expect(sources[0].importedAt == nil)
    #expect(sources[1].importedAt != nil)
    #expect(try store.open().origin(of: "test") == nil)
    #expect(try store.open().origin(of: "unknown") == nil)
  }

  @Test func `a store without restaurants has no extent`() throws {
    let store = try TemporaryStore()
    try store.add(Feeds.of([])) { $0.allowsShrinking = true }
    let info = try store.open().info()
    #expect(info.count == 0 && info.extent == nil)
    #expect(info.categories.isEmpty && info.sources.isEmpty)
  }
}
