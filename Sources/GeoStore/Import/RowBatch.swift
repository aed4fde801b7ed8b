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

  /// A record, in the feed's order.
  enum Entry: Sendable {
    /// A restaurant, by its position in `rows`.
    case row(Int)
    /// A record with unchanged bytes, by the position of its row in the store.
    case known(Int, FeedPlace)
    /// A rejected record, by its position in `rejected`.
    case rejected(Int)
  }

  var bytes: [UInt8] = []
  var rows: [Row] = []
  var sources: [String] = []
  var entries: [Entry] = []
  var rejected: [(error: FeedError, text: [UInt8])] = []
  var warnings: [FeedError] = []

  /// The texts of the rows' records, if the observer needs those of later rejections.
  var texts: [[UInt8]] = []

  /// The number of bytes of the feed read after this batch.
  var feedBytes: Int

  /// The number of the feed's pages read after this batch.
  var pageCount: Int

  private var sourceNumbers: [UTF8Key: Int] = [:]

  init(feedBytes: Int = 0, pageCount: Int = 1) {
    (self.feedBytes, self.pageCount) = (feedBytes, pageCount)
  }

  /// Whether it is large enough to be passed on.
  var isFull: Bool {
    bytes.count >= 1 << 17 || rejected.count + warnings.count >= 1 << 10 || entries.count >= 1 << 12
  }

  /// Adds a record.
  mutating func add(_ entry: ImportEntry, text: [UInt8]?, key: SipHash.Key) {
    switch entry {
    case .known(let row, let place): entries.append(.known(row, place))
    case .read(.rejected(let error), _):
      entries.append(.rejected(rejected.count))
      rejected.append((error, text ?? []))
    case .read(.accepted(let record), let recordKey):
      let start = bytes.count
      var restaurant = record.restaurant
      var publicID: String?
      if let own = restaurant.sourceID {
        if UTF8Key(own) != UTF8Key(restaurant.id) { publicID = restaurant.id }
        (restaurant.id, restaurant.sourceID) = (own, nil)
      }
      PackedRecord.append(restaurant, to: &bytes)
      let range = start..<bytes.count
      let source = number(of: record.restaurant.source)
      entries.append(.row(rows.count))
      append(range, key: key) { id, fingerprint in
        Row(
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
      warnings += record.warnings
      if let text { texts.append(text) }
    }
  }

  private mutating func number(of source: String) -> Int {
    if sources.count == 1, sources[0].utf8.elementsEqual(source.utf8) { return 0 }
    let number = sourceNumbers[UTF8Key(source), default: sources.count]
    if number == sources.count {
      sourceNumbers[UTF8Key(source)] = number
      sources.append(source)
    }
    return number
  }

  /// Makes the row of a record whose bytes have been appended, and adds it.
  private mutating func append(
    _ range: Range<Int>,
    key: SipHash.Key,
    _ make: (_ id: IDKey, _ fingerprint: UInt64) -> Row
  ) {
    let (id, fingerprint) = bytes.withUnsafeBytes { all in
      let row = UnsafeRawBufferPointer(rebasing: all[range])
      let id = IDKey(PackedRecord.id(of: row), key: key)
      return (id, PackedRecord.fingerprint(of: row, key: key))
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
    withBytes(of: row) { String(decoding: PackedRecord.id(of: $0), as: UTF8.self) }
  }
}

extension PackedRecord {
  /// The id of a record, its first value: the number of its field, four bytes of length, the text.
  static func id(of record: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let count = Int(record.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
    return UnsafeRawBufferPointer(rebasing: record[5..<5 + count])
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
