public import GeoFeed
import GeoQuery

/// How an import treats the contents of the store.
public struct ImportOptions: Sendable {
  /// Whether records that the feed no longer lists are kept.
  public var keepsMissing = false

  /// Whether a feed is accepted that is empty or 90% smaller than its source.
  public var allowsShrinking = false

  /// Whether a feed is accepted that keeps fewer than a tenth of its source's restaurants and adds
  /// more new ones than it keeps.
  public var allowsReplacing = false

  /// Whether a feed is accepted most of whose records are identical to another source's.
  public var allowsDuplicates = false

  /// Whether a feed is accepted that moves most of its source by more than a kilometer.
  public var allowsMoving = false

  /// Whether a feed is accepted that empties a field that most of its source has.
  public var allowsLosses = false

  /// What happens to records with the id of an earlier record of the feed.
  public var duplicates = Duplicates.reject

  /// The maximum number of rejected records; nil for no limit.
  public var rejectLimit: RejectLimit?

  /// Whether one bad record rejects the whole feed.
  public var isStrict = false

  /// Whether to report only, and write nothing.
  public var isDryRun = false

  /// The address of the feed, and the version that the server sent.
  public var origin: FeedOrigin?

  /// The attribution of the source; empty to remove it, nil to keep the one it has, or to take that of the
  /// feed's format if it never had one.
  public var attribution: String?

  /// The license of the source, in the same way.
  public var license: String?

  /// The credit of the feed's format.
  var formatCredit: Credit?

  /// The cautious defaults: replaces the source's records, rejects a shrinking feed.
  public init() {}
}

extension ImportOptions {
  /// The address of the feed; the version of its first page is not that of the others.
  func origin(after report: ImportReport) -> FeedOrigin? {
    report.pageCount == 1 ? origin : origin.map { FeedOrigin(address: $0.address) }
  }

  /// What happens to records with the id of an earlier record of the feed.
  public enum Duplicates: String, Sendable, CaseIterable {
    /// The first record is used, the others are ignored.
    case first
    /// The last record is used.
    case last
    /// The first record is used, the others are rejected.
    case reject
  }

  /// The maximum number of rejected records before the import fails.
  public enum RejectLimit: Sendable, Hashable {
    /// A number of records.
    case count(Int)
    /// A percentage of the records read.
    case percent(Double)

    /// The problem of a report; nil if it is within the limit.
    func problem(_ report: ImportReport) -> String? {
      let (isKept, limit) =
        switch self {
        case .count(let count): (report.rejectedCount <= count, "\(count)")
        case .percent(let percent):
          (
            Double(report.rejectedCount) * 100 <= percent * Double(report.read),
            "\(wholeNumber("\(percent)").map(String.init) ?? "\(percent)")%"
          )
        }
      if isKept { return nil }
      return
        "\(report.rejectedCount) of \(report.read) records were rejected, more than the limit of "
        + "\(limit); nothing was changed"
    }
  }
}

/// The address of a fetched feed, with the validators of RFC 9110 §8.8.
public struct FeedOrigin: Sendable, Hashable {
  /// The requested address.
  public var address: String

  /// The server's `ETag`.
  public var etag: String?

  /// The server's `Last-Modified`.
  public var lastModified: String?

  /// Makes an origin.
  public init(address: String, etag: String? = nil, lastModified: String? = nil) {
    self.address = address
    self.etag = etag
    self.lastModified = lastModified
  }
}

/// The counts and problems of an import.
public struct ImportReport: Sendable {
  /// What the records are.
  public var content = FeedContent.restaurants

  /// The number of records in the feed.
  public var read = 0

  /// The number of pages that the feed was fetched in.
  public internal(set) var pageCount = 1

  /// The number of new records.
  public var inserted = 0

  /// The number of changed records.
  public var updated = 0

  /// The number of unchanged records.
  public var unchanged = 0

  /// The number of records removed because the feed no longer lists them.
  public var removed = 0

  /// The number of records ignored or replaced because another record of the feed has the same id.
  public var repeated = 0

  /// The ids that new records share with another source, which got the public id `SOURCE:ID`.
  public var sharedIDs: [SharedIDs] = []

  /// The number of chains that the feed's offers name but the store does not have.
  public var unknownChains = 0

  /// The number of corrected values that the feeds have by now.
  public internal(set) var correctionsInFeed = 0

  /// The number of corrected restaurants that are gone.
  public internal(set) var correctionsGone = 0

  /// The number of chains and offers that a change of sources removed or updated.
  public var chainsAndOffers: [FeedContent: Int] = [:]

  /// The rejected records by reason.
  package private(set) var rejections = ProblemGroups()

  /// The warnings about accepted records, by kind.
  package private(set) var oddities = ProblemGroups()

  /// The number of ids that a feed shares with a source that had them first.
  public struct SharedIDs: Sendable, Hashable {
    /// The source.
    public let source: String

    /// The number of ids.
    public let count: Int
  }

  /// The rejected records, each with its place and the reason: at most the first 10 000.
  public private(set) var rejected: [FeedError] = []

  /// The number of rejected records.
  public private(set) var rejectedCount = 0

  /// The warnings about accepted records: at most the first 10 000.
  public private(set) var warnings: [FeedError] = []

  /// The number of warnings about accepted records.
  public private(set) var warningCount = 0

  /// The generation of the store after the import.
  public var generation = 0

  /// Makes the report of an import that did nothing.
  public init() {}
}

extension ImportReport {
  /// The number of errors that are kept, so that memory stays bounded.
  private static let keptCount = 10_000

  /// Adds the counts of another import.
  package mutating func add(_ other: ImportReport) {
    read += other.read
    inserted += other.inserted
    updated += other.updated
    unchanged += other.unchanged
    removed += other.removed
    repeated += other.repeated
    rejectedCount += other.rejectedCount
    generation = max(generation, other.generation)
  }

  mutating func add(rejected error: FeedError) {
    rejectedCount += 1
    rejections.add(error)
    if rejected.count < Self.keptCount { rejected.append(error) }
  }

  mutating func add(warnings more: [FeedError]) {
    warningCount += more.count
    for warning in more { oddities.add(warning) }
    warnings += more.prefix(Self.keptCount - warnings.count)
  }
}

/// The progress of an import.
public struct ImportProgress: Sendable, Hashable {
  /// The number of records read, whether accepted or not.
  public let records: Int

  /// The number of bytes read, after decompression.
  public let bytes: Int

  /// Makes a state of progress.
  public init(records: Int, bytes: Int) {
    self.records = records
    self.bytes = bytes
  }
}
