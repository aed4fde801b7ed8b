import Foundation
import GeoFeed
import GeoQuery

/// The parameters of an import, for any kind of store.
struct ImportRequest {
  /// The name of the store in errors.
  let store: String
  let options: ImportOptions
  let observer: ImportObserver

  /// Adds to records the chains that they name.
  ///
  /// - Throws: `FeedError` if the store has no chains.
  func joined<Entries: FeedEntries>(
    _ entries: Entries,
    chains: () throws -> [Chain]
  ) throws -> Entries {
    guard entries.needsChains else { return entries }
    let chains = try chains()
    guard !chains.isEmpty else {
      throw FeedError(
        source: entries.name,
        problem: "its stores name their chains by id, and the database has no chains; "
          + "import the list of chains (retailers) first"
      )
    }
    var entries = entries
    entries.join(chains)
    return entries
  }

  /// Compares the whole feed with the store.
  ///
  /// - Throws: `FeedError` and `StoreError` if the feed is rejected; errors of the observer.
  func compare(
    _ entries: some FeedEntries,
    with stored: consuming StoredRows,
    of storeID: StoreID,
    into sink: inout some RowSink,
    readFacts: @escaping StoredFacts.Read = { _ in [] }
  ) throws -> FeedComparison {
    // an observer that needs the texts of rejected records needs all records read
    let records = observer.wantsTexts ? nil : stored.records
    var comparison = FeedComparison(
      self,
      of: entries,
      with: stored,
      key: storeID.key,
      readFacts: readFacts
    )
    let pump = FeedPump(
      entries,
      knowing: records,
      key: storeID.key,
      keepsTexts: observer.wantsTexts
    )
    defer { pump.stop() }
    while let batch = try pump.next() {
      try comparison.take(batch, into: &sink) { try observer.reject?($0, $1) }
      observer.progress?(
        ImportProgress(records: comparison.report.read, bytes: batch.feedBytes)
      )
    }
    try comparison.settle(into: &sink) { try observer.reject?($0, $1) }
    try observer.end?()
    try comparison.finish()
    return comparison
  }
}

/// The records of a feed, from a file or from memory; the members are those of `FeedStream`.
protocol FeedEntries: SendableMetatype {
  var name: String { get }
  var source: String { get }
  var byteCount: Int { get }
  var pageCount: Int { get }
  var recordText: [UInt8] { get }
  var reader: RecordReader { get }
  var needsChains: Bool { get }
  mutating func join(_ chains: [Chain])
  mutating func recognize(_ known: KnownRecords?, key: SipHash.Key)
  mutating func nextFound() throws -> FoundRecord?
}

extension FeedStream: FeedEntries {}

/// Reads a feed a few batches ahead of the consumer, on two threads: one finds the records, the other
/// reads their values.
struct FeedPump {
  private let found = BoundedQueue<FoundBatch>(capacity: 4)
  private let rows = BoundedQueue<RowBatch>(capacity: 8)

  /// Starts reading.
  init(
    _ entries: some FeedEntries,
    knowing known: KnownRecords?,
    key: SipHash.Key,
    keepsTexts: Bool
  ) {
    // from here on only one thread uses the feed, and only the other its reader
    nonisolated(unsafe) let feed = entries
    nonisolated(unsafe) let reader = entries.reader
    // values are freed by the thread that has made them: otherwise the two wait for the allocator
    let used = BoundedQueue<FoundBatch>(capacity: .max)
    found.fill { found in
      var feed = feed
      feed.recognize(known, key: key)
      var batch = FoundBatch()
      while var record = try feed.nextFound() {
        if keepsTexts { record.text = feed.recordText }
        batch.add(record)
        guard batch.isFull else { continue }
        (batch.feedBytes, batch.pageCount) = (feed.byteCount, feed.pageCount)
        guard found.put(batch) else { return }
        batch = FoundBatch()
        used.removeAll()
      }
      (batch.feedBytes, batch.pageCount) = (feed.byteCount, feed.pageCount)
      _ = found.put(batch)
    }
    rows.fill { [found] rows in
      var packed = RowBatch()
      while let batch = try found.take() {
        for record in batch.records {
          let text = keepsTexts ? record.text : nil
          packed.add(reader.entry(of: record), text: text, key: key)
        }
        (packed.feedBytes, packed.pageCount) = (batch.feedBytes, batch.pageCount)
        _ = used.put(batch)
        guard packed.isFull else { continue }
        guard rows.put(packed) else { return }
        packed = RowBatch(feedBytes: batch.feedBytes, pageCount: batch.pageCount)
      }
      _ = rows.put(packed)
    }
  }

