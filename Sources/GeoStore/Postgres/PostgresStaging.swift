import CPostgres
import GeoFeed
import GeoQuery

/// Writes the rows of an import.
///
/// They go into a temporary table, and at the end a few statements merge them. An import into a store without
/// restaurants writes its rows at once: that is twice as fast, as the server works while the feed is read. From the
/// first record on that replaces an earlier one of the feed, it too uses the temporary table.
struct PostgresStaging: RowSink {
  private let connection: PostgresConnection
  private let generation: Int
  private var writer: CopyWriter?
  private var count: Int64 = 0

  // the last row in the tables, and the rows up to it that are staged
  private var lastRow: Int64
  private var replaced: Set<Int64> = []

  // rows that are written at once, and which have no hashes yet
  private var isFirst: Bool
  private var unhashed: [RowChange] = []
  private var inserted = 0
  private var makesIndex = false

  private static let hashes = "fingerprint, \"recordLow\", \"recordHigh\""
  private static let batch = 50_000

  init(_ connection: PostgresConnection, lastRow: Int64, generation: Int) {
    self.connection = connection
    self.lastRow = lastRow
    self.generation = generation
    isFirst = lastRow == 0
  }

  mutating func put(_ packed: UnsafeRawBufferPointer, of row: RowChange) throws {
    if isFirst {
      if row.number > lastRow { return try insert(packed, row) }
      try finish()
      isFirst = false
    }
    if inserted > 0, row.number <= lastRow { replaced.insert(row.number) }
    // moved out and back, so that its bytes are not copied
    var writer = try self.writer.take() ?? begin()
    count += 1
    try writer.beginRow(columns: 5 + PostgresSchema.columns.count)
    writer.put(count)
    writer.put(row.number)
    writer.put(row)
    writer.put(record: packed)
    self.writer = writer
  }

  /// Writes a row of a store without restaurants.
  private mutating func insert(_ packed: UnsafeRawBufferPointer, _ row: RowChange) throws {
    var writer = try self.writer.take() ?? beginInserting()
    try writer.beginRow(columns: 2 + PostgresSchema.columns.count)
    writer.put(row.number)
    writer.put(Int64(generation))
    writer.put(record: packed)
    self.writer = writer
    lastRow = row.number
    unhashed.append(row)
    if unhashed.count == Self.batch { try finish() }
  }

  private mutating func beginInserting() throws -> CopyWriter {
    if inserted == 0, try mayMakeIndexes() {
      // made of all rows at the end, it takes a quarter of the time
      try connection.rows("DROP INDEX IF EXISTS restaurants_geom")
      makesIndex = true
    }
    return try CopyWriter(
      connection,
      into: "restaurants (pk, generation, \(PostgresSchema.selection))"
    )
  }

  /// Whether the user may make an index of the restaurants.
  private func mayMakeIndexes() throws -> Bool {
    try connection.rows(
      """
      SELECT 1 FROM pg_class WHERE oid = 'restaurants'::regclass
        AND pg_has_role(relowner, 'USAGE') AND has_schema_privilege(relnamespace, 'CREATE')
      """
    ).count > 0
  }

  /// Ends the COPY, and writes the hashes of the rows that have none yet.
  mutating func finish() throws {
    try writer?.finish()
    writer = nil
    guard !unhashed.isEmpty else { return }
    var hashes = try CopyWriter(connection, into: "geoq_hashes (pk, \(Self.hashes))")
    for row in unhashed {
      try hashes.beginRow(columns: 4)
      hashes.put(row.number)
      hashes.put(row)
    }
    try hashes.finish()
    inserted += unhashed.count
    unhashed.removeAll(keepingCapacity: true)
  }

  private func begin() throws -> CopyWriter {
    let fields = RestaurantField.stored.map { field in
      "\(PostgresSchema.name(field)) \(PostgresSchema.type(of: field))"
    }
    try connection.rows(
      """
      CREATE TEMPORARY TABLE geoq_staged (
        number bigint, pk bigint, fingerprint bigint, "recordLow" bigint, "recordHigh" bigint,
        \(fields.joined(separator: ", "))
      ) ON COMMIT DROP
      """
    )
    return try CopyWriter(
      connection,
      into: "pg_temp.geoq_staged (number, pk, \(Self.hashes), \(PostgresSchema.selection))"
    )
  }

