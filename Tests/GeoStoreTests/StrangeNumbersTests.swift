import Foundation
import GRDB
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// Databases with numbers that geoq never gives: others can write what they like.
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
}

extension Int {
  fileprivate static func fetchAll(_ store: TemporaryStore, _ sql: String) throws -> [Int] {
    try store.sql { try Int.fetchAll($0, sql: sql) }
  }
}
