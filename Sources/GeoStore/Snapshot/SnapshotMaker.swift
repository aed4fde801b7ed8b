import Foundation
import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

extension SQLiteConnection {
  /// Who may use a snapshot: everyone who may use the database.
  ///
  /// A database that is being created does not exist yet, and is made like any other file.
  private var access: FileAccess? { FileAccess(of: path) }

  /// Writes the snapshot of all rows, in one pass over the table in order of id.
  ///
  /// - Throws: `SnapshotError` if the file cannot be written; `StoreError` and `DatabaseError` if the
  ///   database cannot be read.
  func writeSnapshot(
    _ points: consuming StoredPoints,
    _ state: StoreState,
    to file: String
  ) throws {
    let corrections = Corrections(try corrections())
    // the tree is freed when it is written
    var writer = try SnapshotWriter(
      for: file,
      tree: tree(of: consume points, corrections),
      access: access
    )
    // no other code uses the connection before the thread below has ended
    nonisolated(unsafe) let connection = self
    nonisolated(unsafe) let rows = try SQLStatement(
      db,
      "SELECT \(Self.selection) FROM restaurants ORDER BY id"
    )
    // rows in order of id are scattered over the file, so it is mapped instead of copied page by
    // page
    try db.execute(sql: "PRAGMA mmap_size = \(2 << 30)")
    defer { try? db.execute(sql: "PRAGMA mmap_size = 0") }
    let batches = BoundedQueue<PackedRecords>(capacity: 4)
    batches.fill { try connection.read(rows, corrections, into: $0) }
    defer {
      batches.cancel()
      batches.waitForEnd()
    }
    while let batch = try batches.take() { try writer.append(batch) }
    try writer.finish(storeID: state.edition, generation: state.generation)
  }

  /// Reads rows on a separate thread, a few batches ahead of the consumer.
  private func read(
    _ rows: SQLStatement,
    _ corrections: Corrections,
    into queue: BoundedQueue<PackedRecords>
  ) throws {
    defer { rows.close() }
    var batch = PackedRecords()
    while try rows.step() {
      let start = batch.bytes.count
      try pack(rows.row, to: &batch.bytes)
      guard corrections.apply(to: &batch.bytes, from: start) else { continue }
      batch.ends.append(batch.bytes.count)
      guard batch.bytes.count >= 1 << 17 else { continue }
      guard queue.put(batch) else { return }
      batch.bytes.removeAll(keepingCapacity: true)
      batch.ends.removeAll(keepingCapacity: true)
    }
    _ = queue.put(batch)
  }

  /// Writes the snapshot from the one before, which is the same, byte for byte.
  ///
  /// - Throws: As the other.
  func writeSnapshot(
    _ merge: consuming SnapshotMerge,
    changed rows: [Int64],
    _ state: StoreState,
    to file: String
  ) throws {
    let corrections = Corrections(try corrections())
    var merge = merge
    var spool = RowSpool(beside: file)
    let select = try SQLStatement(
      db,
      "SELECT \(Self.selection) FROM restaurants WHERE pk = ?"
    )
    var packed: [UInt8] = []
    for row in rows {
      select.bind(row, at: 1)
      guard try select.step() else {
        throw DatabaseError(message: "row \(row) is not in the table as it was written")
      }
      packed.removeAll(keepingCapacity: true)
      try pack(select.row, to: &packed)
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
    // the index on id contains the row numbers, so the table is not read
    let statement = try SQLStatement(db, "SELECT pk FROM restaurants ORDER BY id")
    while try statement.step() {
      let row = statement.integer(0)
      guard let coordinate = points[row] else {
        throw DatabaseError(message: "the index on id has a row that is not in the table")
      }
      if let point = corrections.points[row, default: coordinate] { ordered.append(point) }
    }
    _ = consume points
    return KDTree(consume ordered)
  }
}

/// New and changed rows in a nameless file, in any order, for a snapshot that is made from an older one.
struct RowSpool {
  private let spool: SpillFile
  private var ends: [Int] = []
  private var coordinates: [Coordinate] = []

