import Foundation
import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// Numbers for sources, in the order in which an import finds them.
struct SourceNumbers {
  private(set) var names: [String] = []

  /// The hash of each name, with which ids are scoped.
  private(set) var keys: [IDKey] = []
  private var numbers: [UTF8Key: UInt32] = [:]
  private let key: SipHash.Key

  /// - Parameter key: The store's key for hashes.
  init(key: SipHash.Key) {
    // not the key for ids, so that a source whose name is an id has another hash
    self.key = SipHash.Key(low: ~key.low, high: key.high)
  }

  /// The number of a source.
  mutating func number(of name: String) -> UInt32 {
    if let number = numbers[UTF8Key(name)] { return number }
    let number = UInt32(names.count)
    numbers[UTF8Key(name)] = number
    names.append(name)
    keys.append(IDKey(name, key: key))
    return number
  }

  /// The fingerprint of contents in a source, as stored; applied again, it undoes this.
  func bound(_ fingerprint: UInt64, to source: UInt32) -> UInt64 {
    fingerprint ^ keys[Int(source)].low
  }
}

/// The values that an import compares with those of a changed record.
struct StoredFacts {
  /// The position; nil if another program has damaged it.
  let place: Coordinate?

  /// The fields with a value, a bit each.
  let columns: UInt64

  /// Reads them, in the order of the given rows; nil for rows that are gone.
  typealias Read = (_ rows: [(position: Int, row: Int64)]) throws -> [StoredFacts?]

  /// The bits of the fields, as an expression of SQL.
  ///
  /// - Parameters:
  ///   - type: A cast of each bit.
  ///   - name: The column of a field.
  /// - Returns: The expression, without a name.
  static func columns(_ type: String, _ name: (RestaurantField) -> String) -> String {
    RestaurantField.stored.enumerated()
      .map { "((\(name($1)) IS NOT NULL)\(type) << \($0))" }
      .joined(separator: " | ")
  }

  /// Reads them from a database of SQLite.
  static func read(_ rows: [(position: Int, row: Int64)], _ db: Database) throws -> [StoredFacts?] {
    let row = try SQLStatement(
      db,
      "SELECT geom, \(columns("", \.rawValue)) FROM restaurants WHERE pk = ?"
    )
    defer { row.close() }
    return try rows.map { _, number in
      row.bind(number, at: 1)
      defer { row.reset() }
      guard try row.step() else { return nil }
      let columns = UInt64(bitPattern: row.integer(1))
      return StoredFacts(place: PointBlob.decode(row.bytes(0)), columns: columns)
    }
  }
}

/// The values that an import needs of a store's rows.
struct StoredRows {
  private(set) var known = KnownRows()

  /// The records that they came from; nil if unknown.
  private(set) var records: KnownRecords?
  private(set) var sources: SourceNumbers

  /// The public ids that differ from the feed's own, by position.
  private(set) var scopedIDs: [Int: IDKey] = [:]
  private(set) var lastRow: Int64 = 0
  private(set) var generation = 0

  /// What an import compares, by position; empty if it is read when it is needed.
  private(set) var facts: [StoredFacts] = []

  /// The largest number of a row that geoq accepts.
  static let lastNumber: Int64 = 1 << 40

  /// Makes the rows of an empty store.
  init(key: SipHash.Key) {
    sources = SourceNumbers(key: key)
  }

  /// Reads the ids, sources and hashes of all rows, but not the rows themselves.
  init(_ db: Database, key: SipHash.Key, generation: Int) throws {
    sources = SourceNumbers(key: key)
    self.generation = generation
    let firstRow = try Int64.fetchOne(db, sql: "SELECT min(pk) FROM restaurants") ?? 0
    lastRow = try Int64.fetchOne(db, sql: "SELECT max(pk) FROM restaurants") ?? 0
    guard firstRow >= 0, lastRow <= Self.lastNumber else {
      throw DatabaseError(
        resultCode: .SQLITE_CORRUPT,
        message: "the rows of restaurants are numbered from \(firstRow) to \(lastRow)"
      )
    }
    var positions = RowValues<UInt32>(filling: .max)
    let ids = try SQLStatement(db, "SELECT pk, id FROM restaurants ORDER BY id")
    while try ids.step() {
      positions[ids.integer(0)] = UInt32(known.count)
      var entry = KnownRows.Entry(key: IDKey(ids.bytes(1), key: key))
      entry.row = ids.integer(0)
      known.append(entry)
    }
    try readOwners(db, positions)
    try readOwnIDs(db, positions, key)
    for position in 0..<known.count {
      let owner = sources.keys[Int(known[position].owner)]
      known[position].key = known[position].key.scoped(to: owner)
    }
    known.index()
    try RowHashes.fingerprints.visit(db) { row, hash in
      guard let position = positions[row].map(Int.init) else { return }
      known[position].fingerprint = sources.bound(hash, to: known[position].owner)
    }
    records = try readRecords(db, positions)
  }

