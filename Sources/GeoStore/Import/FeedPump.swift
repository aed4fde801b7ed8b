import Foundation
import GeoFeed
import GeoQuery

/// The records of a feed, from a file or from memory.
protocol FeedEntries: SendableMetatype {
  /// The name of the feed in errors.
  var name: String { get }

  /// The source of records that name none.
  var source: String { get }

  /// The number of bytes of the feed read so far.
  var byteCount: Int { get }

  /// The bytes of the last record, if they are buffered.
  var recordText: [UInt8] { get }

  /// Whether the records name chains that are not in the feed.
  var needsChains: Bool { get }

  /// Adds to records the chains that they name.
  mutating func join(_ chains: [Chain])

  /// From now on recognizes records with unchanged bytes, if that is possible.
  mutating func recognize(_ known: KnownRecords?, key: SipHash.Key)

  /// The next record, or nil after the last.
  mutating func nextOfImport() throws -> ImportEntry?
}

extension FeedStream: FeedEntries {}

extension FeedEntries {
  var needsChains: Bool { false }

  mutating func join(_ chains: [Chain]) {}
}

/// Reads a feed on a separate thread, a few batches ahead of the consumer.
struct FeedPump {
  private let queue = BoundedQueue<RowBatch>(capacity: 8)

  /// Starts reading.
  ///
  /// - Parameters:
  ///   - entries: The feed.
  ///   - known: The records of the last import; nil if they are not known.
  ///   - key: The store's key for hashes.
  ///   - keepsTexts: Whether the records' texts are needed.
  init(
    _ entries: some FeedEntries,
    knowing known: KnownRecords?,
    key: SipHash.Key,
    keepsTexts: Bool
  ) {
    // from here on only the thread uses the feed
    nonisolated(unsafe) let feed = entries
    let thread = Thread { [queue] in
      var feed = feed
      var packer = RowPacker(key: key, keepsTexts: keepsTexts)
      feed.recognize(known, key: key)
      do {
        while let entry = try feed.nextOfImport() {
          packer.add(entry, text: feed.recordText)
          guard packer.batch.isFull else { continue }
          packer.note(feedBytes: feed.byteCount)
          guard queue.put(packer.takeBatch()) else { break }
        }
        packer.note(feedBytes: feed.byteCount)
        _ = queue.put(packer.takeBatch())
        queue.finish()
      } catch {
        queue.finish(error)
      }
    }
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// The next records, or nil after the last.
  ///
  /// - Throws: The error of the feed as a whole.
  func next() throws -> RowBatch? { try queue.take() }

  /// Stops reading; a thread that waits for a pipe ends at its next bytes.
  func stop() { queue.cancel() }
}

/// The records of a feed in memory.
struct KeptEntries: FeedEntries {
  let name: String
  let source: String
  let byteCount = 0
  let recordText: [UInt8] = []

  private let feed: Feed
  private var position = 0
  private var rejectedPosition = 0

  init(_ feed: Feed) {
    name = feed.name
    source = feed.source
    self.feed = feed
  }

  /// Restaurants have no text.
  func recognize(_ known: KnownRecords?, key: SipHash.Key) {}

  mutating func nextOfImport() -> ImportEntry? { next().map { .read($0, .none) } }

  /// Rejected records are returned in their order among the others, if it is known.
  mutating func next() -> FeedEntry? {
    let record = position < feed.restaurants.count ? feed.recordNumbers[position] : .max
    if rejectedPosition < feed.rejected.count,
      (feed.rejected[rejectedPosition].record ?? 0) < record
    {
      rejectedPosition += 1
      return .rejected(feed.rejected[rejectedPosition - 1])
    }
    guard position < feed.restaurants.count else { return nil }
    let place = FeedPlace(source: feed.name, record: record, line: 0, byte: 0)
    let entry = FeedRecord(
      restaurant: feed.restaurants[position],
      place: place,
      warnings: position == 0 ? feed.warnings : []
    )
    position += 1
    return .accepted(entry)
  }
}
