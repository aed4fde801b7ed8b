import Foundation
import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// Identifies the contents of a store.
struct StoreState: Sendable, Hashable {
  /// Counts the changes of restaurants, by imports and by edits.
  let generation: Int

  /// The random number of the generation, by which two histories of a store differ.
  let edition: UInt64
}

/// A read transaction: everything read through it is of one generation.
struct StoreReader {
  let db: Database
  let path: String

  init(_ db: Database, path: String) {
    self.db = db
    self.path = path
  }

  /// Counts the changes of restaurants, by imports and by edits.
  func generation() throws -> Int {
    try Int.fetchOne(db, sql: "SELECT generation FROM geoq_store") ?? 0
  }

  /// The number of restaurants.
  func count() throws -> Int {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM restaurants") ?? 0
  }

  /// Generation and edition.
  func state() throws -> StoreState {
    let row = try Row.fetchOne(db, sql: "SELECT generation, edition FROM geoq_store")
    return StoreState(
      generation: row.flatMap { Int.fromDatabaseValue($0[0]) } ?? 0,
      edition: UInt64(bitPattern: row.flatMap { Int64.fromDatabaseValue($0[1]) } ?? 0)
    )
  }
}
