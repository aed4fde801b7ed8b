import Foundation
import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// The first import: writes a temporary file, which is renamed when it is complete.
///
/// No reader can see the file before, so it needs no journal, and the rows are written as they are
/// read.
struct StoreCreation {
  private let run: FeedImport
  private let file: StoreFile

  init(_ run: FeedImport) {
    self.run = run
    file = run.file
  }

  func run(_ entries: some FeedEntries) throws -> ImportReport {
    let storeID = StoreID()
    if run.options.isDryRun {
      var sink = NoSink()
      return try run.request.compare(
        entries,
        with: StoredRows(key: storeID.key),
        of: storeID,
        into: &sink
      )
      .report
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
        throw StoreError(
          .busy,
          path: file.path,
          "another process has made it meanwhile; import again"
        )
      }
      run.observer.commit?()
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
    var comparison = try run.request.compare(entries, with: none, of: storeID, into: &writer)
    comparison.forgetRows()
    for sql in Schema.indexes.values.sorted() { try connection.run(sql) }
    try connection.note(comparison, run.options)
    return try writer.end(comparison.report, notice: run.observer.notice)
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