  /// Merges the staged rows into the tables.
  ///
  /// - Throws: `PostgresFailure`; `StoreError` if another program has changed rows meanwhile.
  func merge(_ comparison: FeedComparison) throws {
    let report = comparison.report
    try remove(comparison.removed)
    if count > 0 {
      try keepLast(comparison)
      try insertStaged(report.inserted - inserted)
      try update(report.updated + replaced.count)
    }
    if makesIndex { try connection.rows(PostgresSchema.spatialIndex(of: "restaurants")) }
    try learn(comparison.learned)
  }

  /// Keeps the last of rows that were staged more than once, and none of those that are unchanged after all.
  private func keepLast(_ comparison: FeedComparison) throws {
    if !comparison.restored.isEmpty {
      try connection.rows(
        "DELETE FROM pg_temp.geoq_staged WHERE pk = ANY ($1::bigint[])",
        ["{" + comparison.restored.map(String.init).joined(separator: ",") + "}"]
      )
    }
    if comparison.report.repeated > 0 {
      // a new row keeps the id of its first record: if another source has it, only that has the other id
      try connection.rows(
        """
        UPDATE pg_temp.geoq_staged b SET id = a.id, "sourceID" = a."sourceID"
        FROM (SELECT DISTINCT ON (pk) pk, number, id, "sourceID" FROM pg_temp.geoq_staged ORDER BY pk, number) a
        WHERE a.pk = b.pk AND a.number < b.number AND a.pk > $1::bigint
        """,
        ["\(lastRow)"]
      )
      try connection.rows(
        """
        DELETE FROM pg_temp.geoq_staged a USING pg_temp.geoq_staged b
        WHERE a.pk = b.pk AND a.number < b.number
        """
      )
    }
    try connection.rows("ANALYZE pg_temp.geoq_staged (pk)")
  }

  private func insertStaged(_ count: Int) throws {
    guard count > 0 else { return }
    try expect(
      count,
      """
      INSERT INTO restaurants (pk, \(PostgresSchema.selection), generation)
      SELECT pk, \(PostgresSchema.selection), $1::bigint FROM pg_temp.geoq_staged
      WHERE pk > $2::bigint
      """,
      ["\(generation)", "\(lastRow)"]
    )
    try connection.rows(
      """
      INSERT INTO geoq_hashes (pk, \(Self.hashes))
      SELECT pk, \(Self.hashes) FROM pg_temp.geoq_staged WHERE pk > $1::bigint
      """,
      ["\(lastRow)"]
    )
  }

  /// Updates the values of rows; their ids stay.
  private func update(_ count: Int) throws {
    guard count > 0 else { return }
    let pairs = RestaurantField.stored.filter { $0 != .id && $0 != .sourceID }
      .map { "\(PostgresSchema.name($0)) = s.\(PostgresSchema.name($0))" }
    try expect(
      count,
      """
      UPDATE restaurants r SET \(pairs.joined(separator: ", ")), generation = $1::bigint
      FROM pg_temp.geoq_staged s WHERE r.pk = s.pk AND s.pk <= $2::bigint
      """,
      ["\(generation)", "\(lastRow)"]
    )
    try connection.rows(
      """
      UPDATE geoq_hashes h SET fingerprint = s.fingerprint, "recordLow" = s."recordLow",
        "recordHigh" = s."recordHigh"
      FROM pg_temp.geoq_staged s WHERE h.pk = s.pk AND s.pk <= $1::bigint
      """,
      ["\(lastRow)"]
    )
  }

  private func remove(_ rows: [Int64]) throws {
    guard !rows.isEmpty else { return }
    try connection.rows("CREATE TEMPORARY TABLE geoq_gone (pk bigint PRIMARY KEY) ON COMMIT DROP")
    var writer = try CopyWriter(connection, into: "pg_temp.geoq_gone (pk)")
    for row in rows {
      try writer.beginRow(columns: 1)
      writer.put(row)
    }
    try writer.finish()
    try connection.rows("ANALYZE pg_temp.geoq_gone")
    try connection.rows(
      """
      INSERT INTO geoq_removed (id, generation)
      SELECT r.id, $1::bigint FROM restaurants r JOIN pg_temp.geoq_gone g ON g.pk = r.pk
      """,
      ["\(generation)"]
    )
    try expect(
      rows.count,
      "DELETE FROM restaurants r USING pg_temp.geoq_gone g WHERE r.pk = g.pk"
    )
    try connection.rows("DELETE FROM geoq_hashes h USING pg_temp.geoq_gone g WHERE h.pk = g.pk")
  }

