import Foundation
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
    let (state, storeID, stored, row) = try store.read { try start($0, source: source) }
    if run.options.isDryRun {
      var sink = NoSink()
      return try compare(entries, consume stored, storeID, check, store, into: &sink).report
    }
    SnapshotFiles(database: file.path).sweepTemporaries(beyond: stored.generation)
    let snapshot = VerifiedSnapshot(file, state)
    var log = ChangeLog(beside: file.resolvedPath)
    // if another reference exists, the first write copies the whole table
    var comparison = try compare(entries, consume stored, storeID, check, store, into: &log)
    comparison.forgetRows()
    let newRow = SourceRow(name: source, run.options, comparison.report, after: row)
    if newRow.isNoted(in: row), !comparison.changesRows {
      if snapshot.sound() == nil { try store.repairSnapshot { run.observer.notice?($0) } }
      // an import that was killed after its commit has left the previous snapshot
      SnapshotFiles(database: file.path).sweep(keeping: comparison.report.generation)
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
        try store.read { try StoredFacts.read(rows, $0.db) }
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
    _ connection: SQLiteConnection,
    source: String
  ) throws -> (state: StoreState, id: StoreID, stored: StoredRows, row: SourceRow?) {
    let (state, storeID) = (try connection.state(), try connection.storeID())
    let stored = try StoredRows(connection.db, key: storeID.key, generation: state.generation)
    return (state, storeID, stored, try connection.source(source, .restaurants))
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
    try file.change { connection, made in
      let generation = try connection.generation()
      guard generation == comparison.report.generation else {
        throw StoreError(
          .busy,
          path: file.path,
          "another import has changed the database meanwhile; import again"
        )
      }
      made = generation + 1
      let report = try apply(comparison, log, snapshot, to: connection)
      run.observer.commit?()
      return report
    }
  }

  private func apply(
    _ comparison: FeedComparison,
    _ log: ChangeLog,
    _ snapshot: VerifiedSnapshot,
    to connection: SQLiteConnection
  ) throws -> ImportReport {
    try connection.note(comparison, run.options)
    guard comparison.changesRows else { return comparison.report }
    var writer = try RowWriter(connection)
    writer.snapshot = try previousSnapshot(snapshot, connection, comparison.report)
    try writer.delete(comparison.removed)
    try log.visit { packed, change in
      if !comparison.restored.contains(change.number) { try writer.put(packed, of: change) }
    }
    return try writer.end(
      comparison.report,
      learned: comparison.learned,
      notice: run.observer.notice
    )
  }

  /// The snapshot of the state before the changes, to copy from.
  ///
  /// - Returns: `nil` if it is missing, unusable or damaged, or if so much changes that reading all rows
  ///   is as fast.
  private func previousSnapshot(
    _ check: VerifiedSnapshot,
    _ connection: SQLiteConnection,
    _ report: ImportReport
  ) throws -> SnapshotMerge? {
    guard let snapshot = check.sound(), snapshot.storeID == (try connection.state().edition),
      2 * (report.inserted + report.updated) <= snapshot.count
    else { return nil }
    return SnapshotMerge(snapshot)
  }
}
