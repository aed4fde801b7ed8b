import Foundation
import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// An import into an existing database: compares the feed first, and opens the database for writing
/// only if something changes.
struct StoreUpdate {
  private let run: FeedImport
  private let file: StoreFile

  init(_ run: FeedImport) {
    self.run = run
    file = run.file
  }

  func run(_ entries: some FeedEntries) throws -> ImportReport {
    let store = try RestaurantStore(path: file.path)
    defer { try? store.close() }
    let check = IntegrityCheck(file)
    defer { check.wait() }
    let source = entries.source
    let (state, storeID, stored, row) = try store.readDatabase { try start($0, source: source) }
    if run.options.isDryRun {
      var sink = NoSink()
      return try compare(entries, consume stored, storeID, check, store, into: &sink).report
    }
    SnapshotFiles(database: file.resolvedPath).sweepTemporaries(beyond: stored.generation)
    let snapshot = VerifiedSnapshot(file, state)
    var log = ChangeLog(beside: file.resolvedPath)
    // if another reference exists, the first write copies the whole table
    var comparison = try compare(entries, consume stored, storeID, check, store, into: &log)
    comparison.forgetRows()
    let newRow = SourceRow(name: source, run.options, comparison.report, after: row)
    if newRow.isNoted(in: row), !comparison.changesRows {
      if snapshot.sound() == nil { try store.repairSnapshot { run.observer.notice?($0) } }
      // an import that was killed after its commit has left the previous snapshot
      SnapshotFiles(database: file.resolvedPath).sweep(keeping: comparison.report.generation)
      return comparison.report
    }
    try store.close()
    return try write(comparison, log, snapshot)
  }

  /// Compares the feed with the database, which must be sound: a comparison with a damaged one
  /// means nothing.
  private func compare(
    _ entries: some FeedEntries,
    _ stored: consuming StoredRows,
    _ storeID: StoreID,
    _ check: IntegrityCheck,
    _ store: RestaurantStore,
    into sink: inout some RowSink
  ) throws -> FeedComparison {
    let found: FeedComparison
    do {
      found = try run.request.compare(entries, with: stored, of: storeID, into: &sink) { rows in
        try store.readDatabase { try StoredFacts.read(rows, $0) }
      }
    } catch {
      if let problem = try check.problem() { throw damage(problem) }
      throw error
    }
    if let problem = try check.problem() { throw damage(problem) }
    return found
  }

  /// The contents of the store before the feed is read.
  private func start(
    _ db: Database,
    source: String
  ) throws -> (state: StoreState, id: StoreID, stored: StoredRows, row: SourceRow?) {
    let reader = SQLiteConnection(db, path: file.path)
    let (state, storeID) = (try reader.state(), try reader.storeID())
    let stored = try StoredRows(db, key: storeID.key, generation: state.generation)
    return (state, storeID, stored, try reader.source(source, .restaurants))
  }

  private func damage(_ problem: String) -> StoreError {
    StoreError(
      .corrupt,
      path: file.path,
      "the database is damaged (\(problem)); import its feeds into a new file"
    )
  }

  private func write(
    _ comparison: FeedComparison,
    _ log: ChangeLog,
    _ snapshot: VerifiedSnapshot
  ) throws -> ImportReport {
    let snapshots = SnapshotFiles(database: file.resolvedPath)
    var next: Int?
    // keeping it would only fill a full disk
    defer { if let next { snapshots.remove(next) } }
    let report = try file.write { db in
      let generation = try SQLiteConnection(db, path: file.path).generation()
      guard generation == comparison.report.generation else {
        throw StoreError(
          .busy,
          path: file.path,
          "another import has changed the database meanwhile; import again"
        )
      }
      next = comparison.report.generation + 1
      let report = try apply(comparison, log, snapshot, to: db)
      run.observer.commit?()
      return report
    }
    next = nil
    snapshots.sweep(keeping: report.generation)
    return report
  }

  private func apply(
    _ comparison: FeedComparison,
    _ log: ChangeLog,
    _ snapshot: VerifiedSnapshot,
    to db: Database
  ) throws -> ImportReport {
    guard comparison.changesRows else {
      try ImportCompletion(run, comparison).noteSources(SQLiteConnection(db, path: file.path))
      return comparison.report
    }
    try SpatialIndex.check(db, path: file.path)
    let triggers = try SpatialTriggers(settingAside: db)
    var changes = try previousSnapshot(snapshot, db, comparison.report)
    try Self.delete(comparison.removed, from: db) { changes?.merge.remove(id: $0) }
    let (changed, moved) = try write(log, except: comparison.restored, to: db)
    changes?.rows = Set(changed.lazy.map(\.number)).sorted()
    try writeHashes(of: changed, comparison, to: db)
    let points = try StoredPoints(db, path: file.path)
    try SpatialIndex.update(db, points: points, changed: moved, removed: comparison.removed)
    return try ImportCompletion(run, comparison)
      .complete(db, consume points, triggers, since: changes)
  }

  /// The snapshot of the state before the changes, to copy from.
  ///
  /// - Returns: `nil` if it is missing, unusable or damaged, or if so much changes that reading all rows
  ///   is as fast.
  private func previousSnapshot(
    _ check: VerifiedSnapshot,
    _ db: Database,
    _ report: ImportReport
  ) throws -> SnapshotChanges? {
    let state = try SQLiteConnection(db, path: file.path).state()
    guard let snapshot = check.sound(), snapshot.storeID == state.edition,
      2 * (report.inserted + report.updated) <= snapshot.count
    else { return nil }
    return SnapshotChanges(merge: SnapshotMerge(snapshot))
  }

