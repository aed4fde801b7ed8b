import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// The end of an import's transaction: everything that follows from the rows, the snapshot included,
/// which lies beside the database before anybody can see its generation.
struct ImportCompletion {
  private let run: FeedImport

  init(_ run: FeedImport) {
    self.run = run
  }

  /// Writes generation and snapshot, and puts the triggers back.
  ///
  /// - Parameters:
  ///   - db: The database, with the rows as they shall be.
  ///   - comparison: What has changed.
  ///   - points: All points, which are let go of when they have been put in order.
  ///   - triggers: Those that were set aside.
  /// - Returns: The report with the new generation.
  /// - Throws: `DatabaseError` and `StoreError` where SQLite does not take it.
  func complete(
    _ db: Database,
    _ comparison: FeedComparison,
    _ points: consuming StoredPoints,
    _ triggers: SpatialTriggers
  ) throws -> ImportReport {
    var report = comparison.report
    let edition = UInt64.random(in: 1 ... .max)
    if comparison.changesRows { report.generation += 1 }
    try db.execute(
      sql: "UPDATE geoq_store SET generation = ?, edition = ?",
      arguments: [report.generation, Int64(bitPattern: edition)]
    )
    try SourceRow(name: comparison.source, origin: run.options.origin)
      .save(db, asOfNow: comparison.changesRows)
    let others = comparison.changedSources.subtracting([ByteKey(comparison.source)])
    try SourceRow.forgetVersions(of: others.map(\.text), in: db)
    try Favorites.refresh(db)
    try triggers.restore(db, after: report)
    try SpatialIndex.check(db, path: run.file.path)
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
    let files = SnapshotFiles(database: run.file.resolvedPath)
    do {
      try SnapshotMaker(db, path: run.file.path)
        .write(points, state, to: files.path(of: state.generation))
    } catch let error as SnapshotError {
      // a file of that name is not of this generation
      files.remove(state.generation)
      run.observer.notice?("\(error)")
    }
  }
}
