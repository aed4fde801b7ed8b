import Foundation
import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// One import, from reading the feed to writing the snapshot.
struct FeedImport {
  let file: StoreFile
  let request: ImportRequest

  init(file: StoreFile, options: ImportOptions, observer: ImportObserver) {
    self.file = file
    request = ImportRequest(store: file.path, options: options, observer: observer)
  }

  var options: ImportOptions { request.options }
  var observer: ImportObserver { request.observer }

  /// Reads the feed and writes the changes.
  func run(_ entries: some FeedEntries) throws -> ImportReport {
    try withLock { content in
      let entries = try request.joined(entries) {
        guard content == .geoq else { return [] }
        let store = try RestaurantStore(path: file.path)
        defer { try? store.close() }
        return try store.read { try $0.chains() }
      }
      return switch content {
      case .geoq: try update(entries)
      case .missing, .empty: try create(entries)
      }
    }
  }

  /// Calls a closure with what the file is, while no other import runs; a dry run does not wait for one.
  func withLock<Result>(_ body: (StoreFile.Content) throws -> Result) throws -> Result {
    _ = try file.content()
    let lock = options.isDryRun ? nil : try ImportLock(database: file.path)
    return try withExtendedLifetime(lock) { try body(try file.content()) }
  }

  var changedMeanwhile: StoreError {
    file.problem(.busy, "another import has changed the database meanwhile; import again")
  }
}

extension FeedImport {
  /// The first import: writes a temporary file, which is renamed when it is complete.
  ///
  /// No reader can see the file before, so it needs no journal, and the rows are written as they are
  /// read.
  private func create(_ entries: some FeedEntries) throws -> ImportReport {
    let storeID = StoreID()
    if options.isDryRun {
      let none = StoredRows(key: storeID.key)
      var sink = NoSink()
      return try request.compare(entries, with: none, of: storeID, into: &sink).report
    }
    return try make { try fill($0, with: entries, storeID) }
  }

  /// Creates the database.
  ///
  /// - Parameter fill: Creates and fills its tables, in a transaction.
  /// - Returns: The report of `fill`.
  /// - Throws: `StoreError` if it cannot be written; errors of `fill`.
  func make(_ fill: (SQLiteConnection) throws -> ImportReport) throws -> ImportReport {
    try file.checkFolder()
    let place = file.resolvedPath
    let temporary = place + "." + randomDigits() + ".tmp"
    let snapshots = SnapshotFiles(database: place)
    snapshots.sweepTemporaries(beyond: -1)
    var made: Int?
    defer {
      unlink(temporary)
      if let made { snapshots.remove(made) }
    }
    prepare(temporary, like: place)
    return try StoreError.wrapping(file.path) {
      let queue = try DatabaseQueue(path: temporary, configuration: .building)
      defer { try? queue.close() }
      let report = try queue.write { db in
        let report = try fill(SQLiteConnection(db, path: file.path))
        made = report.generation
        return report
      }
      try queue.close()
      guard try file.content() != .geoq else {
        // the snapshot already has its final name
        made = nil
        throw file.problem(.busy, "another process has made it meanwhile; import again")
      }
      observer.commit?()
      try StoreFile.moveNew(temporary, to: place, shown: file.path)
      made = nil
      snapshots.sweep(keeping: report.generation)
      return report
    }
  }

  /// Makes a database that replaces an empty file accessible to the users of that file only.
  private func prepare(_ temporary: String, like place: String) {
    guard let access = FileAccess(of: place) else { return }
    let descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    access.give(to: descriptor)
  }

  private func fill(
    _ connection: SQLiteConnection,
    with entries: some FeedEntries,
    _ storeID: StoreID
  ) throws -> ImportReport {
    try Schema.create(connection.db, storeID: storeID)
    for name in Schema.indexes.keys { try connection.run("DROP INDEX \(name)") }
    var writer = try RowWriter(connection)
    let none = StoredRows(key: storeID.key)
    var comparison = try request.compare(entries, with: none, of: storeID, into: &writer)
    comparison.forgetRows()
    for sql in Schema.indexes.values.sorted() { try connection.run(sql) }
    try connection.note(comparison, options)
    return try writer.end(comparison.report, notice: observer.notice)
  }
}

