import Foundation
import GRDB
import GeoIndex
import GeoQuery

/// Writes the snapshot of a database's rows: in one pass over the table in order of id, or from the
/// snapshot before.
///
/// The snapshot has the permissions of the database.
struct SnapshotMaker {
  private let db: Database
  private let path: String
  // a database that is being created does not exist yet, and is made like any other file
  private var access: FileAccess? { FileAccess(of: path) }

  /// - Parameters:
  ///   - db: The database, in a transaction.
  ///   - path: Its path in errors.
  init(_ db: Database, path: String) {
    self.db = db
    self.path = path
  }

  /// Writes the snapshot.
  ///
  /// - Parameters:
  ///   - points: All points, which are freed when they have been sorted.
  ///   - state: The generation, and its random number.
  ///   - file: The path of the file.
  /// - Throws: `SnapshotError` if the file cannot be written; `StoreError` and `DatabaseError` if the
  ///   database cannot be read.
  func write(_ points: consuming StoredPoints, _ state: StoreState, to file: String) throws {
    let corrections = Corrections(try SQLiteConnection(db, path: path).corrections())
    let tree = try tree(of: points, corrections)
    var writer = try SnapshotWriter(for: file, tree: tree, access: access)
    let rows = try SQLStatement(
      db,
      "SELECT \(RestaurantRow.selection) FROM restaurants ORDER BY id"
    )
    // rows in order of id are scattered over the file, so it is mapped instead of copied page by
    // page
    try db.execute(sql: "PRAGMA mmap_size = \(2 << 30)")
    defer { try? db.execute(sql: "PRAGMA mmap_size = 0") }
    let pump = RowPump(rows, corrections, path: path)
    defer { pump.stop() }
    while let batch = try pump.next() {
      try writer.append(batch)
    }
    try writer.finish(storeID: state.edition, generation: state.generation)
  }

  /// Writes the snapshot from the one before, which is the same, byte for byte.
  ///
  /// - Parameters:
  ///   - merge: The snapshot of the state before, without the rows that are removed.
  ///   - rows: The numbers of the rows that are new or changed, each once.
  ///   - state: The generation, and its random number.
  ///   - file: The path of the file.
  /// - Throws: As the other.
  func write(
    _ merge: consuming SnapshotMerge,
    changed rows: [Int64],
    _ state: StoreState,
    to file: String
  ) throws {
    let corrections = Corrections(try SQLiteConnection(db, path: path).corrections())
    var merge = merge
    var spool = RowSpool(beside: file)
    let select = try SQLStatement(
      db,
      "SELECT \(RestaurantRow.selection) FROM restaurants WHERE pk = ?"
    )
    var packed: [UInt8] = []
    for row in rows {
      select.bind(row, at: 1)
      guard try select.step() else {
        throw DatabaseError(message: "row \(row) is not in the table as it was written")
      }
      packed.removeAll(keepingCapacity: true)
      try RestaurantRow.pack(select.row, path: path, to: &packed)
      let isShown = corrections.apply(to: &packed)
      if !isShown { merge.remove(id: select.bytes(1)) }
      try packed.withUnsafeBytes { record in
        if let point = PackedRecord.coordinate(of: record) { try spool.append(record, at: point) }
      }
      select.reset()
    }
    try spool.write(merge, state, to: file, access: access)
  }

  private func tree(
    of points: consuming StoredPoints,
    _ corrections: Corrections
  ) throws -> KDTree {
    var ordered: [Coordinate] = []
    ordered.reserveCapacity(points.rows.count)
    try points.visitInOrderOfID(db) { row, coordinate in
      if let point = corrections.points[row, default: coordinate] { ordered.append(point) }
    }
    return KDTree(consume ordered)
  }
}

/// Reads rows on a separate thread, a few batches ahead of the consumer.
private struct RowPump {
  private static let batchLength = 1 << 17
  private let queue = BoundedQueue<PackedRecords>(capacity: 4)

  /// Starts reading.
  ///
  /// - Parameters:
  ///   - rows: A statement that selects `RestaurantRow.selection`. No other code may use its connection
  ///     before `stop` has returned.
  ///   - corrections: What is corrected of them.
  ///   - path: The path of the file in errors.
  init(_ rows: SQLStatement, _ corrections: Corrections, path: String) {
    // no other code uses the connection before this thread has ended
    nonisolated(unsafe) let rows = rows
    queue.fill { queue in
      defer { rows.close() }
      try Self.read(rows, corrections, path: path, into: queue)
    }
  }

  private static func read(
    _ rows: SQLStatement,
    _ corrections: Corrections,
    path: String,
    into queue: BoundedQueue<PackedRecords>
  ) throws {
    var batch = PackedRecords()
    while try rows.step() {
      let start = batch.bytes.count
      try RestaurantRow.pack(rows.row, path: path, to: &batch.bytes)
      guard corrections.apply(to: &batch.bytes, from: start) else { continue }
      batch.ends.append(batch.bytes.count)
      guard batch.bytes.count >= batchLength else { continue }
      guard queue.put(batch) else { return }
      batch.bytes.removeAll(keepingCapacity: true)
      batch.ends.removeAll(keepingCapacity: true)
    }
    _ = queue.put(batch)
  }

  /// The next rows, or nil after the last.
  ///
  /// - Throws: The error of a row, after the rows before it.
  func next() throws -> PackedRecords? { try queue.take() }

  /// Stops reading, and waits until the connection is free again.
  func stop() {
    queue.cancel()
    queue.waitForEnd()
  }
}
