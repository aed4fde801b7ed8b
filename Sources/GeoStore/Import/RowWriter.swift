import Foundation
import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

extension StoreFile {
  /// Runs a transaction that may write a snapshot: after the commit older ones are removed, if it fails the new one.
  ///
  /// - Parameter body: What to do; sets `made` to the generation before it writes a snapshot of it.
  /// - Returns: The report of the closure.
  /// - Throws: `StoreError`; errors of the closure. The store is then unchanged.
  func change(
    _ body: (_ connection: SQLiteConnection, _ made: inout Int?) throws -> ImportReport
  ) throws -> ImportReport {
    let snapshots = SnapshotFiles(database: path)
    var made: Int?
    // keeping it would only fill a full disk
    defer { if let made { snapshots.remove(made) } }
    let report = try write { try body($0, &made) }
    made = nil
    snapshots.sweep(keeping: report.generation)
    return report
  }
}

/// Changes the rows of a database in a transaction, and at its end everything derived from them.
///
/// This includes the snapshot, which is complete before any reader can see its generation.
struct RowWriter: RowSink {
  /// The snapshot before, without the rows that are deleted, to copy from; `nil` to read all rows.
  var snapshot: SnapshotMerge?

  /// The numbers of the rows that the snapshot has otherwise by now.
  var changed: [Int64] = []

  private let connection: SQLiteConnection
  private let triggers: SpatialTriggers
  private let insert: RowStatement
  private let update: RowStatement
  private let point: SQLStatement
  private var fingerprints: RowHashes
  private var records: RowHashes

  // the new rows, which have consecutive numbers; those that are gone, and those whose point has changed
  private var inserted: Range<Int64> = 0..<0
  private var removed: [Int64] = []
  private var moved: [Int64] = []
  // the hashes of rows that were there, which are written in order at the end
  private var updated: [RowChange] = []

  /// Begins to change rows.
  ///
  /// - Throws: `StoreError` of kind `corrupt` if the spatial index does not match the table.
  init(_ connection: SQLiteConnection) throws {
    self.connection = connection
    let db = connection.db
    try SpatialIndex.check(connection)
    triggers = try SpatialTriggers(settingAside: db)
    insert = try RowStatement.insert(db)
    update = try RowStatement.update(db)
    point = try SQLStatement(db, "SELECT geom FROM restaurants WHERE pk = ?")
    fingerprints = try RowHashes.fingerprints(db)
    records = try RowHashes.records(db)
  }

  mutating func put(_ packed: UnsafeRawBufferPointer, of row: RowChange) throws {
    guard !row.isNew else {
      _ = try insert.run(packed, row: row.number)
      try fingerprints.set(row.fingerprint, at: row.number)
      try records.set(row.record, ofRow: row.number)
      inserted = (inserted.isEmpty ? row.number : inserted.lowerBound)..<row.number + 1
      return
    }
    point.bind(row.number, at: 1)
    let before = try point.step() ? PointBlob.decode(point.bytes(0)) : nil
    point.reset()
    if try update.run(packed, row: row.number) != before { moved.append(row.number) }
    updated.append(row)
  }

  /// Deletes rows.
  mutating func delete(_ rows: [Int64]) throws {
    let select = try SQLStatement(connection.db, "SELECT id FROM restaurants WHERE pk = ?")
    let delete = try SQLStatement(connection.db, "DELETE FROM restaurants WHERE pk = ?")
    for row in rows {
      select.bind(row, at: 1)
      if try select.step() { snapshot?.remove(id: select.bytes(0)) }
      select.reset()
      delete.bind(row, at: 1)
      try delete.run()
    }
    removed += rows
  }

  /// Writes hashes, spatial index, generation and snapshot, refreshes favorites and corrections, and restores the
  /// triggers.
  ///
  /// - Parameters:
  ///   - report: The changes, with the previous generation.
  ///   - learned: New keys of the records of unchanged rows.
  ///   - notice: Called if the snapshot could not be written: the next query can write it.
  /// - Returns: The report with the new generation.
  /// - Throws: `DatabaseError` and `StoreError` if SQLite fails.
  mutating func end(
    _ report: ImportReport,
    learned: [(row: Int64, key: RecordKey)] = [],
    notice: ((String) -> Void)? = nil
  ) throws -> ImportReport {
    let db = connection.db
    var report = report
    changed += updated.map(\.number)
    try writeHashes(learned, isRepeated: report.repeated > 0)
    let points = try StoredPoints(connection)
    try SpatialIndex.update(db, points: points, changed: withInserted(moved), removed: removed)
    let edition = UInt64.random(in: 1 ... .max)
    if report.inserted + report.updated + report.removed > 0 { report.generation += 1 }
    try db.execute(
      sql: "UPDATE geoq_store SET generation = ?, edition = ?",
      arguments: [report.generation, Int64(bitPattern: edition)]
    )
    try connection.refreshOwnData(&report)
    try triggers.restore(db, after: report)
    try SpatialIndex.check(connection)
    let state = StoreState(generation: report.generation, edition: edition)
    try writeSnapshot(of: consume points, state, notice)
    return report
  }

  /// The new rows and others, each once, in order.
  private func withInserted(_ rows: [Int64]) -> [Int64] {
    Set(rows).filter { !inserted.contains($0) }.sorted() + inserted
  }

