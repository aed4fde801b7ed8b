import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// Records of a feed as rows ready to be bound, passed from the reading thread to the writing one.
///
/// A row is a `PackedRecord`, whose hash shows whether the record changed.
struct RowBatch: Sendable {
  /// A record that is a restaurant.
  struct Row: Sendable {
    /// The range of its values in `bytes`.
    let range: Range<Int>
    /// The hash of the feed's own id, which identifies the row.
    let key: IDKey
    /// The public id in the record, if that is another.
    var publicID: String?
    let fingerprint: UInt64
    /// The index of its source in `sources`.
    let source: Int
    let place: FeedPlace
    /// The key of its record's bytes.
    var record = RecordKey.none
    /// Whether its id is derived, because the feed gives none.
    var derivesID = false
  }

  /// A record with unchanged bytes.
  struct Known: Sendable {
    /// The position of its row in the store.
    let row: Int
    let place: FeedPlace
    /// The number of the batch's rows before it in the feed.
    let position: Int
  }

  /// A rejected record.
  struct Rejected: Sendable {
    let error: FeedError
    let text: [UInt8]
    /// The number of the batch's rows before it in the feed.
    let position: Int
  }

  var bytes: [UInt8] = []
  var rows: [Row] = []
  var sources: [String] = []
  var known: [Known] = []
  var rejected: [Rejected] = []
  var warnings: [FeedError] = []

  /// The texts of the rows' records, if the observer needs those of later rejections.
  var texts: [[UInt8]] = []

  /// The number of bytes of the feed read after this batch.
  var feedBytes = 0

  /// The number of the feed's pages read after this batch.
  var pageCount = 1

  /// Whether it is large enough to be passed on.
  var isFull: Bool {
    bytes.count >= 1 << 17 || rejected.count + warnings.count >= 1 << 10 || known.count >= 1 << 12
  }

  /// Makes the row of a record whose bytes have been appended, and adds it.
  mutating func append(
    _ range: Range<Int>,
    key: SipHash.Key,
    _ make: (_ id: IDKey, _ fingerprint: UInt64) -> Row
  ) {
    let (id, fingerprint) = bytes.withUnsafeBytes { all in
      let row = UnsafeRawBufferPointer(rebasing: all[range])
      let count = Int(row.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
      let id = UnsafeRawBufferPointer(rebasing: row[5..<5 + count])
      return (IDKey(id, key: key), PackedRecord.fingerprint(of: row, key: key))
    }
    rows.append(make(id, fingerprint))
  }

  /// A batch with only one of the rows, under the id that it has.
  func extract(_ row: Row, id: String, text: [UInt8], key: SipHash.Key) -> RowBatch {
    var batch = RowBatch()
    batch.sources = [sources[row.source]]
    withBytes(of: row) { PackedRecord.append($0, id: id, to: &batch.bytes) }
    let range = 0..<batch.bytes.count
    batch.append(range, key: key) { id, fingerprint in
      Row(
        range: range,
        key: id,
        fingerprint: fingerprint,
        source: 0,
        place: row.place,
        record: row.record,
        derivesID: true
      )
    }
    batch.texts = [text]
    return batch
  }

  /// Calls a body with the values of a row.
  func withBytes<Result>(
    of row: Row,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[row.range])) }
  }

  /// The id of a row.
  func id(of row: Row) -> String {
    let start = row.range.lowerBound + 5
    return bytes.withUnsafeBytes { all in
      let count = Int(all.loadUnaligned(fromByteOffset: start - 4, as: UInt32.self))
      return String(decoding: all[start..<start + count], as: UTF8.self)
    }
  }
}

/// The hash of an id: 128 bits, which identify it.
///
/// With a key that only the store knows, two ids have the same hash with a probability of 2⁻¹²⁸.
struct IDKey: Sendable, Hashable {
  let low: UInt64
  let high: UInt64

  init(_ id: UnsafeRawBufferPointer, key: SipHash.Key) {
    (low, high) = SipHash.long(id, key: key)
  }

  init(_ id: String, key: SipHash.Key) {
    var id = id
    (low, high) = id.withUTF8 { SipHash.long(UnsafeRawBufferPointer($0), key: key) }
  }

  private init(low: UInt64, high: UInt64) {
    (self.low, self.high) = (low, high)
  }

  /// The key of an id in a source, given the source's own key; applied again, it undoes this.
  func scoped(to source: IDKey) -> IDKey {
    IDKey(low: low ^ source.low, high: high ^ source.high)
  }
}

/// Turns restaurants into the rows of a batch.
struct RowPacker {
  private(set) var batch = RowBatch()

  private let key: SipHash.Key
  private let keepsTexts: Bool
  private var sourceNumbers: [UTF8Key: Int] = [:]

  /// - Parameters:
  ///   - key: The store's key for hashes.
  ///   - keepsTexts: Whether the records' texts are needed.
  init(key: SipHash.Key, keepsTexts: Bool) {
    self.key = key
    self.keepsTexts = keepsTexts
  }

  /// Returns the batch and starts another one.
  mutating func takeBatch() -> RowBatch {
    defer {
      batch = RowBatch(feedBytes: batch.feedBytes, pageCount: batch.pageCount)
      sourceNumbers = [:]
    }
    return batch
  }