  /// Updates the keys of records whose bytes have changed but whose contents have not.
  private func learn(_ records: [(row: Int64, key: RecordKey)]) throws {
    guard !records.isEmpty else { return }
    try connection.rows(
      """
      CREATE TEMPORARY TABLE geoq_learned (pk bigint PRIMARY KEY, low bigint, high bigint)
      ON COMMIT DROP
      """
    )
    var writer = try CopyWriter(connection, into: "pg_temp.geoq_learned (pk, low, high)")
    for (row, key) in records {
      try writer.beginRow(columns: 3)
      writer.put(row)
      writer.put(key.low)
      writer.put(key.high)
    }
    try writer.finish()
    try connection.rows("ANALYZE pg_temp.geoq_learned")
    try connection.rows(
      """
      UPDATE geoq_hashes h SET "recordLow" = l.low, "recordHigh" = l.high
      FROM pg_temp.geoq_learned l WHERE h.pk = l.pk
      """
    )
  }

  /// Runs a statement that must change exactly `count` rows.
  private func expect(_ count: Int, _ sql: String, _ arguments: [String] = []) throws {
    let changed = try connection.rows(sql, arguments).changedCount
    guard changed == count else {
      throw connection.problem(
        .busy,
        "another program changed the restaurants meanwhile (\(changed) rows, not \(count)); "
          + "nothing was imported; import again"
      )
    }
  }
}

extension CopyWriter {
  /// Appends the hashes of a row.
  fileprivate mutating func put(_ row: RowChange) {
    put(row.fingerprint)
    put(row.record.low)
    put(row.record.high)
  }

  /// Appends a packed record's columns, NULL for keys without a value.
  fileprivate mutating func put(record packed: UnsafeRawBufferPointer) {
    let (closed, priceLevel) = (RestaurantField.closed.column, RestaurantField.priceLevel.column)
    var next = 0
    PackedRecord.visit(packed) { column, value in
      putNulls(column - next)
      next = column + 1
      switch value {
      case .text(let text): put(text)
      case .number(let bits) where column == closed: put(bits == 1)
      case .number(let bits) where column == priceLevel: put(Int16(truncatingIfNeeded: bits))
      case .number(let bits): put(bits)
      }
    }
    putNulls(PostgresSchema.columns.count - next)
  }

  private mutating func putNulls(_ count: Int) {
    for _ in 0..<count { putNull() }
  }
}

/// Writes rows to PostgreSQL in the binary form of COPY.
struct CopyWriter {
  private let connection: PostgresConnection
  private var bytes: [UInt8]
  private static let size = 1 << 16

  /// Eleven bytes of a signature, four of flags, four of a length.
  private static let head =
    Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)

  /// - Parameters:
  ///   - connection: A connection in a transaction; it must not be used otherwise until `finish`.
  ///   - table: The table and its columns in SQL, such as `offers (id, name)`.
  /// - Throws: `PostgresFailure` if the server rejects the COPY.
  init(_ connection: PostgresConnection, into table: String) throws {
    self.connection = connection
    bytes = Self.head
    try connection.beginCopy("COPY \(table) FROM STDIN (FORMAT binary)", status: GEOQ_PQ_COPY_IN)
  }

  /// Begins a row.
  mutating func beginRow(columns: Int) throws {
    if bytes.count >= Self.size { try flush() }
    append(Int16(columns))
  }

  mutating func putNull() { append(-1 as Int32) }

  mutating func put(_ number: some FixedWidthInteger) {
    append(Int32(number.bitWidth / 8))
    append(number)
  }

  mutating func put(_ number: Double?) {
    guard let number else { return putNull() }
    put(number.bitPattern)
  }

  mutating func put(_ flag: Bool) {
    append(1 as Int32)
    bytes.append(flag ? 1 : 0)
  }

  mutating func put(_ text: UnsafeRawBufferPointer) {
    append(Int32(text.count))
    bytes.append(contentsOf: text)
  }

  mutating func put(_ text: String?) {
    guard var text else { return putNull() }
    text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
  }

  /// Sends the remaining bytes and ends the COPY.
  ///
  /// - Throws: `PostgresFailure` if the server rejects the rows.
  mutating func finish() throws {
    append(-1 as Int16)
    try flush()
    guard connection.library.putEnd(connection.handle, nil) == 1 else { throw connection.failure }
    try connection.endCopy()
  }

  private mutating func flush() throws {
    let done = bytes.withUnsafeBytes { all in
      connection.library.putData(
        connection.handle,
        all.baseAddress?.assumingMemoryBound(to: CChar.self),
        Int32(all.count)
      )
    }
    bytes.removeAll(keepingCapacity: true)
    guard done != 1 else { return }
    // the server may have sent the reason why it accepts no more
    try connection.endCopy()
    throw connection.failure
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }
}