  /// The next records, or nil after the last.
  ///
  /// - Throws: The error of the feed as a whole.
  func next() throws -> RowBatch? { try rows.take() }

  /// Stops reading; a thread that waits for a pipe ends at its next bytes.
  func stop() {
    rows.cancel()
    found.cancel()
  }
}

/// Records that have been found, passed from one thread of a pump to the other.
private struct FoundBatch: Sendable {
  private(set) var records: [FoundRecord] = []

  /// The number of bytes of the feed read after this batch.
  var feedBytes = 0

  /// The number of its pages read after this batch.
  var pageCount = 1

  private var byteCount = 0

  mutating func add(_ record: FoundRecord) {
    records.append(record)
    byteCount += record.byteCount
  }

  /// Whether it is large enough to be passed on: values take several times the memory of their text.
  var isFull: Bool { byteCount >= 1 << 16 || records.count >= 1 << 10 }
}

/// The records of a feed in memory.
struct KeptEntries: FeedEntries {
  let name: String
  let source: String
  let byteCount = 0
  let pageCount = 1
  let needsChains = false
  let recordText: [UInt8] = []

  private let feed: Feed
  private var position = 0
  private var rejectedPosition = 0

  init(_ feed: Feed) {
    name = feed.name
    source = feed.source
    self.feed = feed
  }

  func join(_ chains: [Chain]) {}

  /// Restaurants have no text.
  func recognize(_ known: KnownRecords?, key: SipHash.Key) {}

  /// They have been read already.
  var reader: RecordReader { RecordReader(format: .geojson, options: FeedReader(source: source)) }

  /// Rejected records are returned in their order among the others, if it is known.
  mutating func nextFound() -> FoundRecord? {
    let record = position < feed.restaurants.count ? feed.recordNumbers[position] : .max
    let place = FeedPlace(source: feed.name, record: record, line: 0, byte: 0)
    if rejectedPosition < feed.rejected.count,
      (feed.rejected[rejectedPosition].record ?? 0) < record
    {
      rejectedPosition += 1
      return FoundRecord(place: place, content: .broken(feed.rejected[rejectedPosition - 1]))
    }
    guard position < feed.restaurants.count else { return nil }
    var restaurant = feed.restaurants[position]
    let derivesID = position < feed.derivesID.count && feed.derivesID[position]
    // the store decides whether it needs the suffix of a position
    if derivesID { restaurant.id = derivedID(for: restaurant) }
    let entry = FeedRecord(
      restaurant: restaurant,
      place: place,
      warnings: position == 0 ? feed.warnings : [],
      derivesID: derivesID
    )
    position += 1
    return FoundRecord(place: place, content: .read(.accepted(entry)))
  }
}

/// The values kept with a row that are not its own.
struct RowChange {
  /// The row number.
  var number: Int64
  var isNew = false
  /// The hash of its contents.
  var fingerprint: UInt64 = 0
  /// The key of the record that it came from.
  var record = RecordKey.none
}

/// Receives new and changed rows.
protocol RowSink {
  /// Receives the packed values of a row.
  mutating func put(_ packed: UnsafeRawBufferPointer, of row: RowChange) throws
}

/// Discards rows.
struct NoSink: RowSink {
  func put(_ packed: UnsafeRawBufferPointer, of row: RowChange) {}
}