  /// A row of a store, valid only while it is visited.
  struct Row {
    let number: Int64
    let id: UnsafeRawBufferPointer
    let source: UnsafeRawBufferPointer
    /// The feed's own id, if it differs.
    let sourceID: UnsafeRawBufferPointer?
    /// The hash of its contents, bound to its source; 0 if it is unknown.
    let fingerprint: UInt64
    /// The key of the record that it came from.
    let record: RecordKey
    let facts: StoredFacts
  }

  /// Reads the rows of a store in which each row contains its hashes.
  ///
  /// - Parameters:
  ///   - key: The store's key for hashes.
  ///   - generation: The store's generation.
  ///   - visit: Visits all rows.
  /// - Throws: Errors of `visit`.
  init(
    key: SipHash.Key,
    generation: Int,
    visit: (_ take: (Row) -> Void) throws -> Void
  ) throws {
    self.generation = generation
    var (known, sources) = (KnownRows(), SourceNumbers(key: key))
    var (scopedIDs, lastRow): ([Int: IDKey], Int64) = ([:], 0)
    var (keys, facts): ([RecordKey], [StoredFacts]) = ([], [])
    // most rows have the same source as the one before
    var last = (name: [UInt8](), number: 0 as UInt32)
    try visit { row in
      if !last.name.elementsEqual(row.source) || known.count == 0 {
        last = (Array(row.source), sources.number(of: String(decoding: row.source, as: UTF8.self)))
      }
      var ownKey = IDKey(row.id, key: key)
      if let sourceID = row.sourceID {
        scopedIDs[known.count] = ownKey
        ownKey = IDKey(sourceID, key: key)
      }
      var entry = KnownRows.Entry(key: ownKey.scoped(to: sources.keys[Int(last.number)]))
      entry.row = row.number
      entry.owner = last.number
      entry.fingerprint = sources.bound(row.fingerprint, to: last.number)
      known.append(entry)
      keys.append(row.record)
      facts.append(row.facts)
      lastRow = max(lastRow, row.number)
    }
    known.index()
    (self.known, self.sources) = (known, sources)
    (self.scopedIDs, self.lastRow, self.facts) = (scopedIDs, lastRow, facts)
    records = KnownRecords(keys)
  }

  /// The number of rows of a source.
  func count(ofOwner owner: UInt32) -> Int {
    (0..<known.count).reduce(0) { $0 + (known[$1].owner == owner ? 1 : 0) }
  }

  /// Sets the source of each row.
  private mutating func readOwners(_ db: Database, _ positions: RowValues<UInt32>) throws {
    // as bytes: another text than the stored one might not be larger than all before, and the search
    // would not end
    let next = try SQLStatement(db, "SELECT min(source) FROM restaurants WHERE source > ?")
    var last: [UInt8] = []
    while true {
      let found = try last.withUnsafeBytes {
        next.bind(text: $0, at: 1)
        return try next.step() && next.row.kind(0) != .null
      }
      guard found else { break }
      guard next.row.kind(0) == .text, firstInvalidUTF8(in: next.bytes(0)) == nil else {
        throw DatabaseError(
          resultCode: .SQLITE_CORRUPT,
          message: "the source of a row of restaurants is not a text"
        )
      }
      last = Array(next.bytes(0))
      next.reset()
      _ = sources.number(of: String(decoding: last, as: UTF8.self))
    }
    // the number of the first source is the default
    let rows = try SQLStatement(db, "SELECT pk FROM restaurants WHERE source = ?")
    for source in sources.names.dropFirst() {
      let number = sources.number(of: source)
      try rows.bind(source, at: 1) {
        while try rows.step() {
          if let position = positions[rows.integer(0)] { known[Int(position)].owner = number }
        }
      }
    }
  }

  /// Sets the feed's own id of each row whose public id differs.
  private mutating func readOwnIDs(
    _ db: Database,
    _ positions: RowValues<UInt32>,
    _ key: SipHash.Key
  ) throws {
    let rows = try SQLStatement(
      db,
      "SELECT pk, sourceID FROM restaurants WHERE sourceID IS NOT NULL"
    )
    while try rows.step() {
      guard let position = positions[rows.integer(0)].map(Int.init) else { continue }
      scopedIDs[position] = known[position].key
      known[position].key = IDKey(rows.bytes(1), key: key)
    }
  }

  /// The records that the rows came from; nil for files of version 2, which do not have them.
  private func readRecords(
    _ db: Database,
    _ positions: RowValues<UInt32>
  ) throws -> KnownRecords? {
    guard try db.tableIsThere("geoq_records") else { return nil }
    var keys = [RecordKey](repeating: .none, count: known.count)
    try RowHashes.records.visit(db) { place, hash in
      guard let position = positions[place / 2] else { return }
      if place % 2 == 0 { keys[Int(position)].low = hash } else { keys[Int(position)].high = hash }
    }
    return KnownRecords(keys)
  }
}

