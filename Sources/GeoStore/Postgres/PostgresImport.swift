import Foundation
import GeoFeed
import GeoIndex
import GeoQuery

/// An import into PostgreSQL: one transaction, from the lock to the commit.
///
/// New and changed records go by COPY to the server while the feed is read (`PostgresStaging`). If the
/// process is killed, the server rolls the transaction back.
struct PostgresImport {
  /// The connection; the caller must not use it meanwhile.
  let connection: PostgresConnection
  let storeID: StoreID
  let request: ImportRequest

  /// Calls a closure in a transaction, which holds the lock of imports unless it is a dry run.
  func transaction<Result>(of source: String, _ body: () throws -> Result) throws -> Result {
    try connection.check(nameLength: source)
    let isDryRun = request.options.isDryRun
    return try connection.transaction(isDryRun ? .reading : .writing) {
      if !isDryRun { try connection.lockImports(of: storeID) }
      return try body()
    }
  }

  /// Imports restaurants.
  func run(_ entries: some FeedEntries) throws -> ImportReport {
    try transaction(of: entries.source) {
      let entries = try request.joined(entries) { try connection.chains() }
      let stored = try StoredRows(connection, key: storeID.key)
      if request.options.isDryRun {
        var sink = NoSink()
        return try compare(entries, stored, into: &sink).report
      }
      let row = try connection.source(entries.source, .restaurants)
      var staging = PostgresStaging(
        connection,
        lastRow: stored.lastRow,
        generation: stored.generation + 1
      )
      var comparison = try compare(entries, stored, into: &staging)
      try staging.finish()
      comparison.forgetRows()
      let report = try write(comparison, row, staging)
      request.observer.commit?()
      return report
    }
  }

  /// Imports offers or chains, as `FeedImport` does for files.
  func run<Item: StoredItem>(_ stream: FeedStream, of item: Item.Type) throws -> ImportReport {
    let options = request.options
    return try transaction(of: stream.source) {
      let book = try connection.offerBook()
      let generation = try connection.generation()
      let row = try connection.source(stream.source, Item.content)
      let comparison = try request.compare(stream, of: item, with: book, generation: generation)
      if options.isDryRun || comparison.isNoted(in: row) { return comparison.report }
      try connection.write(comparison, options)
      request.observer.commit?()
      return comparison.report
    }
  }

  private func compare(
    _ entries: some FeedEntries,
    _ stored: StoredRows,
    into sink: inout some RowSink
  ) throws -> FeedComparison {
    // the connection is busy with COPY
    let facts = stored.facts
    return try request.compare(entries, with: stored, of: storeID, into: &sink) { rows in
      rows.map { facts[$0.position] }
    }
  }

  private func write(
    _ comparison: FeedComparison,
    _ old: SourceRow?,
    _ staging: PostgresStaging
  ) throws -> ImportReport {
    var report = comparison.report
    let new = SourceRow(name: comparison.source, request.options, report, after: old)
    guard comparison.changesRows || !new.isNoted(in: old) else { return report }
    try connection.note(comparison, request.options)
    guard comparison.changesRows else { return report }
    report.generation += 1
    try staging.merge(comparison)
    try connection.refreshOwnData(&report)
    try connection.raiseGeneration(to: report.generation)
    return report
  }
}

extension PostgresConnection {
  /// Takes the lock of imports on all machines, which is released at the end of the transaction; waits
  /// for another import to end.
  ///
  /// - Throws: `StoreError` of kind `busy` if another import holds it for too long.
  func lockImports(of storeID: StoreID, seconds: Double = 5) throws {
    let key = storeID.key.low
    // the time of day may be set meanwhile
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
      let isTaken = try rows(
        "SELECT pg_try_advisory_xact_lock($1::bigint)",
        ["\(Int64(bitPattern: key))"]
      ).first { $0.bool(0) == true }
      if isTaken == true { return }
      guard ContinuousClock.now < end else {
        throw problem(
          .busy,
          "another import\(try owner(ofLock: key)) is running on this store; try again when it is done"
        )
      }
      usleep(50_000)
    }
  }

  /// The process that holds the lock, in parentheses.
  private func owner(ofLock key: UInt64) throws -> String {
    let found = try rows(
      """
      SELECT a.application_name, a.pid::bigint, a.usename::text
      FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND l.classid = $1::oid AND l.objid = $2::oid
      """,
      ["\(key >> 32)", "\(key & 0xFFFF_FFFF)"]
    ).first { ($0.text(0) ?? "", $0.integer(1) ?? 0, $0.text(2) ?? "") }
    guard let (name, process, user) = found else { return "" }
    return " (\(shortened(name.isEmpty ? user : name, to: 80)), server process \(process))"
  }
}

