import Foundation
import GeoFeed
import GeoQuery

/// The records of a feed, wherever they come from.
protocol FeedEntries: SendableMetatype {
  /// What errors call the feed.
  var name: String { get }

  /// The source of records that name none of their own.
  var source: String { get }

  /// How many bytes of the feed have been read.
  var byteCount: Int { get }

  /// The bytes of the last record, where they are at hand.
  var recordText: [UInt8] { get }

  /// Whether the records name chains that they do not bring along.
  var needsChains: Bool { get }

  /// Gives records the chains that they name.
  mutating func join(_ chains: [Chain])

  /// From now on takes records that came before for known, where that is possible.
  mutating func recognise(_ known: KnownRecords?, key: SipHash.Key)

  /// The next record, or nil after the last.
  mutating func nextOfImport() throws -> ImportEntry?
}

extension FeedStream: FeedEntries {}

extension FeedEntries {
  var needsChains: Bool { false }

  mutating func join(_ chains: [Chain]) {}
}

/// Reads a feed on a thread of its own, a few batches ahead of whoever takes them.
struct FeedPump {
  private let queue = BoundedQueue<RowBatch>(capacity: 8)

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - entries: The feed.
  ///   - known: The records that the store was filled from; nil where none are known.
  ///   - key: The store's key for hashes.
  ///   - keepsTexts: Whether the records' own texts are wanted.
  init(
    _ entries: some FeedEntries,
    knowing known: KnownRecords?,
    key: SipHash.Key,
    keepsTexts: Bool
  ) {
    // the thread is the only one that touches the feed from here on
    nonisolated(unsafe) let feed = entries
    let thread = Thread { [queue] in
      var feed = feed
      var packer = RowPacker(key: key, keepsTexts: keepsTexts)
      feed.recognise(known, key: key)
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
  /// - Throws: What is wrong with the feed as a whole.
  func next() throws -> RowBatch? { try queue.take() }

  /// Stops reading; a thread that waits for a pipe ends when that says something.
  func stop() { queue.cancel() }
}

/// The records of a feed that is in memory.
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
  func recognise(_ known: KnownRecords?, key: SipHash.Key) {}

  mutating func nextOfImport() -> ImportEntry? { next().map { .read($0, .none) } }

  /// The records left out come at their places among the others, as far as these are known.
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
