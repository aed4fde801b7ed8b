import Foundation
import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct RestaurantStoreImportTests {
  private func counts(_ report: ImportReport) -> [Int] {
    [
      report.read, report.inserted, report.updated, report.unchanged, report.removed,
      report.rejected.count, report.generation,
    ]
  }

  private func plain(_ ids: String...) -> Feed { Feeds.of(ids.map { .plain($0) }) }

  @Test func `an import says what it inserted, changed, kept and removed`() throws {
    let store = try TemporaryStore()
    #expect(counts(try store.add(plain("a", "b", "c"))) == [3, 3, 0, 0, 0, 0, 1])
    var changed = plain("b", "c", "d")
    changed.restaurants[0].address.city = "Addison"
    #expect(counts(try store.add(changed)) == [3, 1, 1, 1, 1, 0, 2])
    #expect(try store.restaurants() == changed.restaurants)
    #expect(counts(try store.add(changed)) == [3, 0, 0, 3, 0, 0, 2])
  }

  @Test func `the sample goes in as a whole, and again without a change`() throws {
    let store = try TemporaryStore()
    let feed = try Feeds.sample()
    #expect(counts(try store.add(feed)) == [15, 15, 0, 0, 0, 0, 1])
    let expected = feed.restaurants.sorted { UTF8Key($0.id) < UTF8Key($1.id) }
    #expect(try store.restaurants().map(\.allBytes) == expected.map(\.allBytes))
    let bytes = store.bytes
    #expect(counts(try store.add(feed)) == [15, 0, 0, 15, 0, 0, 1])
    #expect(store.bytes == bytes)
    #expect(store.names == ["lunch.db"])
  }

  @Test func `rejected records and warnings of the feed are in the report`() throws {
    let store = try TemporaryStore()
    let feed = try Feeds.read(
      #"{"restaurants":[5,{"name":"A","location":{"lat":"1","lng":2}}]}"#
    )
    let report = try store.add(feed)
    #expect(counts(report) == [2, 1, 0, 0, 0, 1, 1])
    #expect(report.rejected == feed.rejected)
    #expect(report.warnings == feed.warnings && !feed.warnings.isEmpty)
  }

  @Test func `records that a feed no longer lists can be kept`() throws {
    let store = try TemporaryStore()
    try store.add(plain("a", "b"))
    let report = try store.add(plain("c")) { $0.keepsMissing = true }
    #expect(counts(report) == [1, 1, 0, 0, 0, 0, 2])
    #expect(try store.restaurants().map(\.id) == ["a", "b", "c"])
  }

  @Test func `a dry run reports the same and writes nothing`() throws {
    let store = try TemporaryStore()
    #expect(counts(try store.add(plain("a")) { $0.isDryRun = true }) == [1, 1, 0, 0, 0, 0, 0])
    #expect(store.names.isEmpty)
    try store.add(plain("a", "b"))
    let bytes = store.bytes
    let report = try store.add(plain("b", "c")) { $0.isDryRun = true }
    #expect(counts(report) == [2, 1, 0, 1, 1, 0, 1])
    #expect(store.bytes == bytes)
    #expect(store.names == ["lunch.db"])
  }

  @Test func `a change only in Unicode normalization is an update`() throws {
    let store = try TemporaryStore()
    var feed = plain("a")
    feed.restaurants[0].name = "Caf\u{E9}"
    try store.add(feed)
    feed.restaurants[0].name = "Cafe\u{301}"
    #expect(counts(try store.add(feed)) == [1, 0, 1, 0, 0, 0, 2])
    #expect(Array(try store.restaurants()[0].name.utf8) == Array("Cafe\u{301}".utf8))
  }

  @Test func `a change only in the sign of zero is an update`() throws {
    let store = try TemporaryStore()
    try store.add(Feeds.of([.plain("a", at: .at(0, 1))]))
    #expect(try store.add(Feeds.of([.plain("a", at: .at(-0.0, 1))])).updated == 1)
    #expect(try store.restaurants()[0].coordinate.bits == Coordinate.at(-0.0, 1).bits)
  }

  @Test func `only a changed row makes a new generation`() throws {
    let store = try TemporaryStore()
    try store.add(plain("a"))
    let fetched = FeedOrigin(address: "https://a.example/f", etag: "\"1\"", lastModified: "now")
    #expect(try store.add(plain("a")) { $0.origin = fetched }.generation == 1)
    #expect(try store.open().origin(of: "test") == fetched)
    let bytes = store.bytes
    #expect(try store.add(plain("a")) { $0.origin = fetched }.generation == 1)
    #expect(store.bytes == bytes)
    let others = try store.add(plain("b")) {
      $0.origin = fetched
      $0.allowsReplacing = true
    }
    #expect(others.generation == 2)
  }

  @Test func `an import that fails half way leaves everything unchanged`() throws {
    let store = try TemporaryStore()
    try store.add(plain("a", "b", "c"))
    try store.sql {
      try $0.execute(
        sql: """
          CREATE TRIGGER refuse BEFORE INSERT ON restaurants WHEN NEW.id = 'z'
          BEGIN SELECT RAISE(ABORT, 'refused by a test'); END
          """
      )
    }
    let before = try store.restaurants()
    let bytes = store.contentBytes
    var feed = plain("b", "c", "d", "z")
    feed.restaurants[0].category = "changed"
    let error = store.error { try store.add(feed) }
    #expect(
      error?.description
        == "\(store.path): the database refused a statement; check the database "
        + "(SQLite 1811: refused by a test)"
    )
    #expect(try store.restaurants() == before)
    #expect(try store.open().info().generation == 1)
    #expect(store.contentBytes == bytes)
    #expect(store.names == ["lunch.db"])
    let check = try store.sql { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
    #expect(check == ["ok"])
  }

  @Test func `a strict import refuses the whole feed for its first bad record`() throws {
    let store = try TemporaryStore()
    let feed = try Feeds.read(
      #"{"restaurants":[{"id":"x","name":"A","location":{"lat":1,"lng":2}},5,6]}"#
    )
    #expect(throws: feed.rejected[0]) { try store.add(feed) { $0.isStrict = true } }
    #expect(store.names.isEmpty)
  }

  @Test func `a spatial index that lost an entry stops the import`() throws {
    let store = try TemporaryStore()
    try store.add(plain("a", "b"))
    try store.sql { try $0.execute(sql: "DELETE FROM idx_restaurants_geom WHERE pkid = 1") }
    let error = store.error { try store.add(plain("a", "b", "c")) }
    #expect(
      error?.description
        == "\(store.path): the spatial index does not match the table (1 entries, 2 rows); "
        + "nothing was changed; import the feeds into a new file"
    )
    #expect(try store.restaurants().count == 2)
  }

  @Test func `the writer commits to disk before it answers`() throws {
    let store = try TemporaryStore([.plain("a")])
    let queue = try DatabaseQueue(path: store.path, configuration: .writing)
    let synchronous = try queue.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
    let mode = try queue.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
    #expect(synchronous == 2)
    #expect(mode == "wal")
  }

  @Test func `rows and spatial index agree after many imports`() throws {
    var random = SplitMix64(stream: "imports")
    let store = try TemporaryStore()
    for _ in 0..<12 {
      let ids = (0..<40).filter { _ in random.int(below: 3) > 0 } + [100, 101]
      let feed = Feeds.of(ids.map { .plain("id-\($0)", at: random.coordinate()) })
      try store.add(feed)
      let expected = feed.restaurants.sorted { UTF8Key($0.id) < UTF8Key($1.id) }
      #expect(try store.restaurants() == expected, "SEED=\(SplitMix64.seed)")
    }
    try store.sql { db in
      let rows = try Int.fetchOne(db, sql: "SELECT count(*) FROM restaurants")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM idx_restaurants_geom") == rows)
      #expect(try Int.fetchOne(db, sql: "SELECT CheckSpatialIndex('restaurants', 'geom')") == 1)
    }
  }
}
