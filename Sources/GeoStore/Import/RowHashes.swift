import GRDB
import GeoFeed
import GeoQuery

/// Numbers per row, in a separate table; each chunk has 480 of them.
struct RowHashes {
  /// The hash of each imported row, 0 if there is no row.
  ///
  /// An import that finds the same values need not read the row.
  static let fingerprints = RowHashes(table: "geoq_fingerprints")

  /// The key of the record that each row came from: two numbers each, 0 if unknown.
  ///
  /// An import that finds the same bytes need not parse the record.
  static let records = RowHashes(table: "geoq_records")

  private let table: String

  /// Visits all numbers, in ascending order of index; 0 means none.
  func visit(_ db: Database, _ body: (_ place: Int64, _ hash: UInt64) throws -> Void) throws {
    let pieces = try SQLStatement(db, "SELECT chunk, hashes FROM \(table) ORDER BY chunk")
    while try pieces.step() {
      guard let first = RowChunk.firstPlace(ofChunk: pieces.integer(0)) else { continue }
      let bytes = pieces.bytes(1)
      for index in 0..<min(bytes.count / 8, RowChunk.size) {
        try body(first + Int64(index), RowChunk.number(index, of: bytes))
      }
    }
  }

  /// Writes numbers, in ascending order of index, 0 for those that are gone.
  struct Writer {
    private let old: SQLStatement
    private let new: SQLStatement
    private var chunk: Int64 = -1
    private var hashes: [UInt64] = []

    /// Starts writing to a table.
    ///
    /// - Throws: `DatabaseError` if SQLite fails.
    init(_ hashes: RowHashes, _ db: Database) throws {
      old = try SQLStatement(db, "SELECT hashes FROM \(hashes.table) WHERE chunk = ?")
      new = try SQLStatement(
        db,
        "INSERT OR REPLACE INTO \(hashes.table) (chunk, hashes) VALUES (?, ?)"
      )
    }

    mutating func put(_ hash: UInt64, at place: Int64) throws {
      guard (0...Self.lastPlace).contains(place) else { throw Self.strange(place) }
      if place / Int64(RowChunk.size) != chunk {
        try finish()
        chunk = place / Int64(RowChunk.size)
        old.bind(chunk, at: 1)
        hashes = try old.step() ? RowChunk.numbers(old.bytes(0)) : []
        old.reset()
        hashes += repeatElement(0, count: max(0, RowChunk.size - hashes.count))
      }
      hashes[Int(place % Int64(RowChunk.size))] = hash
    }

    /// Far beyond the two places for each of the rows that geoq accepts, because an import adds rows.
    private static let lastPlace = 4 * StoredRows.lastNumber

    /// Another program has given a row a number that geoq does not give.
    private static func strange(_ number: Int64) -> DatabaseError {
      DatabaseError(
        resultCode: .SQLITE_CORRUPT,
        message: "a row of restaurants has the number \(number)"
      )
    }

    /// Writes the key of a row's record.
    mutating func put(_ key: RecordKey, ofRow row: Int64) throws {
      guard (0...Self.lastPlace / 2).contains(row) else { throw Self.strange(row) }
      try put(key.low, at: 2 * row)
      try put(key.high, at: 2 * row + 1)
    }

    /// Writes the last chunk.
    mutating func finish() throws {
      guard chunk >= 0 else { return }
      try RowChunk.bytes(hashes).withUnsafeBytes {
        new.bind(chunk, at: 1)
        new.bind(blob: $0, at: 2)
        try new.run()
      }
    }
  }
}
