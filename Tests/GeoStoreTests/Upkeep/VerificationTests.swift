import Foundation
import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct VerificationTests {
  private let subjects = [
    "database", "restaurants", "spatial index", "contents", "snapshot",
  ]

  private func store(_ count: Int = 1_000) throws -> TemporaryStore {
    var random = SplitMix64(stream: "verify")
    return try TemporaryStore((0..<count).map { .plain("id-\($0)", at: random.coordinate()) })
  }

  /// The subjects that are not good.
  private func faults(_ store: TemporaryStore) -> [String] {
    Verification.examine(path: store.path).filter { !$0.isGood }.map(\.subject)
  }

  @Test(arguments: [1, 2, 479, 480, 481, 1_500])
  func `a sound store is good in every respect, and stays as it is`(_ count: Int) throws {
    let store = try store(count)
    let bytes = store.bytes
    let findings = Verification.examine(path: store.path)
    #expect(findings.map(\.subject) == subjects)
    #expect(findings.filter { !$0.isGood } == [])
    #expect(findings.last?.detail == "generation 1, \(count) restaurants, the same as the rows")
    #expect(store.bytes == bytes)
    #expect(store.names == ["lunch.db"] && store.snapshots == ["lunch.db.1.geoqx"])
  }

  @Test func `a store that is missing or cut is one finding`() throws {
    let store = try TemporaryStore()
    #expect(faults(store) == ["database"])
    #expect(store.names.isEmpty)
    let cut = try self.store()
    try cut.write(cut.bytes.prefix(cut.bytes.count / 2))
    #expect(faults(cut).first == "database")
  }

  @Test(arguments: [
    ("UPDATE restaurants SET latitude = latitude + 1e-9 WHERE pk = 7", "restaurants"),
    ("UPDATE restaurants SET longitude = 0 WHERE pk = 1000", "restaurants"),
    ("UPDATE restaurants SET id = '' WHERE pk = 500", "restaurants"),
    ("DELETE FROM idx_restaurants_geom WHERE pkid = 9", "spatial index"),
    (
      "UPDATE idx_restaurants_geom SET xmax = xmin, xmin = xmin - 1 WHERE pkid = 9", "spatial index"
    ),
    ("DELETE FROM idx_restaurants_geom_rowid WHERE rowid = 3", "spatial index"),
    ("UPDATE restaurants SET id = 'zz' WHERE pk = 1", "contents"),
    ("UPDATE geoq_store SET edition = edition + 1", "snapshot"),
  ])
  func `one wrong value is found`(_ change: String, _ subject: String) throws {
    let store = try store()
    try store.sql { db in
      for name in ["ggu", "giu", "tmu"] {
        try db.execute(sql: "DROP TRIGGER \(name)_restaurants_geom")
      }
      try db.execute(sql: change)
    }
    #expect(faults(store).first == subject)
  }

  @Test func `rows that swap their points under the snapshot are found`() throws {
    let store = try store()
    try store.sql { db in
      try db.execute(
        sql: """
          CREATE TEMP TABLE old AS SELECT pk, geom, latitude, longitude FROM restaurants
          WHERE pk IN (1, 2);
          UPDATE restaurants SET (geom, latitude, longitude) =
            (SELECT geom, latitude, longitude FROM old WHERE old.pk = 3 - restaurants.pk)
          WHERE pk IN (1, 2);
          """
      )
    }
    #expect(faults(store) == ["contents", "snapshot"])
  }

  @Test(
    arguments: [
      "phone = 'edited'", "rating = 3.5", "source = 'x'", "extra = '{\"a\":1}'", "city = NULL",
      "closed = 1", "hours = ''",
    ]
  )
  func `a row that another program has changed is found`(_ change: String) throws {
    var random = SplitMix64(stream: "edited")
    let store = try TemporaryStore(random.restaurants(50))
    #expect(faults(store).isEmpty)
    try store.sql {
      try $0.execute(
        sql: "UPDATE restaurants SET city = 'Ulm', rating = 1, closed = NULL WHERE pk = 9"
      )
    }
    let found = Verification.examine(path: store.path).first {
      !$0.isGood && $0.subject == "contents"
    }
    #expect(found?.detail.hasPrefix("row 9, ") == true)
    #expect(found?.detail.contains("another program has changed it") == true)
    let other = try TemporaryStore(random.restaurants(50))
    try other.sql { try $0.execute(sql: "UPDATE restaurants SET \(change) WHERE pk = 7") }
    #expect(faults(other).contains("contents"))
    let fewer = try TemporaryStore(random.restaurants(50))
    try fewer.sql { try $0.execute(sql: "DELETE FROM restaurants WHERE pk = 7") }
    #expect(faults(fewer).first == "contents")
  }

  @Test func `a snapshot that is damaged is found, one that is missing is made by the next query`()
    throws
  {
    let store = try store()
    let path = store.file("lunch.db.1.geoqx")
    var bytes = try #require(FileManager.default.contents(atPath: path))
    bytes[bytes.count - 5] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(faults(store) == ["snapshot"])
    try FileManager.default.removeItem(atPath: path)
    #expect(faults(store).isEmpty)
    #expect(store.snapshots.isEmpty)
  }

  @Test func `points that a spatial index cannot tell from 0 are where they are`() throws {
    let store = try TemporaryStore([
      .plain("a", at: .at(.leastNonzeroMagnitude, -.leastNonzeroMagnitude)),
      .plain("b", at: .at(-1e-300, 1e-46)),
      .plain("c", at: .at(-0.0, 1e-45)),
    ])
    #expect(faults(store).isEmpty)
    try store.sql { db in
      try db.execute(sql: "UPDATE restaurants SET rating = 1")
    }
    #expect(faults(store) == ["contents", "snapshot"])
  }

  @Test func `a word of any length is found once`() throws {
    var restaurant = Restaurant.plain("a")
    restaurant.name = String(repeating: "long", count: 10_000) + " twice twice TWICE ½ Café"
    let store = try TemporaryStore([restaurant])
    #expect(faults(store).isEmpty)
  }
}
