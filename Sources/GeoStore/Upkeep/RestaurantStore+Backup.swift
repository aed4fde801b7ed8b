import GRDB
import GeoIndex
import GeoQuery

extension RestaurantStore {
  /// Copies the database into a file, as it is at one moment; others may read and write meanwhile.
  ///
  /// The copy is a database like any other, in one file, with favorites, sources and offers. It has no
  /// snapshot: the first query makes one.
  ///
  /// - Parameters:
  ///   - target: An empty file. The caller syncs and renames it, or removes it after an error.
  ///   - name: Its name in errors.
  ///   - progress: Called with the copied share of the database, from 0 to 1.
  /// - Returns: The copied generation, and its number of restaurants.
  /// - Throws: `StoreError` if the database cannot be read, or the copy cannot be written.
  package func backup(
    into target: String,
    named name: String,
    progress: @escaping (Double) -> Void
  ) throws -> (generation: Int, restaurants: Int) {
    if let access = FileAccess(of: StoreFile(path: path).resolvedPath) { access.narrow(target) }
    keepLog()
    return try readDatabase { db in
      let connection = SQLiteConnection(db, path: path)
      let copied = (generation: try connection.generation(), restaurants: try connection.count())
      do {
        let copy = try DatabaseQueue(path: target)
        defer { try? copy.close() }
        try copy.writeWithoutTransaction { copy in
          // in the transaction of this read, so that an import meanwhile does not begin it anew
          try db.backup(to: copy, pagesPerStep: 4_096) { pages in
            progress(Double(pages.completedPageCount) / Double(max(pages.totalPageCount, 1)))
          }
          // a log next to it would not move with it
          try copy.execute(sql: "PRAGMA journal_mode = DELETE")
        }
        try copy.close()
      } catch let error as DatabaseError where error.resultCode != .SQLITE_CORRUPT {
        let said = error.message ?? "no reason given"
        throw StoreError(
          .inputOutput,
          path: name,
          "the copy cannot be written (SQLite \(error.extendedResultCode.rawValue): \(said)); "
            + "nothing was changed",
          code: Int(error.extendedResultCode.rawValue)
        )
      }
      return copied
    }
  }
}
