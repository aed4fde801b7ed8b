import Foundation
import GRDB
import GeoIndex

/// The first import: into a file of another name, which takes the database's name when it is complete.
///
/// Nobody can see the file before, so it needs no journal, and the rows are written as they are read.
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
      return try run.compare(entries, with: StoredRows(), of: storeID, into: &sink).report
    }
    try file.checkFolder()
    let place = file.resolvedPath
    let temporary = place + "." + randomDigits() + ".tmp"
    let snapshots = SnapshotFiles(database: place)
    var made: Int?
    defer {
      unlink(temporary)
      if let made { snapshots.remove(made) }
    }
    return try StoreError.wrapping(file.path) {
      let queue = try DatabaseQueue(path: temporary, configuration: .building)
      defer { try? queue.close() }
      let report = try queue.write { db in
        let report = try fill(db, with: entries, storeID)
        made = report.generation
        return report
      }
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
      try queue.close()
      guard try file.content() != .geoq else {
        // and its snapshot has that name
        made = nil
        throw StoreError(
          .busy,
          path: file.path,
          "somebody else has made it meanwhile; import again"
        )
      }
      try StoreFile.moveNew(temporary, to: place, shown: file.path)
      made = nil
      snapshots.sweep(keeping: report.generation)
      return report
    }
  }

  private func fill(
    _ db: Database,
    with entries: some FeedEntries,
    _ storeID: StoreID
  ) throws -> ImportReport {
    try Schema.migrate(db, storeID: storeID)
    let triggers = try SpatialTriggers(settingAside: db)
    for name in Schema.indexes.keys { try db.execute(sql: "DROP INDEX \(name)") }
    var sink = try InsertSink(db)
    var comparison = try run.compare(entries, with: StoredRows(), of: storeID, into: &sink)
    for sql in Schema.indexes.values.sorted() { try db.execute(sql: sql) }
    try writeFingerprints(of: comparison.known, to: db)
    try RowHashes.records.write(keys: sink.takeRecords(), to: db)
    comparison.forgetRows()
    let points = sink.points
    try SpatialIndex.update(db, points: points, changed: points.rows, removed: [])
    return try ImportCompletion(run).complete(db, comparison, points, triggers)
  }

  /// Ids are numbered in the order in which they were met, and so are rows.
  private func writeFingerprints(of known: KnownRows, to db: Database) throws {
    try RowHashes.fingerprints.write(
      (0..<known.count).lazy.map { (place: known[$0].row, hash: known[$0].fingerprint) },
      to: db
    )
  }
}

/// Writes rows to an empty table as they come.
private struct InsertSink: RowSink {
  private(set) var points = StoredPoints()
  private var records: [RecordKey] = []
  private let insert: RowStatement
  private let texts: TextWriter
  private var words = FoldedWords()

  init(_ db: Database) throws {
    insert = try RowStatement.insert(db)
    texts = try TextWriter(db)
  }

  mutating func put(
    _ packed: UnsafeRawBufferPointer,
    row: Int64,
    isNew: Bool,
    record: RecordKey
  ) throws {
    records.append(record)
    points.append(row, try insert.run(packed, row: row))
    words.removeAll()
    words.add(packed: packed)
    try texts.insert(words.bytes, row: row)
  }

  /// Hands over the keys of the records, whose rows are numbered as they came.
  mutating func takeRecords() -> some Sequence<(row: Int64, key: RecordKey)> {
    defer { records = [] }
    return zip(points.rows, records).lazy.map { (row: $0, key: $1) }
  }
}

extension Configuration {
  /// The connection that makes a new file, which is thrown away where that fails.
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