  /// Writes the hashes of rows that were there; sets those of deleted rows to 0.
  private mutating func writeHashes(
    _ learned: [(row: Int64, key: RecordKey)],
    isRepeated: Bool
  ) throws {
    var rows = updated
    updated = []
    // if a row was written more than once, the last time counts
    if isRepeated { rows = Array(Dictionary(rows.map { ($0.number, $0) }) { $1 }.values) }
    rows += removed.map { RowChange(number: $0) }
    rows.sort { $0.number < $1.number }
    for row in rows { try fingerprints.set(row.fingerprint, at: row.number) }
    try fingerprints.finish()
    rows += learned.map { RowChange(number: $0.row, record: $0.key) }
    rows.sort { $0.number < $1.number }
    for row in rows { try records.set(row.record, ofRow: row.number) }
    try records.finish()
  }

  private func writeSnapshot(
    of points: consuming StoredPoints,
    _ state: StoreState,
    _ notice: ((String) -> Void)?
  ) throws {
    let files = SnapshotFiles(database: connection.path)
    do {
      let path = files.path(of: state.generation)
      if let snapshot {
        _ = consume points
        try connection.writeSnapshot(snapshot, changed: withInserted(changed), state, to: path)
      } else {
        try connection.writeSnapshot(points, state, to: path)
      }
    } catch let error as SnapshotError {
      // a file with that name is not from this generation
      files.remove(state.generation)
      notice?("\(error)")
    }
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

/// Numbers per row, in a separate table; a chunk has 480 of them, which fit a page.
struct RowHashes {
  private let db: Database
  private let table: String
  private let select: SQLStatement
  private var chunk: Int64 = -1
  private var hashes: [UInt64] = []
  private var isChanged = false

  private static let size: Int64 = 480

  /// Far beyond the two places for each of the rows that geoq accepts, because an import adds rows.
  private static let lastPlace = 4 * StoredRows.lastNumber

  /// The hash of each imported row, 0 if there is no row.
  ///
  /// An import that finds the same values need not read the row.
  static func fingerprints(_ db: Database) throws -> RowHashes {
    try RowHashes(db, table: "geoq_fingerprints")
  }

  /// The key of the record that each row came from: two numbers each, 0 if unknown.
  ///
  /// An import that finds the same bytes need not parse the record.
  static func records(_ db: Database) throws -> RowHashes {
    try RowHashes(db, table: "geoq_records")
  }

  private init(_ db: Database, table: String) throws {
    (self.db, self.table) = (db, table)
    select = try SQLStatement(db, "SELECT hashes FROM \(table) WHERE chunk = ?")
  }

  /// The number at an index; 0 means none.
  ///
  /// Each chunk is read once if the indexes ascend, here and below.
  mutating func hash(at place: Int64) throws -> UInt64 {
    guard (0...Self.lastPlace).contains(place) else { return 0 }
    try load(place / Self.size)
    return hashes[Int(place % Self.size)]
  }

  /// How many numbers are not 0.
  func count() throws -> Int {
    let all = try SQLStatement(db, "SELECT hashes FROM \(table)")
    var count = 0
    while try all.step() {
      let bytes = all.bytes(0)
      for start in stride(from: 0, to: bytes.count - 7, by: 8)
      where bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self) != 0 { count += 1 }
    }
    return count
  }

  /// The key of a row's record.
  mutating func key(ofRow row: Int64) throws -> RecordKey {
    guard (0...Self.lastPlace / 2).contains(row) else { return .none }
    return RecordKey(low: try hash(at: 2 * row), high: try hash(at: 2 * row + 1))
  }

  /// Sets a number; 0 for a row that is gone.
  ///
  /// - Throws: `DatabaseError` if another program has given a row a number that geoq does not give.
  mutating func set(_ hash: UInt64, at place: Int64) throws {
    guard (0...Self.lastPlace).contains(place) else { throw Self.strange(place) }
    try load(place / Self.size)
    hashes[Int(place % Self.size)] = hash
    isChanged = true
  }

  /// Sets the key of a row's record.
  mutating func set(_ key: RecordKey, ofRow row: Int64) throws {
    guard (0...Self.lastPlace / 2).contains(row) else { throw Self.strange(row) }
    try set(key.low, at: 2 * row)
    try set(key.high, at: 2 * row + 1)
  }

  private static func strange(_ number: Int64) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_CORRUPT,
      message: "a row of restaurants has the number \(number)"
    )
  }

  private mutating func load(_ number: Int64) throws {
    guard number != chunk else { return }
    try finish()
    chunk = number
    select.bind(chunk, at: 1)
    defer { select.reset() }
    let bytes = try select.step() ? select.bytes(0) : UnsafeRawBufferPointer(start: nil, count: 0)
    hashes = (0..<Int(Self.size)).map { index in
      guard index < bytes.count / 8 else { return 0 }
      return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
    }
  }

  /// Writes the last chunk.
  mutating func finish() throws {
    guard isChanged else { return }
    isChanged = false
    let insert = try SQLStatement(
      db,
      "INSERT OR REPLACE INTO \(table) (chunk, hashes) VALUES (?, ?)"
    )
    try hashes.map(\.littleEndian).withUnsafeBytes {
      insert.bind(chunk, at: 1)
      insert.bind(blob: $0, at: 2)
      try insert.run()
    }
  }
}