extension PostgresConnection {
  /// Reads the rows of a query by COPY, one at a time, so that they are never all in memory.
  ///
  /// - Parameters:
  ///   - query: A SELECT without arguments.
  ///   - columns: The number of its columns.
  ///   - body: Is called with each row, which is valid only during the call.
  /// - Throws: `PostgresFailure`; errors of the closure, after which the connection is closed.
  func copyOut(_ query: String, columns: Int, _ body: (PostgresRow) throws -> Void) throws {
    try beginCopy("COPY (\(query)) TO STDOUT (FORMAT binary)", status: GEOQ_PQ_COPY_OUT)
    var reader = CopyReader(columns: columns)
    do {
      while true {
        var message: UnsafeMutablePointer<CChar>?
        let count = library.getData(handle, &message, 0)
        guard count > 0, let message else {
          guard count == -1 else { throw failure }
          break
        }
        defer { library.free(message) }
        try reader.take(UnsafeRawBufferPointer(start: message, count: Int(count)), body)
      }
      try endCopy()
      guard reader.isComplete else { throw CopyReader.malformed }
    } catch {
      // does not wait for what the server still sends
      if isCopying {
        isCopying = false
        close()
      }
      throw error
    }
  }
}

/// Reads the messages of a COPY.
///
/// The server sends one for each row (PostgreSQL documentation, Message Formats, CopyData); the head of
/// the format comes with the first, and a mark after the last.
private struct CopyReader {
  /// Whether the mark after the last row has come.
  private(set) var isComplete = false

  private let columns: Int
  private var hasHead = false
  private var row = PostgresRow()

  static let malformed = PostgresFailure(
    state: "",
    message: "the server's rows are not in the format of COPY",
    isLost: true
  )

  init(columns: Int) {
    self.columns = columns
  }

  /// Reads a message, and visits its row.
  mutating func take(_ bytes: UnsafeRawBufferPointer, _ body: (PostgresRow) throws -> Void) throws {
    var place = 0
    if !hasHead {
      // eleven bytes of a signature, four of flags, and the length of what follows
      place = 19 + Int(try number(at: 15, of: bytes, UInt32.self))
      hasHead = true
    }
    while place < bytes.count {
      guard !isComplete else { throw Self.malformed }
      place = try readRow(at: place, of: bytes)
      if !isComplete { try body(row) }
    }
  }

  /// Reads a row, or the mark after the last.
  ///
  /// - Returns: The offset of its end.
  private mutating func readRow(at start: Int, of bytes: UnsafeRawBufferPointer) throws -> Int {
    let count = try number(at: start, of: bytes, Int16.self)
    var place = start + 2
    isComplete = count == -1
    if isComplete { return place }
    guard count == columns else { throw Self.malformed }
    row.fields.removeAll(keepingCapacity: true)
    for _ in 0..<columns {
      let length = Int(try number(at: place, of: bytes, Int32.self))
      place += 4
      guard length >= 0 else {
        guard length == -1 else { throw Self.malformed }
        row.fields.append(nil)
        continue
      }
      guard bytes.count - place >= length else { throw Self.malformed }
      row.fields.append(UnsafeRawBufferPointer(rebasing: bytes[place..<place + length]))
      place += length
    }
    return place
  }

  private func number<Number: FixedWidthInteger & BitwiseCopyable>(
    at place: Int,
    of bytes: UnsafeRawBufferPointer,
    _ type: Number.Type
  ) throws -> Number {
    guard bytes.count - place >= type.bitWidth / 8 else { throw Self.malformed }
    return Number(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: type))
  }
}