  /// Adds a record.
  mutating func add(_ entry: ImportEntry, text: [UInt8]) {
    switch entry {
    case .known(let row, let place):
      batch.known.append(RowBatch.Known(row: row, place: place, position: batch.rows.count))
    case .read(.rejected(let error), _):
      batch.rejected.append(
        RowBatch.Rejected(error: error, text: text, position: batch.rows.count)
      )
    case .read(.accepted(let record), let recordKey):
      let start = batch.bytes.count
      var restaurant = record.restaurant
      var publicID: String?
      if let own = restaurant.sourceID {
        if UTF8Key(own) != UTF8Key(restaurant.id) { publicID = restaurant.id }
        (restaurant.id, restaurant.sourceID) = (own, nil)
      }
      PackedRecord.append(restaurant, to: &batch.bytes)
      let range = start..<batch.bytes.count
      let source = number(of: record.restaurant.source)
      batch.append(range, key: key) { id, fingerprint in
        RowBatch.Row(
          range: range,
          key: id,
          publicID: publicID,
          fingerprint: fingerprint,
          source: source,
          place: record.place,
          record: recordKey,
          derivesID: record.derivesID
        )
      }
      batch.warnings += record.warnings
      if keepsTexts { batch.texts.append(text) }
    }
  }

  /// Records how far the feed has been read.
  mutating func note(feedBytes: Int, pageCount: Int) {
    (batch.feedBytes, batch.pageCount) = (feedBytes, pageCount)
  }

  private mutating func number(of source: String) -> Int {
    if batch.sources.count == 1, batch.sources[0].utf8.elementsEqual(source.utf8) { return 0 }
    let number = sourceNumbers[UTF8Key(source), default: batch.sources.count]
    if number == batch.sources.count {
      sourceNumbers[UTF8Key(source)] = number
      batch.sources.append(source)
    }
    return number
  }
}

/// Numbers per row, in a separate table; each chunk has 480 of them.
struct RowHashes {
  /// The hash of each imported row, 0 if there is no row.
  ///
  /// An import that finds the same values need not read the row.
  static let fingerprints = RowHashes(table: "geoq_fingerprints")

  /// The key of the record that each row came from: two numbers each, 0 if unknown.
  ///
  /// An import that finds the same bytes need not parse the record.
  static let records = RowHashes(table: "geoq_records")

  private let table: String

  /// Visits all numbers, in ascending order of index; 0 means none.
  func visit(_ db: Database, _ body: (_ place: Int64, _ hash: UInt64) throws -> Void) throws {
    let pieces = try SQLStatement(db, "SELECT chunk, hashes FROM \(table) ORDER BY chunk")
    while try pieces.step() {
      guard let first = RowChunk.firstPlace(ofChunk: pieces.integer(0)) else { continue }
      let bytes = pieces.bytes(1)
      for index in 0..<min(bytes.count / 8, RowChunk.size) {
        try body(first + Int64(index), RowChunk.number(index, of: bytes))
      }
    }
  }

  /// Writes numbers, in ascending order of index, 0 for those that are gone.
  struct Writer {
    private let old: SQLStatement
    private let new: SQLStatement
    private var chunk: Int64 = -1
    private var hashes: [UInt64] = []

    /// Starts writing to a table.
    ///
    /// - Throws: `DatabaseError` if SQLite fails.
    init(_ hashes: RowHashes, _ db: Database) throws {
      old = try SQLStatement(db, "SELECT hashes FROM \(hashes.table) WHERE chunk = ?")
      new = try SQLStatement(
        db,
        "INSERT OR REPLACE INTO \(hashes.table) (chunk, hashes) VALUES (?, ?)"
      )
    }

    mutating func put(_ hash: UInt64, at place: Int64) throws {
      guard (0...Self.lastPlace).contains(place) else { throw Self.strange(place) }
      if place / Int64(RowChunk.size) != chunk {
        try finish()
        chunk = place / Int64(RowChunk.size)
        old.bind(chunk, at: 1)
        hashes = try old.step() ? RowChunk.numbers(old.bytes(0)) : []
        old.reset()
        hashes += repeatElement(0, count: max(0, RowChunk.size - hashes.count))
      }
      hashes[Int(place % Int64(RowChunk.size))] = hash
    }

    /// Far beyond the two places for each of the rows that geoq accepts, because an import adds rows.
    private static let lastPlace = 4 * StoredRows.lastNumber

    /// Another program has given a row a number that geoq does not give.
    private static func strange(_ number: Int64) -> DatabaseError {
      DatabaseError(
        resultCode: .SQLITE_CORRUPT,
        message: "a row of restaurants has the number \(number)"
      )
    }

    /// Writes the key of a row's record.
    mutating func put(_ key: RecordKey, ofRow row: Int64) throws {
      guard (0...Self.lastPlace / 2).contains(row) else { throw Self.strange(row) }
      try put(key.low, at: 2 * row)
      try put(key.high, at: 2 * row + 1)
    }

    /// Writes the last chunk.
    mutating func finish() throws {
      guard chunk >= 0 else { return }
      try RowChunk.bytes(hashes).withUnsafeBytes {
        new.bind(chunk, at: 1)
        new.bind(blob: $0, at: 2)
        try new.run()
      }
    }
  }
}
