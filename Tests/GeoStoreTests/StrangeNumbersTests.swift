import Foundation
import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// Databases with contents that geoq never writes: others can write what they like.
struct StrangeNumbersTests {
  private static var changes: [String] {
    let rows: [Int64] = [.max, .max / 2 + 1, 1 << 41, -1, -5, .min]
    var changes = rows.map { "UPDATE restaurants SET pk = \($0) WHERE id = 'id-3'" }
    let columns = [
      "geoq_fingerprints": "hashes", "geoq_records": "hashes",
    ]
    let chunks: [Int64] = [.max, 1 << 53, -1, .min]
    for (table, column) in columns.sorted(by: <) {
      for chunk in chunks {
        changes.append("INSERT INTO \(table) (chunk, \(column)) VALUES (\(chunk), zeroblob(3840))")
        changes.append("UPDATE \(table) SET chunk = \(chunk) WHERE chunk = 0")
      }
    }
    return changes
  }

  @Test(arguments: changes)
  func `whatever numbers a database holds, answers are right or refused`(_ change: String) throws {
    let places = (0..<40).map { Restaurant.plain("id-\($0)") }
    let store = try TemporaryStore(places)
    try store.sql { db in
      try db.execute(sql: "DROP TRIGGER IF EXISTS giu_restaurants_geom")
      try db.execute(sql: change)
    }
    // that nothing stops the process is half of the test
    let findings = Verification.examine(path: store.path)
    #expect(findings.contains { !$0.isGood } || !change.contains("SET pk"))
    if let found = try? store.engine().matches(Query(.everywhere)).map(\.restaurant.id) {
      #expect(found == places.map(\.id).sorted())
    }
    let filter = Filter(conditions: [try Condition("name = Name of id-3")])
    let query = Query(.everywhere, matching: filter)
    if let found = try? store.engine().matches(query).map(\.restaurant.id) {
      #expect(found == ["id-3"] || (found.isEmpty && change.contains("SET pk")))
    }
    for feed in [Array(places.dropFirst()), places + [.plain("new")]] {
      let before = try Int.fetchAll(store, "SELECT pk FROM restaurants ORDER BY id")
      if (try? store.add(Feeds.of(feed))) == nil {
        #expect(try Int.fetchAll(store, "SELECT pk FROM restaurants ORDER BY id") == before)
      } else if let found = try? store.restaurants().map(\.id) {
        #expect(found == feed.map(\.id).sorted())
      }
    }
  }

  private static let tables =
    ["geoq_store", "geoq_sources", "geoq_fingerprints", "geoq_records", "geoq_favorites"]
    + ["restaurants", "chains", "offers"] + OfferTables.lists.map(\.table)

  /// Eight restaurants, which the stores with a row in each table have.
  private static let places = (0..<8).map { Restaurant.plain("id-\($0)") }

  /// A database with a row in each table, made once.
  private static let base = Result { try filledStore().bytes }

