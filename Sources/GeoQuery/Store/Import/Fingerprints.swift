import GRDB

/// The hash of each row as it was imported, in the table `geoq_fingerprints`: an import that meets the
/// same record again need not read the row.
///
/// A piece holds those of 480 row numbers, 0 where there is no row.
enum Fingerprints {
  /// All of them.
  static func read(_ db: Database) throws -> RowValues<UInt64> {
    var values = RowValues<UInt64>(filling: 0)
    let pieces = try SQLStatement(
      db,
      "SELECT chunk, hashes FROM geoq_fingerprints ORDER BY chunk"
    )
    while try pieces.step() {
      let first = pieces.integer(0) * Int64(RowChunk.size)
      let bytes = pieces.bytes(1)
      for index in 0..<min(bytes.count / 8, RowChunk.size) {
        values[first + Int64(index)] = RowChunk.number(index, of: bytes)
      }
    }
    return values
  }

  /// Writes those of some rows, 0 for those that are gone.
  ///
  /// - Parameters:
  ///   - changes: Ascending by row.
  ///   - db: The database.
  /// - Throws: `DatabaseError` where SQLite does not take it.
  static func write(_ changes: some Sequence<(row: Int64, hash: UInt64)>, to db: Database) throws {
    let old = try SQLStatement(db, "SELECT hashes FROM geoq_fingerprints WHERE chunk = ?")
    let new = try SQLStatement(
      db,
      "INSERT OR REPLACE INTO geoq_fingerprints (chunk, hashes) VALUES (?, ?)"
    )
    var chunk: Int64 = -1
    var hashes: [UInt64] = []
    func save() throws {
      guard chunk >= 0 else { return }
      try RowChunk.bytes(hashes).withUnsafeBytes {
        new.bind(chunk, at: 1)
        new.bind(blob: $0, at: 2)
        try new.run()
      }
    }
    for change in changes {
      if change.row / Int64(RowChunk.size) != chunk {
        try save()
        chunk = change.row / Int64(RowChunk.size)
        old.bind(chunk, at: 1)
        hashes = try old.step() ? RowChunk.numbers(old.bytes(0)) : []
        old.reset()
        hashes += repeatElement(0, count: max(0, RowChunk.size - hashes.count))
      }
      hashes[Int(change.row % Int64(RowChunk.size))] = change.hash
    }
    try save()
  }
}