extension PostgresConnection {
  /// Records a change of rows: raises the generation by one, and notifies all listeners.
  ///
  /// - Throws: `StoreError` of kind `busy` if it is not the expected one any more; `PostgresFailure`.
  func raiseGeneration(to generation: Int) throws {
    let edition = "\(Int64(bitPattern: UInt64.random(in: 1 ... .max)))"
    let changed = try rows(
      """
      UPDATE geoq_store SET generation = $1::bigint, edition = $2::bigint
      WHERE generation = $1::bigint - 1
      """,
      ["\(generation)", edition]
    ).changedCount
    guard changed == 1 else {
      throw problem(.busy, "another program has changed the store meanwhile; import again")
    }
    try rows(
      """
      INSERT INTO geoq_generations (generation, edition, "importedAt")
      VALUES ($1::bigint, $2::bigint, \(Self.now))
      """,
      ["\(generation)", edition]
    )
    try forget(before: generation)
    try tellListeners(of: generation)
  }

  /// Whether the store still knows all changes since a state.
  func remembers(_ state: StoreState) throws -> Bool {
    try rows(
      "SELECT 1 FROM geoq_generations WHERE generation = $1::bigint AND edition = $2::bigint",
      ["\(state.generation)", "\(Int64(bitPattern: state.edition))"]
    ).count > 0
  }

  /// Deletes the history of old changes; replicas older than that read all rows.
  private func forget(before generation: Int) throws {
    let oldest = try number(
      """
      SELECT greatest($1::bigint, max(generation)) FROM (
        SELECT generation, sum(count(*)) OVER (ORDER BY generation DESC) AS ids
        FROM geoq_removed GROUP BY generation
      ) g WHERE ids > $2::bigint
      """,
      ["\(generation - PostgresSchema.remembered + 1)", "\(PostgresSchema.rememberedIDs)"]
    )
    try rows("DELETE FROM geoq_removed WHERE generation <= $1::bigint", ["\(oldest)"])
    try rows("DELETE FROM geoq_generations WHERE generation < $1::bigint", ["\(oldest)"])
  }

  /// Notifies all listeners of a change, with the commit.
  func tellListeners(of generation: Int) throws {
    try rows(
      "SELECT pg_notify('\(PostgresSchema.channel)', $1)",
      ["\(generation) \(address.schema)"]
    )
  }
}

extension StoredRows {
  /// Reads what an import needs to know about the rows of a store in PostgreSQL.
  init(_ connection: PostgresConnection, key: SipHash.Key) throws {
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    try self.init(key: key, generation: try connection.state().generation) { take in
      try connection.copyOut(
        """
        SELECT r.pk, r.id, r.source, r."sourceID", h.fingerprint, h."recordLow", h."recordHigh",
          r.latitude, r.longitude, \(StoredFacts.columns("::int::bigint") { "r." + PostgresSchema.name($0) })
        FROM restaurants r LEFT JOIN geoq_hashes h ON h.pk = r.pk
        """,
        columns: 10
      ) { row in
        let number = row.integer(0) ?? -1
        guard (0...StoredRows.lastNumber).contains(number) else {
          let path = connection.address.shown
          throw StoreError.damagedRow(of: "restaurants", "pk is \(number)", path: path)
        }
        let hash = { (column: Int) in UInt64(bitPattern: row.integer(column) ?? 0) }
        take(
          StoredRows.Row(
            number: number,
            id: row.utf8(1) ?? none,
            source: row.utf8(2) ?? none,
            sourceID: row.utf8(3),
            fingerprint: hash(4),
            record: RecordKey(low: hash(5), high: hash(6)),
            facts: StoredFacts(
              place: Coordinate(latitude: row.double(7) ?? .nan, longitude: row.double(8) ?? .nan),
              columns: hash(9)
            )
          )
        )
      }
    }
  }
}
