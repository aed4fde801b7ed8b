import Foundation
import GRDB
import GeoFeed
import GeoQuery

/// What compacting a database did.
public struct CompactReport: Sendable, Hashable {
  /// The size of the database and its log before, in bytes.
  public let bytesBefore: Int

  /// The size afterwards.
  public let bytesAfter: Int
}

extension RestaurantStore {
  /// Writes a database anew without the room that changes have left in it, and removes what imports
  /// that died have left beside it.
  ///
  /// Queries go on meanwhile. It needs room for another copy while it works.
  ///
  /// - Parameter path: The database file.
  /// - Returns: The sizes before and after.
  /// - Throws: `StoreError` where there is no database, where an import is at work, or where the disk
  ///   does not take it; the database is then as it was.
  public static func compact(path: String) throws -> CompactReport {
    try RestaurantStore(path: path).close()
    let file = StoreFile(path: path)
    try file.checkFolder()
    let lock = try ImportLock(database: path)
    return try withExtendedLifetime(lock) {
      let before = file.byteCount
      let generation = try StoreError.wrapping(path) {
        let queue = try DatabaseQueue(path: file.absolutePath, configuration: .writing)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction { db in
          try file.checkVersion(db)
          let generation = try StoreReader(db, path: path).generation()
          try db.execute(sql: "VACUUM")
          // a busy reader keeps the log for later; the data is safe in it
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
  /// The bytes of the database and its log; 0 where there is none.
  var byteCount: Int {
    [resolvedPath, resolvedPath + "-wal"].reduce(0) { sum, path in
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      return sum + (size ?? 0)
    }
  }
}
