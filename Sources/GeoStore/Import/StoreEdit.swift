import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// A change of the store without a feed: one transaction with a new generation.
struct StoreEdit {
  /// The planned changes.
  struct Plan {
    /// The rows to remove, ascending.
    var removed: [Int64] = []
    /// The number of rows that get other values.
    var updated = 0
    /// The number of chains and offers that are removed or get other values.
    var chainsAndOffers: [FeedContent: Int] = [:]
    /// Writes everything except the removal of rows.
    var apply: (Database) throws -> Void = { _ in }
  }

  private let file: StoreFile
  private let isDryRun: Bool

  /// - Parameters:
  ///   - path: The database.
  ///   - isDryRun: Whether to report only.
  init(path: String, isDryRun: Bool) {
    file = StoreFile(path: path)
    self.isDryRun = isDryRun
  }

  /// Makes the change.
  ///
  /// - Parameter plan: Computes the changes; called in the transaction.
  /// - Returns: The counts and the new generation.
  /// - Throws: `StoreError`; errors of the plan. The store is then unchanged.
  func run(_ plan: (Database) throws -> Plan) throws -> ImportReport {
    let store = try RestaurantStore(path: file.path)
    defer { try? store.close() }
    if isDryRun {
      return try store.readDatabase { try report(of: plan($0), $0) }
    }
    try file.checkFolder()
    return try withExtendedLifetime(try ImportLock(database: file.path)) {
      try StoreError.wrapping(file.path) { try write(plan) }
    }
  }

  private func write(_ plan: (Database) throws -> Plan) throws -> ImportReport {
    let queue = try DatabaseQueue(path: file.absolutePath, configuration: .writing)
    defer { try? queue.close() }
    let snapshots = SnapshotFiles(database: file.resolvedPath)
    var next: Int?
    defer { if let next { snapshots.remove(next) } }
    let done = try queue.writeAndEmptyLog { db in
      try file.checkVersion(db)
      let changes = try plan(db)
      let counts = try report(of: changes, db)
      guard counts.removed + counts.updated > 0 else {
        try changes.apply(db)
        return counts
      }
      next = counts.generation + 1
      return try write(changes, counts, db)
    }
    next = nil
    snapshots.sweep(keeping: done.generation)
    return done
  }

  private func write(
    _ plan: Plan,
    _ report: ImportReport,
    _ db: Database
  ) throws -> ImportReport {
    try SpatialIndex.check(db, path: file.path)
    let triggers = try SpatialTriggers(settingAside: db)
    try StoreUpdate.delete(plan.removed, from: db)
    var fingerprints = try RowHashes.Writer(.fingerprints, db)
    for row in plan.removed { try fingerprints.put(0, at: row) }
    try fingerprints.finish()
    var records = try RowHashes.Writer(.records, db)
    for row in plan.removed { try records.put(.none, ofRow: row) }
    try records.finish()
    let points = try StoredPoints(db, path: file.path)
    try SpatialIndex.update(db, points: points, changed: [], removed: plan.removed)
    return try ImportCompletion(file, changes: report, notice: nil, noteSources: plan.apply)
      .complete(db, consume points, triggers)
  }

  private func report(of plan: Plan, _ db: Database) throws -> ImportReport {
    var report = ImportReport()
    report.generation = try StoreReader(db, path: file.path).generation()
    report.removed = plan.removed.count
    report.updated = plan.updated
    report.chainsAndOffers = plan.chainsAndOffers
    return report
  }
}
