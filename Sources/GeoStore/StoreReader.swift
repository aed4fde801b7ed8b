import CSpatiaLite
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

  /// The generations and revisions that geoq accepts: more than any store has, and far from overflow.
  static let counts: ClosedRange<Int64> = 0...1 << 53
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
  func generation() throws -> Int { try count("generation") }

  /// Counts the changes of offers and chains.
  func offersRevision() throws -> Int { try count("offersRevision") }

  /// The id of the store.
  func storeID() throws -> StoreID {
    let value = try value("storeID")
    guard case .string(let text) = value.storage, let id = StoreID(text) else {
      throw damage("storeID", value)
    }
    return id
  }

  /// The number of restaurants.
  func count() throws -> Int {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM restaurants") ?? 0
  }

  /// Generation and edition.
  func state() throws -> StoreState {
    let edition = try value("edition")
    guard case .int64(let bits) = edition.storage else { throw damage("edition", edition) }
    return StoreState(generation: try generation(), edition: UInt64(bitPattern: bits))
  }

  /// A column of the store's only row, which another program may have written.
  private func value(_ column: String) throws -> DatabaseValue {
    let sql = "SELECT \(column) FROM geoq_store LIMIT 1"
    return try db.within(seconds: 5) { try DatabaseValue.fetchOne(db, sql: sql) ?? .null }
  }

  private func count(_ column: String) throws -> Int {
    let value = try value(column)
    guard case .int64(let number) = value.storage, StoreState.counts.contains(number) else {
      throw damage(column, value)
    }
    return Int(number)
  }

  private func damage(_ column: String, _ value: DatabaseValue) -> StoreError {
    StoreError.damagedRow(of: "geoq_store", "\(column) is \(value)", path: path)
  }
}

extension Database {
  /// Runs a block whose statements fail if they have not ended within some seconds.
  ///
  /// For reading a few rows of a file that another program may have made.
  func within<Result>(seconds: Int, _ body: () throws -> Result) rethrows -> Result {
    var end = ContinuousClock.now + .seconds(seconds)
    return try withUnsafeMutablePointer(to: &end) { end in
      sqlite3_progress_handler(
        sqliteConnection,
        10_000,
        { $0?.load(as: ContinuousClock.Instant.self) ?? .now < .now ? 1 : 0 },
        end
      )
      defer { sqlite3_progress_handler(sqliteConnection, 0, nil, nil) }
      return try body()
    }
  }
}
