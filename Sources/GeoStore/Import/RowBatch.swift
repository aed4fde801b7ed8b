import GeoFeed
import GeoQuery

/// Some records of a feed, as rows ready to be bound: what the reading thread hands to the writing one.
///
/// A row is a `PackedRecord`, whose hash tells whether a record changed.
struct RowBatch: Sendable {
  /// One record that is a restaurant.
  struct Row: Sendable {
    /// Where its values lie in `bytes`.
    let range: Range<Int>
    /// The hash of the feed's own id, which is the row's id.
    let key: IDKey
    /// The public id that the record names, if that is another.
    var publicID: String?
    let fingerprint: UInt64
    /// Its source's place in `sources`.
    let source: Int
    let place: FeedPlace
    /// The key of its record's text.
    var record = RecordKey.none
  }

  /// One record that came before.
  struct Known: Sendable {
    /// Its position among the store's rows.
    let row: Int
    let place: FeedPlace
    /// How many rows of the batch stand before it in the feed.
    let position: Int
  }

  /// One record that is none.
  struct Rejected: Sendable {
    let error: FeedError
    let text: [UInt8]
    /// How many rows of the batch stand before it in the feed.
    let position: Int
  }

  var bytes: [UInt8] = []
  var rows: [Row] = []
  var sources: [String] = []
  var known: [Known] = []
  var rejected: [Rejected] = []
  var warnings: [FeedError] = []

  /// The texts of the rows' records, where somebody wants those that are left out later.
  var texts: [[UInt8]] = []

  /// How many bytes of the feed have been read after it.
  var feedBytes = 0

  /// Whether it is worth handing on.
  var isFull: Bool {
    bytes.count >= 1 << 17 || rejected.count + warnings.count >= 1 << 10 || known.count >= 1 << 12
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

/// An id's hash: 128 bits, by which ids are told apart.
///
/// With a key that the store keeps to itself two ids meet with odds of 2⁻¹²⁸.
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

  /// The key of an id in a source, given the source's own; applied again, it takes the source away.
  func scoped(to source: IDKey) -> IDKey {
    IDKey(low: low ^ source.low, high: high ^ source.high)
  }
}