/// A value for each row number, whose memory grows with the number of rows, not with the largest
/// one.
struct RowValues<Value: Equatable> {
  private var blocks: [Int64: Int] = [:]
  private var values: [Value] = []
  private let filling: Value

  /// The number of consecutive row numbers in a block.
  static var blockSize: Int64 { Int64(RowChunk.size) }

  /// - Parameter filling: The value of rows that are not set.
  init(filling: Value) {
    self.filling = filling
  }

  subscript(row: Int64) -> Value? {
    get {
      // a file changed by other programs may have rows below 0, which have no value
      guard row >= 0, let block = blocks[row / Self.blockSize] else { return nil }
      let value = values[block + Int(row % Self.blockSize)]
      return value == filling ? nil : value
    }
    set {
      guard let newValue else { return }
      let number = row / Self.blockSize
      let block = blocks[number] ?? values.count
      if block == values.count {
        blocks[number] = block
        values += repeatElement(filling, count: Int(Self.blockSize))
      }
      values[block + Int(row % Self.blockSize)] = newValue
    }
  }
}

/// The rows that an import will write, kept until the whole feed has been read.
///
/// They are kept in memory; beyond `memory` bytes, in an unlinked file next to the database.
final class ChangeLog: RowSink {
  private let path: String
  private let memory: Int
  private var buffer: [UInt8] = []
  private var spill: Int32 = -1

  /// - Parameters:
  ///   - path: The database.
  ///   - memory: The maximum size in memory, in bytes.
  init(beside path: String, memory: Int = 16 << 20) {
    self.path = path
    self.memory = memory
  }

  deinit {
    if spill >= 0 { close(spill) }
  }

  /// Receives a row that will be written.
  typealias Body = (_ packed: UnsafeRawBufferPointer, _ row: RowChange) throws -> Void

  /// The length of the numbers before a packed row.
  private static let headLength = 48

  func put(_ packed: UnsafeRawBufferPointer, of row: RowChange) throws {
    let head = [
      UInt64(bitPattern: row.number), row.isNew ? 1 : 0, row.fingerprint,
      row.record.low, row.record.high, UInt64(packed.count),
    ]
    for number in head {
      withUnsafeBytes(of: number.littleEndian) { buffer.append(contentsOf: $0) }
    }
    buffer.append(contentsOf: packed)
    if buffer.count >= memory { try flush() }
  }

  /// Visits the rows in the order in which they were added.
  func visit(_ body: Body) throws {
    guard spill >= 0 else {
      _ = try buffer.withUnsafeBytes { try Self.visit($0, body) }
      return
    }
    try flush()
    guard lseek(spill, 0, SEEK_SET) == 0 else { throw failure(errno) }
    var bytes: [UInt8] = []
    while try fill(&bytes) {
      let used = try bytes.withUnsafeBytes { try Self.visit($0, body) }
      bytes.removeFirst(used)
    }
  }

  /// Visits the complete rows in some bytes, and returns their length.
  private static func visit(_ bytes: UnsafeRawBufferPointer, _ body: Body) throws -> Int {
    var place = 0
    while bytes.count - place >= headLength {
      let head = UnsafeRawBufferPointer(rebasing: bytes[place..<place + headLength])
      let number = { (index: Int) -> UInt64 in RowChunk.number(index, of: head) }
      let start = place + headLength
      let end = start + Int(number(5))
      guard end <= bytes.count else { break }
      let row = RowChange(
        number: Int64(bitPattern: number(0)),
        isNew: number(1) == 1,
        fingerprint: number(2),
        record: RecordKey(low: number(3), high: number(4))
      )
      try body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), row)
      place = end
    }
    return place
  }

  private func fill(_ bytes: inout [UInt8]) throws -> Bool {
    let chunk = 1 << 20
    var code: Int32 = 0
    let more = [UInt8](unsafeUninitializedCapacity: chunk) { space, count in
      let got = read(spill, space.baseAddress, chunk)
      if got < 0 { code = errno }
      count = max(0, got)
    }
    if code != 0 { throw failure(code) }
    bytes += more
    return !more.isEmpty
  }

  private func flush() throws {
    if spill < 0 {
      let name = path + "." + randomDigits() + ".tmp"
      spill = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard spill >= 0 else { throw failure(errno) }
      unlink(name)
    }
    let code = buffer.withUnsafeBytes { bytes -> Int32 in
      var rest = bytes[...]
      while !rest.isEmpty {
        let written = write(spill, rest.base.baseAddress.map { $0 + rest.startIndex }, rest.count)
        if written <= 0 { return written == 0 ? EIO : errno }
        rest = rest.dropFirst(written)
      }
      return 0
    }
    if code != 0 { throw failure(code) }
    buffer.removeAll(keepingCapacity: true)
  }

  private func failure(_ code: Int32) -> StoreError {
    let reason = String(cString: strerror(code))
    return StoreError(
      .inputOutput,
      path: path,
      "the changes cannot be stored in a file next to the database (\(reason)); nothing was changed"
    )
  }
}