  /// A store with a row in each table.
  private static func filled() throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.write(base.get())
    return store
  }

  private static func filledStore() throws -> TemporaryStore {
    let store = try TemporaryStore(places)
    try store.open().addFavorites(["id-3"])
    try store.sql { db in
      try db.execute(
        sql: """
          INSERT INTO chains (id, name, source) VALUES ('c', 'Chain', 'test');
          INSERT INTO offers (id, name, amount, source) VALUES ('o', 'Offer', 2.5, 'test');
          """
      )
      for list in OfferTables.lists {
        let sql = "INSERT INTO \(list.table) (offer, position, \(list.column)) VALUES ('o', 0, 'x')"
        try db.execute(sql: sql)
      }
    }
    return store
  }

  /// Runs a call that may succeed or be refused with an error of geoq's own.
  private func refusedOrRight(_ what: String, _ body: () throws -> Void) {
    do {
      try body()
    } catch is StoreError {
    } catch is SnapshotError {
    } catch is UnknownRestaurant {
    } catch {
      Issue.record("\(what): \(type(of: error)): \(error)")
    }
  }

  /// Asks all that geoq asks of a store, and changes it in each way.
  private func use(_ store: TemporaryStore, _ what: String) {
    let places = Self.places
    refusedOrRight(what) {
      let ids = try store.engine().matches(Query(.everywhere)).map(\.restaurant.id)
      #expect(ids.count == places.count, "\(what)")
    }
    refusedOrRight(what) { _ = try store.open().info() }
    refusedOrRight(what) { _ = try store.open().favorites() }
    refusedOrRight(what) { _ = try store.open().offerBook() }
    refusedOrRight(what) { try store.open().addFavorites(["id-4"]) }
    refusedOrRight(what) { try store.add(Feeds.of(Array(places.dropFirst()) + [.plain("new")])) }
    refusedOrRight(what) { try store.open().remove(ids: ["id-5"]) }
    refusedOrRight(what) { try RestaurantStore.renameSource("test", to: "x", in: store.path) }
    refusedOrRight(what) { try RestaurantStore.removeSource("test", from: store.path) }
    _ = Verification.examine(path: store.path)
  }

  @Test(arguments: tables)
  func `a value of any kind in any column is refused or answered right`(_ table: String) throws {
    let columns = try Self.filled().sql { try $0.columns(in: table).map(\.name) }
    let values = ["NULL", "-5", "9223372036854775807", "'text'", "x'FF00'", "9e999"]
    for (number, column) in columns.enumerated() {
      // one of them: `Tests/crash/contents.py` writes each into each column
      let change = "UPDATE OR IGNORE \(table) SET \(column) = \(values[number % values.count])"
      let store = try Self.filled()
      let isChanged = try? store.sql { db in
        try db.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF")
        if table == "restaurants" { _ = try SpatialTriggers(settingAside: db) }
        try db.execute(sql: change)
        return db.changesCount > 0
      }
      if isChanged == true { use(store, change) }
    }
  }

  private static let endless =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i)"

  private static var foreign: [String] {
    let views = (tables + ["idx_restaurants_geom_node"]).map { table in
      "ALTER TABLE \(table) RENAME TO was; CREATE VIEW \(table) AS \(endless) AS generation FROM n"
    }
    let columns = ["singleton", "storeID", "generation", "edition", "offersRevision"]
    let computed = columns.map { column in
      let others = columns.filter { $0 != column }.joined(separator: ", ")
      return "ALTER TABLE geoq_store RENAME TO was; CREATE TABLE geoq_store (\(others), \(column) "
        + "AS (hex(zeroblob(50000000)) LIKE '%0%0%0%0%0%0%0%0%1')); "
        + "INSERT INTO geoq_store (\(others)) SELECT \(others) FROM was"
    }
    let triggers = ["geoq_store", "geoq_sources", "geoq_favorites"].flatMap { table in
      ["INSERT", "UPDATE", "DELETE"].map { event in
        "CREATE TRIGGER t AFTER \(event) ON \(table) BEGIN "
          + "INSERT INTO l SELECT * FROM (\(endless) FROM n); END"
      }
    }
    return views + computed + triggers
  }

  @Test func `the row of the store is not waited for without end`() throws {
    let store = try Self.filled()
    try store.sql { db in
      try db.execute(
        sql: "DROP TABLE geoq_store; CREATE VIEW geoq_store AS \(Self.endless) "
          + "AS generation FROM n"
      )
      let error = store.error {
        try StoreError.wrapping(store.path) {
          _ = try SQLiteConnection(db, path: store.path).generation()
        }
      }
      #expect(error?.message.hasPrefix("the database does not give a row in time") == true)
    }
  }

  @Test(arguments: foreign)
  func `views, computed columns and triggers of another program are refused`(
    _ change: String
  ) throws {
    let store = try Self.filled()
    try store.sql { db in
      try db.execute(sql: "PRAGMA writable_schema = ON; CREATE TABLE l (i); \(change)")
    }
    let before = store.bytes
    for refused in [
      { _ = try store.open() }, { try store.add(Feeds.of(Self.places + [.plain("new")])) },
      { try RestaurantStore.removeSource("test", from: store.path) },
    ] {
      do {
        try refused()
        Issue.record("not refused")
      } catch let error as StoreError {
        #expect(error.kind == .corrupt && error.message.contains("another program"))
      }
    }
    #expect(Verification.examine(path: store.path).map(\.isGood) == [false])
    #expect(store.bytes == before)
  }
}

extension Int {
  fileprivate static func fetchAll(_ store: TemporaryStore, _ sql: String) throws -> [Int] {
    try store.sql { try Int.fetchAll($0, sql: sql) }
  }
}
