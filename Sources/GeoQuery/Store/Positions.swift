import GRDB

/// Which row stands at each position of the index: the restaurants in order of id (UTF-8 bytes), 480 a
/// piece in the table `geoq_positions`.
///
/// A query knows positions; with these it finds the rows it prints, whatever the size of the store, and
/// in its own transaction, so that they are of the generation that the index is of.
enum Positions {
  /// Writes all positions, of which the pieces that are not as they were cost a write.
  struct Writer {
    private let db: Database
    private let old: SQLStatement
    private let new: SQLStatement
    private var chunk: Int64 = 0
    private var rows: [Int64] = []

    init(_ db: Database) throws {
      self.db = db
      old = try SQLStatement(db, "SELECT rows FROM geoq_positions WHERE chunk = ?")
      new = try SQLStatement(
        db,
        "INSERT OR REPLACE INTO geoq_positions (chunk, rows) VALUES (?, ?)"
      )
    }

    /// Adds the row at the next position.
    mutating func append(_ row: Int64) throws {
      rows.append(row)
      if rows.count == RowChunk.size { try flush() }
    }

    /// Writes what is left, and forgets the positions behind it.
    mutating func finish() throws {
      if !rows.isEmpty { try flush() }
      try db.execute(sql: "DELETE FROM geoq_positions WHERE chunk >= ?", arguments: [chunk])
    }

    private mutating func flush() throws {
      try RowChunk.bytes(rows).withUnsafeBytes { bytes in
        old.bind(chunk, at: 1)
        let isSame = try old.step() && old.bytes(0).elementsEqual(bytes)
        old.reset()
        if isSame { return }
        new.bind(chunk, at: 1)
        new.bind(blob: bytes, at: 2)
        try new.run()
      }
      chunk += 1
      rows.removeAll(keepingCapacity: true)
    }
  }

  /// How many positions there are.
  static func count(_ db: Database) throws -> Int {
    let last = try Row.fetchOne(
      db,
      sql: "SELECT chunk, length(rows) FROM geoq_positions ORDER BY chunk DESC LIMIT 1"
    )
    guard let last, let chunk = Int64.fromDatabaseValue(last[0]),
      let bytes = Int.fromDatabaseValue(last[1])
    else { return 0 }
    return try firstPosition(ofChunk: chunk) + bytes / 8
  }

  /// Visits all positions and their rows, ascending by position.
  static func visit(
    in db: Database,
    _ body: (_ position: Int, _ row: Int64) throws -> Void
  ) throws {
    let pieces = try SQLStatement(db, "SELECT chunk, rows FROM geoq_positions ORDER BY chunk")
    while try pieces.step() {
      let first = try firstPosition(ofChunk: pieces.integer(0))
      let bytes = pieces.bytes(1)
      for index in 0..<min(bytes.count / 8, RowChunk.size) {
        try body(first + index, RowChunk.number(index, of: bytes))
      }
    }
  }

  private static func firstPosition(ofChunk chunk: Int64) throws -> Int {
    guard let first = RowChunk.firstPlace(ofChunk: chunk) else {
      throw DatabaseError(
        resultCode: .SQLITE_CORRUPT,
        message: "geoq_positions has a piece \(chunk)"
      )
    }
    return Int(first)
  }

  /// The rows at some positions, in the order of these.
  ///
  /// - Throws: `DatabaseError` where a position has none.
  static func rows(at positions: [Int], in db: Database) throws -> [Int64] {
    let piece = try SQLStatement(db, "SELECT rows FROM geoq_positions WHERE chunk = ?")
    var rows = [Int64](repeating: 0, count: positions.count)
    var chunk = -1
    var isThere = false
    for (place, position) in positions.enumerated().sorted(by: { $0.element < $1.element }) {
      if position / RowChunk.size != chunk {
        chunk = position / RowChunk.size
        piece.reset()
        piece.bind(Int64(chunk), at: 1)
        isThere = try piece.step()
      }
      guard isThere, piece.bytes(0).count >= (position % RowChunk.size + 1) * 8 else {
        throw DatabaseError(message: "no row stands at the position \(position)")
      }
      rows[place] = RowChunk.number(position % RowChunk.size, of: piece.bytes(0))
    }
    piece.reset()
    return rows
  }
}
