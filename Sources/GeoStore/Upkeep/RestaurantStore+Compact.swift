import Foundation
import GRDB
import GeoFeed
import GeoQuery

/// The result of compacting a database.
public struct CompactReport: Sendable, Hashable {
  /// The size of the database and its log before, in bytes.
  public let bytesBefore: Int

  /// The size afterwards.
  public let bytesAfter: Int
}

extension RestaurantStore {
  /// Rewrites a database without unused space, and removes files that killed imports have left.
  ///
  /// Queries continue meanwhile. It needs disk space for another copy while it runs.
  ///
  /// - Parameter path: The database file.
  /// - Returns: The sizes before and after.
  /// - Throws: `StoreError` if there is no database, if an import is running, or if it cannot
  ///   be written; the database is then unchanged.
  public static func compact(path: String) throws -> CompactReport {
    try RestaurantStore(path: path).close()
    let file = StoreFile(path: path)
    try file.checkFolder()
    let lock = try ImportLock(database: path)
    return try withExtendedLifetime(lock) {
      let before = file.byteCount
      let generation = try StoreError.wrapping(path) {
        let queue = try DatabaseQueue(path: file.absolutePath, configuration: .writing)
        defer { try? queue.closeFile() }
        return try queue.writeWithoutTransaction { db in
          try file.checkVersion(db)
          let generation = try SQLiteConnection(db, path: path).generation()
          try db.execute(sql: "VACUUM")
          // a busy reader keeps the log for later, and the data is safe in it
          _ = try? db.checkpoint(.truncate)
          return generation
        }
      }
      SnapshotFiles(database: file.resolvedPath).sweep(keeping: generation)
      return CompactReport(bytesBefore: before, bytesAfter: file.byteCount)
    }
  }
}

extension StoreFile {
  /// The size of the database and its log in bytes; 0 if there is none.
  var byteCount: Int {
    (size ?? 0) + (StoreFile(path: resolvedPath + "-wal").size ?? 0)
  }
}