  /// - Parameter path: A file in the folder where it is made.
  init(beside path: String) {
    spool = SpillFile(beside: path)
  }

  /// Adds a packed row.
  mutating func append(
    _ packed: UnsafeRawBufferPointer,
    at coordinate: Coordinate
  ) throws(SnapshotError) {
    try spool.append(packed)
    ends.append((ends.last ?? 0) + packed.count)
    coordinates.append(coordinate)
  }

  /// Writes the snapshot of these rows and of what an older one keeps.
  ///
  /// - Parameters:
  ///   - merge: The older snapshot, without the rows that are removed.
  ///   - state: The generation, and its random number.
  ///   - file: The path of the file.
  ///   - access: Who may use the file; nil for all that the process allows.
  /// - Throws: `SnapshotError` if a file cannot be written or read.
  func write(
    _ merge: SnapshotMerge,
    _ state: StoreState,
    to file: String,
    access: FileAccess?
  ) throws(SnapshotError) {
    try spool.withBytes { (bytes) throws(SnapshotError) in
      func row(_ position: Int) -> UnsafeRawBufferPointer {
        let start = position == 0 ? 0 : ends[position - 1]
        return UnsafeRawBufferPointer(rebasing: bytes[start..<ends[position]])
      }
      let ids = ends.indices.map { PackedRecord.id(of: row($0)) }
      let order = ends.indices.sorted { compare(ids[$0], ids[$1]) < 0 }
      try merge.write(
        order.map { coordinates[$0] },
        to: file,
        access: access,
        storeID: state.edition,
        generation: state.generation
      ) { row(order[$0]) }
    }
  }
}

/// A queue between two threads with a small capacity, so that the faster thread waits.
///
/// `@unchecked Sendable`: everything is accessed under the lock only.
final class BoundedQueue<Element: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private let capacity: Int
  private var elements: [Element] = []
  private var failure: (any Error)?
  private var isFinished = false
  private var isCancelled = false

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Starts a thread that adds the elements, and ends the queue, with its error if there is one.
  func fill(_ body: @escaping @Sendable (BoundedQueue) throws -> Void) {
    let thread = Thread { [self] in
      do {
        try body(self)
        finish()
      } catch {
        finish(error)
      }
    }
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Adds an element, and waits for room if necessary.
  ///
  /// - Returns: False if the consumer has stopped.
  func put(_ element: Element) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while elements.count >= capacity, !isCancelled { condition.wait() }
    guard !isCancelled else { return false }
    elements.append(element)
    condition.broadcast()
    return true
  }

  /// Ends the queue, with an error if there was one.
  private func finish(_ error: (any Error)? = nil) {
    condition.lock()
    defer { condition.unlock() }
    failure = error
    isFinished = true
    condition.broadcast()
  }

  /// Removes the next element, and waits for one if necessary; nil after the last.
  ///
  /// - Throws: The error of the other thread, after the elements before it.
  func take() throws -> Element? {
    condition.lock()
    defer { condition.unlock() }
    while elements.isEmpty, !isFinished { condition.wait() }
    guard elements.isEmpty else {
      condition.broadcast()
      return elements.removeFirst()
    }
    if let failure { throw failure }
    return nil
  }

  /// Removes the elements that are there.
  func removeAll() {
    condition.lock()
    let all = elements
    elements = []
    condition.unlock()
    _ = consume all
  }

  /// Stops the queue, because the consumer needs no more elements.
  func cancel() {
    condition.lock()
    defer { condition.unlock() }
    isCancelled = true
    elements = []
    condition.broadcast()
  }

  /// Waits until the other thread has ended the queue.
  func waitForEnd() {
    condition.lock()
    defer { condition.unlock() }
    while !isFinished { condition.wait() }
  }
}
