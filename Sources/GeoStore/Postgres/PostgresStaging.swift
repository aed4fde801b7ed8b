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

  /// - Parameters:
  ///   - connection: The connection, in a transaction.
  ///   - lastRow: The largest number of a row before; 0 if there is none.
  ///   - generation: The new generation.
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
    try writer.beginRow(columns: 5 + PostgresRestaurant.columnCount)
    writer.put(count)
    writer.put(row.number)
    writer.put(row)
    PostgresRestaurant.put(packed, to: &writer)
    self.writer = writer
  }

  /// Writes a row of a store without restaurants.
  private mutating func insert(_ packed: UnsafeRawBufferPointer, _ row: RowChange) throws {
    var writer = try self.writer.take() ?? beginInserting()
    try writer.beginRow(columns: 2 + PostgresRestaurant.columnCount)
    writer.put(row.number)
    writer.put(Int64(generation))
    PostgresRestaurant.put(packed, to: &writer)
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
  /// - Parameter comparison: What has changed.
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
      throw StoreError(
        .busy,
        path: connection.address.shown,
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
}