  /// Deletes rows of the table.
  ///
  /// - Parameters:
  ///   - rows: Their numbers.
  ///   - db: The database, in a transaction.
  ///   - body: Receives the id of each.
  /// - Throws: `DatabaseError` if SQLite fails.
  static func delete(
    _ rows: [Int64],
    from db: Database,
    _ body: (UnsafeRawBufferPointer) -> Void = { _ in }
  ) throws {
    let select = try SQLStatement(db, "SELECT id FROM restaurants WHERE pk = ?")
    let delete = try SQLStatement(db, "DELETE FROM restaurants WHERE pk = ?")
    for row in rows {
      select.bind(row, at: 1)
      if try select.step() { body(select.bytes(0)) }
      select.reset()
      delete.bind(row, at: 1)
      try delete.run()
    }
  }

  /// Writes the hashes of changed rows and of records with new bytes; sets those of removed rows
  /// to 0.
  private func writeHashes(
    of changed: consuming [RowChange],
    _ comparison: FeedComparison,
    to db: Database
  ) throws {
    // if a row was written more than once, the last time counts
    var rows = changed
    if comparison.report.repeated > 0 {
      rows = Array(Dictionary(rows.map { ($0.number, $0) }) { $1 }.values)
    }
    rows += comparison.removed.map { RowChange(number: $0) }
    rows.sort { $0.number < $1.number }
    var fingerprints = try RowHashes.Writer(.fingerprints, db)
    for row in rows { try fingerprints.put(row.fingerprint, at: row.number) }
    try fingerprints.finish()
    rows += comparison.learned.map { RowChange(number: $0.row, record: $0.key) }
    rows.sort { $0.number < $1.number }
    var records = try RowHashes.Writer(.records, db)
    for row in rows { try records.put(row.record, ofRow: row.number) }
    try records.finish()
  }

  /// Writes the rows of the log.
  ///
  /// - Returns: Their hashes, and the numbers of those whose point has changed.
  private func write(
    _ log: ChangeLog,
    except restored: Set<Int64>,
    to db: Database
  ) throws -> (rows: [RowChange], moved: [Int64]) {
    let insert = try RowStatement.insert(db)
    let update = try RowStatement.update(db)
    let old = try SQLStatement(db, "SELECT geom FROM restaurants WHERE pk = ?")
    var rows: [RowChange] = []
    var moved: Set<Int64> = []
    try log.visit { packed, change in
      let row = change.number
      if restored.contains(row) { return }
      rows.append(change)
      if change.isNew {
        _ = try insert.run(packed, row: row)
        moved.insert(row)
        return
      }
      old.bind(row, at: 1)
      let before = try old.step() ? PointBlob.decode(old.bytes(0)) : nil
      old.reset()
      if try update.run(packed, row: row) != before { moved.insert(row) }
    }
    return (rows, moved.sorted())
  }
}

/// The statements that write a packed row to the table.
final class RowStatement {
  private let statement: SQLStatement
  private var point = PointBlob.origin

  private static let latitudeColumn = RestaurantField.latitude.column
  private static let longitudeColumn = RestaurantField.longitude.column
  private static let geometryIndex = RestaurantField.stored.count + 1
  private static let rowIndex = RestaurantField.stored.count + 2

  /// Inserts a row with its own number.
  static func insert(_ db: Database) throws -> RowStatement {
    let names = RestaurantField.stored.map(\.rawValue).joined(separator: ", ")
    let marks = RestaurantField.stored.map { _ in "?" }.joined(separator: ", ")
    return RowStatement(
      try SQLStatement(
        db,
        "INSERT INTO restaurants (\(names), geom, pk) VALUES (\(marks), ?, ?)"
      )
    )
  }

  /// Replaces the values of a row; its ids stay.
  static func update(_ db: Database) throws -> RowStatement {
    let pairs = RestaurantField.stored
      .filter { $0 != .id && $0 != .sourceID }
      .map { "\($0.rawValue) = ?\($0.column + 1)" }
    return RowStatement(
      try SQLStatement(
        db,
        "UPDATE restaurants SET \(pairs.joined(separator: ", ")), geom = ?\(geometryIndex) "
          + "WHERE pk = ?\(rowIndex)"
      )
    )
  }

  private init(_ statement: SQLStatement) {
    self.statement = statement
  }

  /// Writes a packed row.
  ///
  /// - Returns: The position of the restaurant.
  /// - Throws: `DatabaseError` if SQLite fails.
  func run(_ packed: UnsafeRawBufferPointer, row: Int64) throws -> Coordinate {
    statement.clear()
    let degrees = bind(packed)
    PointBlob.set(&point, latitude: degrees.latitude, longitude: degrees.longitude)
    try point.withUnsafeBytes { blob in
      statement.bind(blob: blob, at: Self.geometryIndex)
      statement.bind(row, at: Self.rowIndex)
      try statement.run()
    }
    guard
      let coordinate = Coordinate(latitude: degrees.latitude, longitude: degrees.longitude)
    else {
      preconditionFailure("A packed row must have a coordinate.")
    }
    return coordinate
  }

  /// Binds the row's values, and returns its position.
  private func bind(
    _ packed: UnsafeRawBufferPointer
  ) -> (latitude: Double, longitude: Double) {
    var degrees = (latitude: 0.0, longitude: 0.0)
    let reals = PackedRecord.reals
    PackedRecord.visit(packed) { column, value in
      switch value {
      case .text(let text): statement.bind(text: text, at: column + 1)
      case .number(let bits) where reals.hasBit(column):
        let number = Double(bitPattern: bits)
        if column == Self.latitudeColumn { degrees.latitude = number }
        if column == Self.longitudeColumn { degrees.longitude = number }
        statement.bind(number, at: column + 1)
      case .number(let bits): statement.bind(Int64(bitPattern: bits), at: column + 1)
      }
    }
    return degrees
  }
}
