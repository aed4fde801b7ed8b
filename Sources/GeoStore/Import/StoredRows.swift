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
    /// What an import compares; nil to read it when it is needed.
    var facts: StoredFacts?
  }

  /// Reads the rows of a store.
  ///
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
      if known.count == 0 || last.name.withUnsafeBytes({ compare($0, row.source) }) != 0 {
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
      if let found = row.facts { facts.append(found) }
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

  /// Reads the rows of a database of SQLite.
  init(_ db: Database, key: SipHash.Key, generation: Int) throws {
    let (first, last) = (
      try Int64.fetchOne(db, sql: "SELECT min(pk) FROM restaurants") ?? 0,
      try Int64.fetchOne(db, sql: "SELECT max(pk) FROM restaurants") ?? 0
    )
    func corrupt(_ message: String) -> DatabaseError {
      DatabaseError(resultCode: .SQLITE_CORRUPT, message: message)
    }
    guard first >= 0, last <= Self.lastNumber else {
      throw corrupt("the rows of restaurants are numbered from \(first) to \(last)")
    }
    var fingerprints = try RowHashes.fingerprints(db)
    var records = try RowHashes.records(db)
    let rows = try SQLStatement(
      db,
      "SELECT pk, id, source, sourceID FROM restaurants ORDER BY pk"
    )
    try self.init(key: key, generation: generation) { take in
      while try rows.step() {
        let number = rows.integer(0)
        guard let source = rows.row.utf8(2), firstInvalidUTF8(in: source) == nil else {
          throw corrupt("the source of a row of restaurants is not a text")
        }
        take(
          Row(
            number: number,
            id: rows.bytes(1),
            source: source,
            sourceID: rows.row.isNull(3) ? nil : rows.bytes(3),
            fingerprint: try fingerprints.hash(at: number),
            record: try records.key(ofRow: number)
          )
        )
      }
    }
  }
}

/// The rows that an import will write, kept in a nameless file next to the database until the whole feed has been read.
struct ChangeLog: RowSink {
  private let path: String
  private let spill: SpillFile

  init(beside path: String) {
    self.path = path
    spill = SpillFile(beside: path)
  }

  /// Receives a row that will be written.
  typealias Body = (_ packed: UnsafeRawBufferPointer, _ row: RowChange) throws -> Void

  func put(_ packed: UnsafeRawBufferPointer, of row: RowChange) throws {
    let head = [
      UInt64(bitPattern: row.number), row.isNew ? 1 : 0, row.fingerprint,
      row.record.low, row.record.high, UInt64(packed.count),
    ]
    try wrapping { () throws(SnapshotError) in
      for number in head { try spill.append(number) }
      try spill.append(packed)
    }
  }

  /// Visits the rows in the order in which they were added.
  func visit(_ body: Body) throws {
    try wrapping { () throws(SnapshotError) in
      try spill.withBytes { bytes in Result { try Self.visit(bytes, body) } }
    }
    .get()
  }

  private static func visit(_ bytes: UnsafeRawBufferPointer, _ body: Body) throws {
    var place = 0
    func next() -> UInt64 {
      defer { place += 8 }
      return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
    while place < bytes.count {
      let row = RowChange(
        number: Int64(bitPattern: next()),
        isNew: next() == 1,
        fingerprint: next(),
        record: RecordKey(low: next(), high: next())
      )
      let count = Int(next())
      try body(UnsafeRawBufferPointer(rebasing: bytes[place..<place + count]), row)
      place += count
    }
  }

  private func wrapping<Value>(
    _ body: () throws(SnapshotError) -> Value
  ) throws(StoreError) -> Value {
    do {
      return try body()
    } catch {
      throw StoreError(.inputOutput, path: path, "\(error.reason); nothing was changed")
    }
  }
}
