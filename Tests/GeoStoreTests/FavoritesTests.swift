import Foundation
import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct FavoritesTests {
  private func ids(_ store: RestaurantStore) throws -> [String] {
    try store.favorites().map(\.restaurant.id)
  }

  @Test func `favorites are kept with the time, by id, and adding one again changes nothing`()
    throws
  {
    let kept = try TemporaryStore([.plain("b"), .plain("a"), .plain("c")])
    let store = try kept.open()
    #expect(try store.favorites().isEmpty)
    try store.addFavorites(["c", "a"])
    let first = try store.favorites()
    #expect(first.map(\.restaurant) == [.plain("a"), .plain("c")])
    for match in first {
      let since = try #require(match.favorite?.since)
      let time = try #require(ISO8601DateFormatter().date(from: since))
      #expect(abs(time.timeIntervalSinceNow) < 3_600)
      #expect(match.favorite?.isGone == false)
    }
    try kept.sql {
      try $0.execute(sql: "UPDATE geoq_favorites SET favoriteSince = '2001-02-03T04:05:06Z'")
    }
    try store.addFavorites(["a", "a"])
    #expect(
      try store.favorites().map(\.favorite?.since)
        == Array(repeating: "2001-02-03T04:05:06Z", count: 2)
    )
    #expect(try kept.open().favorites().count == 2)
  }

  @Test func `removing is by id, and what is none changes no byte`() throws {
    let kept = try TemporaryStore([.plain("a"), .plain("b")])
    let store = try kept.open()
    try store.addFavorites(["a", "b"])
    #expect(try store.removeFavorites(["b", "x", "b"]) == ["b"])
    #expect(try ids(store) == ["a"])
    try store.close()
    let bytes = kept.bytes
    let again = try kept.open()
    #expect(try again.removeFavorites(["b", "x"]).isEmpty)
    #expect(try again.removeFavorites([]).isEmpty)
    try again.close()
    #expect(kept.bytes == bytes)
  }

  @Test func `an unknown id is an error that names near ones, and adds none of the others`() throws
  {
    let names = ["Yard House", "Yard Inn", "Hopdoddy Burger Bar", "Thai Star"]
    let kept = try TemporaryStore(
      names.enumerated().map { number, name in
        var restaurant = Restaurant.plain("\(slug(of: name))-\(1_000 + number)")
        restaurant.name = name
        return restaurant
      }
    )
    let store = try kept.open()
    for (id, similar) in [
      ("yard-hous-1000", ["yard-house-1000"]),
      ("hopdody-burger-bar-1002", ["hopdoddy-burger-bar-1002"]),
      ("thai-star", ["thai-star-1003"]), ("zzz", []), ("", []), ("\" OR 1=1", []),
    ] {
      let error = #expect(throws: UnknownRestaurant.self) {
        try store.addFavorites(["thai-star-1003", id])
      }
      #expect(error?.id == id)
      #expect(error?.similar.first == similar.first)
      #expect((error?.similar.count ?? 0) <= 3)
      #expect(try ids(store).isEmpty)
    }
  }

  @Test func `ids compare as UTF-8 bytes`() throws {
    let kept = try TemporaryStore([.plain("\u{E9}"), .plain("e\u{301}"), .plain("")])
    let store = try kept.open()
    try store.addFavorites(["e\u{301}", ""])
    #expect(try ids(store).map { Array($0.utf8) } == [[], Array("e\u{301}".utf8)])
    #expect(try store.removeFavorites(["\u{E9}"]).isEmpty)
  }

  @Test func `a favorite follows its restaurant, and stays as it was last when that goes`() throws {
    var random = SplitMix64(stream: "favourites")
    var changing = Restaurant.full("a", at: .at(-0.0, 180)) { random.hostileText(upTo: 4) + "x" }
    let other = Restaurant.plain("b")
    let kept = try TemporaryStore([changing, other, .plain("c")])
    let store = try kept.open()
    let engine = { QueryEngine(try store.snapshot()) }
    let generation = try store.info().generation
    try store.addFavorites(["a", "c"])
    #expect(try store.info().generation == generation)
    changing.name = "renamed"
    try kept.add(Feeds.of([changing, other]))
    changing.coordinate = .at(1.5, -2.25)
    try kept.add(Feeds.of([changing, other]))
    var favorites = try store.favorites()
    #expect(
      favorites.map(\.restaurant.allBytes) == [changing.allBytes, Restaurant.plain("c").allBytes]
    )
    #expect(favorites.map(\.favorite?.isGone) == [false, true])
    try kept.add(Feeds.of([other]))
    favorites = try store.favorites()
    #expect(favorites.first?.restaurant.allBytes == changing.allBytes)
    #expect(favorites.map(\.favorite?.isGone) == [true, true])
    #expect(try engine().count(Query(.everywhere)).total == 1)
    // one that is gone can be added again and removed, and one that comes back is as the feed has it
    try store.addFavorites(["a"])
    changing.category = "back"
    try kept.add(Feeds.of([other, changing]))
    #expect(try store.favorites().first?.restaurant == changing)
    #expect(try store.favorites().first?.favorite?.isGone == false)
    #expect(try store.removeFavorites(["c"]) == ["c"])
  }

  @Test func `favorites are there when the process that added them is not closed properly`() throws
  {
    let kept = try TemporaryStore([.plain("a"), .plain("b")])
    let reader = try kept.open()
    defer { withExtendedLifetime(reader) {} }
    _ = try reader.count()
    try kept.open().addFavorites(["b"])
    // what lies on the disk now, the log included, is all that a machine would find again
    let copy = try TemporaryStore()
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: kept.path + suffix) {
      try FileManager.default.copyItem(atPath: kept.path + suffix, toPath: copy.path + suffix)
    }
    #expect(try ids(copy.open()) == ["b"])
  }

  @Test func `an acknowledged favorite is on the disk: every commit is synchronous`() throws {
    let kept = try TemporaryStore([.plain("a")])
    let (synchronous, journal) = try kept.sql { db in
      (
        try Int.fetchOne(db, sql: "PRAGMA synchronous"),
        try String.fetchOne(db, sql: "PRAGMA journal_mode")
      )
    }
    #expect(synchronous == 2)
    #expect(journal == "wal")
  }

  @Test func `threads that add at once lose none`() async throws {
    let kept = try TemporaryStore((0..<40).map { .plain("\($0)") })
    let path = kept.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          let store = try RestaurantStore(path: path)
          for number in 0..<10 { try store.addFavorites(["\(thread * 10 + number)"]) }
          try store.close()
        }
      }
      try await group.waitForAll()
    }
    #expect(try kept.open().favorites().count == 40)
  }
}
