import GRDB
import GeoIndex

/// The end of an import's transaction: everything that follows from the rows, the snapshot included,
/// which lies beside the database before anybody can see its generation.
struct ImportCompletion {
  private let run: FeedImport

  init(_ run: FeedImport) {
    self.run = run
  }

  /// Writes generation, positions and snapshot, and puts the triggers back.
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
    let ordered = try writePositions(of: points, to: db)
    try SourceRow(name: comparison.source, origin: run.options.origin)
      .save(db, asOfNow: comparison.changesRows)
    let others = comparison.changedSources.subtracting([ByteKey(comparison.source)])
    try SourceRow.forgetVersions(of: others.map(\.text), in: db)
    try Favorites.refresh(db)
    try triggers.restore(db, after: report)
    try SpatialIndex.check(db, path: run.file.path)
    writeSnapshot(of: consume ordered, report.generation, edition)
    return report
  }

  /// Writes which row stands at each position of the index.
  ///
  /// - Returns: The points by position.
  private func writePositions(
    of points: consuming StoredPoints,
    to db: Database
  ) throws -> [Coordinate] {
    var ordered: [Coordinate] = []
    ordered.reserveCapacity(points.rows.count)
    var positions = try Positions.Writer(db)
    try points.visitInOrderOfID(db) { row, coordinate in
      try positions.append(row)
      ordered.append(coordinate)
    }
    try positions.finish()
    return ordered
  }

  /// A store without its snapshot is slower to ask, and no worse: the import goes on.
  private func writeSnapshot(
    of points: consuming [Coordinate],
    _ generation: Int,
    _ edition: UInt64
  ) {
    let files = SnapshotFiles(database: run.file.resolvedPath)
    do {
      try files.write(KDTree(points), generation: generation, edition: edition)
    } catch {
      run.observer.notice?("\(error)")
    }
  }
}
