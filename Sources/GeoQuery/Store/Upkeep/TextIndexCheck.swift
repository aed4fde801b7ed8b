import GRDB

/// Checks the text indexes (FTS5) of a database, whatever their names.
enum TextIndexCheck {
  /// Has each compare itself with what it indexes, and geoq's own, which keeps no text, with the words
  /// of the restaurants.
  ///
  /// SQLite asks for that by a statement that counts as a write and writes nothing, so it runs on a
  /// connection of its own, in a transaction that is undone.
  ///
  /// - Returns: What was found.
  /// - Throws: `Verification.Fault` where an index is not right.
  static func run(_ db: Database, path: String) throws -> String {
    let names = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM sqlite_master
        WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%' ORDER BY name
        """
    )
    guard !names.isEmpty else { return "none" }
    let file = StoreFile(path: path)
    guard file.isWritable else { return "\(names.count), not checked: the folder is read-only" }
    do {
      try check(names, file)
    } catch let error as DatabaseError where StoreFile.meansNoRoom(error) {
      return "\(names.count), not checked: the disk has no room for it"
    }
    return "\(names.count), sound"
  }

  private static func check(_ names: [String], _ file: StoreFile) throws {
    let queue = try DatabaseQueue(path: file.absolutePath, configuration: .writing)
    defer { try? queue.close() }
    try queue.writeWithoutTransaction { db in
      try db.inTransaction(.immediate) {
        for name in names { try check(name, db) }
        if try TextIndex.exists(db), try WordSum(ofIndex: db) != WordSum(ofRestaurants: db) {
          throw mismatch("geoq_text")
        }
        return .rollback
      }
    }
  }

  private static func check(_ name: String, _ db: Database) throws {
    let quoted = "\"" + name.replacing("\"", with: "\"\"") + "\""
    do {
      try db.execute(
        sql: "INSERT INTO \(quoted) (\(quoted), rank) VALUES ('integrity-check', 1)"
      )
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      throw mismatch(name)
    }
  }

  private static func mismatch(_ name: String) -> Verification.Fault {
    Verification.Fault(
      "\(name) does not match the restaurants; import their feeds into a new file"
    )
  }
}
