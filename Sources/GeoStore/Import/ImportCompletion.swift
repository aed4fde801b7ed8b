import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// The difference between a snapshot and the rows of a transaction.
struct SnapshotChanges {
  /// The snapshot, without the rows that are removed.
  var merge: SnapshotMerge
  /// The numbers of the rows that are new or changed, each once.
  var rows: [Int64] = []
}

/// The end of a transaction that has changed rows: writes everything derived from them.
///
/// This includes the snapshot, which is complete before any reader can see its generation.
struct ImportCompletion {
  private let file: StoreFile
  private let changes: ImportReport
  private let notice: ((String) -> Void)?

  /// Writes the rows of the sources.
  let noteSources: (SQLiteConnection) throws -> Void

  /// - Parameters:
  ///   - file: The database.
  ///   - changes: The changes, with the previous generation.
  ///   - notice: Called if the snapshot could not be written.
  ///   - noteSources: Writes the rows of the sources.
  init(
    _ file: StoreFile,
    changes: ImportReport,
    notice: ((String) -> Void)?,
    noteSources: @escaping (SQLiteConnection) throws -> Void
  ) {
    self.file = file
    self.changes = changes
    self.notice = notice
    self.noteSources = noteSources
  }

  /// The end of this import.
  init(_ run: FeedImport, _ comparison: FeedComparison) {
    let (source, report) = (comparison.source, comparison.report)
    let changesRows = comparison.changesRows
    let others = comparison.changedSources.subtracting([UTF8Key(source)])
    self.init(run.file, changes: report, notice: run.observer.notice) { connection in
      let old = try connection.source(source, .restaurants)
      let new = SourceRow(name: source, run.options, report, after: old)
      try connection.note(new, run.options, after: old, changesRows: changesRows)
      try connection.forgetVersions(of: others.map(\.text))
    }
  }

  /// Writes generation and snapshot, and restores the triggers.
  ///
  /// - Parameters:
  ///   - db: The database, with its new rows.
  ///   - points: All points, which are freed when they have been sorted.
  ///   - triggers: The triggers that were removed.
  ///   - changes: What has changed since a sound snapshot; nil if there is none.
  /// - Returns: The report with the new generation.
  /// - Throws: `DatabaseError` and `StoreError` if SQLite fails.
  func complete(
    _ db: Database,
    _ points: consuming StoredPoints,
    _ triggers: SpatialTriggers,
    since changes: SnapshotChanges? = nil
  ) throws -> ImportReport {
    var report = self.changes
    let edition = UInt64.random(in: 1 ... .max)
    if report.inserted + report.updated + report.removed > 0 { report.generation += 1 }
    try db.execute(
      sql: "UPDATE geoq_store SET generation = ?, edition = ?",
      arguments: [report.generation, Int64(bitPattern: edition)]
    )
    let connection = SQLiteConnection(db, path: file.path)
    try noteSources(connection)
    try connection.refreshFavorites()
    try connection.refreshCorrections()
    try connection.countCorrections(&report)
    try triggers.restore(db, after: report)
    try SpatialIndex.check(db, path: file.path)
    try writeSnapshot(
      of: points,
      changes,
      StoreState(generation: report.generation, edition: edition),
      db
    )
    return report
  }

  /// Writes the snapshot; the import continues if that fails, because the next query can write it.
  private func writeSnapshot(
    of points: consuming StoredPoints,
    _ changes: SnapshotChanges?,
    _ state: StoreState,
    _ db: Database
  ) throws {
    let files = SnapshotFiles(database: file.resolvedPath)
    let maker = SnapshotMaker(db, path: file.path)
    do {
      let path = files.path(of: state.generation)
      if let changes {
        try maker.write(changes.merge, changed: changes.rows, state, to: path)
      } else {
        try maker.write(points, state, to: path)
      }
    } catch let error as SnapshotError {
      // a file with that name is not from this generation
      files.remove(state.generation)
      notice?("\(error)")
    }
  }
}