extension FeedImport {
  /// An import into an existing database: compares the feed first, and opens the database for writing
  /// only if something changes.
  private func update(_ entries: some FeedEntries) throws -> ImportReport {
    let store = try RestaurantStore(path: file.path)
    defer { try? store.close() }
    let check = file.checkIntegrity()
    defer { check.wait() }
    let source = entries.source
    let (state, storeID, stored, row) = try store.read { connection in
      let (state, storeID) = (try connection.state(), try connection.storeID())
      let stored = try StoredRows(connection.db, key: storeID.key, generation: state.generation)
      return (state, storeID, stored, try connection.source(source, .restaurants))
    }
    if options.isDryRun {
      var sink = NoSink()
      return try compare(entries, consume stored, storeID, check, store, into: &sink).report
    }
    SnapshotFiles(database: file.path).sweepTemporaries(beyond: stored.generation)
    let snapshot = file.verifiedSnapshot(state)
    var log = ChangeLog(beside: file.resolvedPath)
    // if another reference exists, the first write copies the whole table
    var comparison = try compare(entries, consume stored, storeID, check, store, into: &log)
    comparison.forgetRows()
    let newRow = SourceRow(name: source, options, comparison.report, after: row)
    if newRow.isNoted(in: row), !comparison.changesRows {
      if (try? snapshot.value()) == nil { try store.repairSnapshot { observer.notice?($0) } }
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
    _ check: Background<String>,
    _ store: RestaurantStore,
    into sink: inout some RowSink
  ) throws -> FeedComparison {
    let found: FeedComparison
    do {
      found = try request.compare(entries, with: stored, of: storeID, into: &sink) { rows in
        try store.read { try StoredFacts.read(rows, $0.db) }
      }
    } catch {
      try requireOK(check)
      throw error
    }
    try requireOK(check)
    return found
  }

  private func requireOK(_ check: Background<String>) throws {
    guard let problem = try check.value(), problem != "ok" else { return }
    throw file.problem(
      .corrupt,
      "the database is damaged (\(problem)); import its feeds into a new file"
    )
  }

  private func write(
    _ comparison: FeedComparison,
    _ log: ChangeLog,
    _ snapshot: Background<Snapshot>
  ) throws -> ImportReport {
    try file.change { connection, made in
      let generation = try connection.generation()
      guard generation == comparison.report.generation else { throw changedMeanwhile }
      made = generation + 1
      let report = try apply(comparison, log, snapshot, to: connection)
      observer.commit?()
      return report
    }
  }

  private func apply(
    _ comparison: FeedComparison,
    _ log: ChangeLog,
    _ snapshot: Background<Snapshot>,
    to connection: SQLiteConnection
  ) throws -> ImportReport {
    try connection.note(comparison, options)
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
      notice: observer.notice
    )
  }

  /// The snapshot of the state before the changes, to copy from.
  ///
  /// - Returns: `nil` if it is missing, unusable or damaged, or if so much changes that reading all rows
  ///   is as fast.
  private func previousSnapshot(
    _ check: Background<Snapshot>,
    _ connection: SQLiteConnection,
    _ report: ImportReport
  ) throws -> SnapshotMerge? {
    guard let snapshot = try? check.value(), snapshot.storeID == (try connection.state().edition),
      2 * (report.inserted + report.updated) <= snapshot.count
    else { return nil }
    return SnapshotMerge(snapshot)
  }
}

extension Configuration {
  /// The connection that creates a file, which is removed if that fails.
  fileprivate static var building: Configuration {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try SpatiaLite.prepare(db)
      try db.execute(sql: "PRAGMA journal_mode = OFF")
      try db.execute(sql: "PRAGMA synchronous = OFF")
      try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
      try db.execute(sql: "PRAGMA cache_size = -32768")
    }
    return configuration
  }
}
