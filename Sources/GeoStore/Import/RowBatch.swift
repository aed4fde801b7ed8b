import GeoFeed
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
