import GRDB

/// Numbers by the row that they belong to, in a table of their own; a piece holds 480 of them.
struct RowHashes {
  /// The hash of each row as it was imported, 0 where there is no row: an import that meets the same
  /// values again need not read the row.
  static let fingerprints = RowHashes(table: "geoq_fingerprints")

  /// The key of the record that each row came of, two numbers each, 0 where it is not known: an import
  /// that meets the same text again need not read the record.
  static let records = RowHashes(table: "geoq_records")

  private let table: String

  /// All of them.
  func read(_ db: Database) throws -> RowValues<UInt64> {
    var values = RowValues<UInt64>(filling: 0)
    let pieces = try SQLStatement(db, "SELECT chunk, hashes FROM \(table) ORDER BY chunk")
    while try pieces.step() {
      let first = pieces.integer(0) * Int64(RowChunk.size)
      let bytes = pieces.bytes(1)
      for index in 0..<min(bytes.count / 8, RowChunk.size) {
        values[first + Int64(index)] = RowChunk.number(index, of: bytes)
      }
    }
    return values
  }

  /// Writes some numbers, 0 for those that are gone.
  ///
  /// - Parameters:
  ///   - changes: Ascending by place.
  ///   - db: The database.
  /// - Throws: `DatabaseError` where SQLite does not take it.
  func write(_ changes: some Sequence<(place: Int64, hash: UInt64)>, to db: Database) throws {
    let old = try SQLStatement(db, "SELECT hashes FROM \(table) WHERE chunk = ?")
    let new = try SQLStatement(
      db,
      "INSERT OR REPLACE INTO \(table) (chunk, hashes) VALUES (?, ?)"
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
      if change.place / Int64(RowChunk.size) != chunk {
        try save()
        chunk = change.place / Int64(RowChunk.size)
        old.bind(chunk, at: 1)
        hashes = try old.step() ? RowChunk.numbers(old.bytes(0)) : []
        old.reset()
        hashes += repeatElement(0, count: max(0, RowChunk.size - hashes.count))
      }
      hashes[Int(change.place % Int64(RowChunk.size))] = change.hash
    }
    try save()
  }
}

extension RowHashes {
  /// Writes the keys of some rows' records, ascending by row.
  func write(keys: some Sequence<(row: Int64, key: RecordKey)>, to db: Database) throws {
    let numbers = keys.lazy.flatMap { row, key in
      [(place: 2 * row, hash: key.low), (place: 2 * row + 1, hash: key.high)]
    }
    try write(numbers, to: db)
  }
}

extension RowValues<UInt64> {
  /// The key of a row's record.
  func recordKey(ofRow row: Int64) -> RecordKey {
    RecordKey(low: self[2 * row] ?? 0, high: self[2 * row + 1] ?? 0)
  }
}
