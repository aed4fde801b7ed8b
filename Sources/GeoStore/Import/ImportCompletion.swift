import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// The end of a transaction that has changed rows: everything that follows from them, the snapshot
/// included, which lies beside the database before anybody can see its generation.
struct ImportCompletion {
  private let file: StoreFile
  private let changes: ImportReport
  private let notice: ((String) -> Void)?
  private let noteSources: (Database) throws -> Void

  /// - Parameters:
  ///   - file: The database.
  ///   - changes: What has changed, with the generation before it.
  ///   - notice: Hears that the snapshot could not be written.
  ///   - noteSources: Writes what is kept of the sources.
  init(
    _ file: StoreFile,
    changes: ImportReport,
    notice: ((String) -> Void)?,
    noteSources: @escaping (Database) throws -> Void
  ) {
    self.file = file
    self.changes = changes
    self.notice = notice
    self.noteSources = noteSources
  }

  /// The end of an import.
  init(_ run: FeedImport, _ comparison: FeedComparison) {
    let source = SourceRow(
      name: comparison.source,
      origin: run.options.origin,
      report: comparison.report
    )
    let changesRows = comparison.changesRows
    let others = comparison.changedSources.subtracting([ByteKey(comparison.source)])
    self.init(run.file, changes: comparison.report, notice: run.observer.notice) { db in
      try source.save(db, asOfNow: changesRows)
      try SourceRow.forgetVersions(of: others.map(\.text), in: db)
    }
  }

  /// Writes generation and snapshot, and puts the triggers back.
  ///
  /// - Parameters:
  ///   - db: The database, with the rows as they shall be.
  ///   - points: All points, which are let go of when they have been put in order.
  ///   - triggers: Those that were set aside.
  /// - Returns: The report with the new generation.
  /// - Throws: `DatabaseError` and `StoreError` where SQLite does not take it.
  func complete(
    _ db: Database,
    _ points: consuming StoredPoints,
    _ triggers: SpatialTriggers
  ) throws -> ImportReport {
    var report = changes
    let edition = UInt64.random(in: 1 ... .max)
    if report.inserted + report.updated + report.removed > 0 { report.generation += 1 }
    try db.execute(
      sql: "UPDATE geoq_store SET generation = ?, edition = ?",
      arguments: [report.generation, Int64(bitPattern: edition)]
    )
    try noteSources(db)
    try Favorites.refresh(db)
    try triggers.restore(db, after: report)
    try SpatialIndex.check(db, path: file.path)
    try writeSnapshot(
      of: points,
      StoreState(generation: report.generation, edition: edition),
      db
    )
    return report
  }

  /// A store without its snapshot is slower to ask, and no worse: the import goes on.
  private func writeSnapshot(
    of points: consuming StoredPoints,
    _ state: StoreState,
    _ db: Database
  ) throws {
    let files = SnapshotFiles(database: file.resolvedPath)
    do {
      try SnapshotMaker(db, path: file.path)
        .write(points, state, to: files.path(of: state.generation))
    } catch let error as SnapshotError {
      // a file of that name is not of this generation
      files.remove(state.generation)
      notice?("\(error)")
    }
  }
}
