public import GeoFeed
import GeoQuery

/// How an import treats what the store already has.
public struct ImportOptions: Sendable {
  /// Keep records that the feed no longer lists.
  public var keepsMissing = false

  /// Take a feed that is empty or 90 % smaller than what its source had.
  public var allowsShrinking = false

  /// Take a feed that has less than a tenth of the restaurants that its source had, and others instead.
  public var allowsReplacing = false

  /// Take a feed most of whose records are the same as another source's.
  public var allowsDuplicates = false

  /// What becomes of records whose id an earlier record of the feed had.
  public var duplicates = Duplicates.reject

  /// How many records may be left out; nil for any number.
  public var rejectLimit: RejectLimit?

  /// Refuse the whole feed where a record is bad.
  public var isStrict = false

  /// Report what would happen, and write nothing.
  public var isDryRun = false

  /// Where the feed was fetched, and what the server said of its version.
  public var origin: FeedOrigin?

  /// The careful choice: replace what the source had, refuse to shrink.
  public init() {}
}

extension ImportOptions {
  /// What becomes of records whose id an earlier record of the feed had.
  public enum Duplicates: String, Sendable, CaseIterable {
    /// The first record counts, the others are passed over.
    case first
    /// The last record counts.
    case last
    /// The first record counts, the others are rejected.
    case reject
  }

  /// How many records of a feed may be rejected before the import fails.
  public enum RejectLimit: Sendable, Hashable {
    /// A number of records.
    case count(Int)
    /// A percentage of the records read.
    case percent(Double)

    /// What is wrong with a report; nil if it keeps to the limit.
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
  /// The address asked.
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

/// What an import did.
public struct ImportReport: Sendable {
  /// What the records are.
  public var content = FeedContent.restaurants

  /// Records in the feed.
  public var read = 0

  /// Records that are new.
  public var inserted = 0

  /// Records that changed.
  public var updated = 0

  /// Records that are as they were.
  public var unchanged = 0

  /// Records that the feed no longer lists.
  public var removed = 0

  /// Records that were passed over or replaced, as another record of the feed has their id.
  public var repeated = 0

  /// Ids of another source that new records have as well: these got the public id `SOURCE:ID`.
  public var sharedIDs: [SharedIDs] = []

  /// How many chains, among those that the offers of the feed name by id, are not in the store.
  public var unknownChains = 0

  /// How many chains and offers a change of sources removed or updated.
  public var chainsAndOffers: [FeedContent: Int] = [:]

  /// The rejected records by reason.
  public private(set) var rejections = ProblemGroups()

  /// What looked odd in records that were taken, by kind.
  public private(set) var oddities = ProblemGroups()

  /// How many ids a feed shares with a source that had them first.
  public struct SharedIDs: Sendable, Hashable {
    /// The source.
    public let source: String

    /// How many ids.
    public let count: Int
  }

  /// Records left out, each with its place and the reason: the first 10 000 of them.
  public private(set) var rejected: [FeedError] = []

  /// How many records were left out.
  public private(set) var rejectedCount = 0

  /// What looked odd in records that were taken: the first 10 000 of it.
  public private(set) var warnings: [FeedError] = []

  /// How much looked odd in records that were taken.
  public private(set) var warningCount = 0

  /// The generation of the store afterwards.
  public var generation = 0

  /// Makes the report of an import that did nothing.
  public init() {}
}

extension ImportReport {
  /// A feed may be all errors: more than these nobody reads, and memory must not grow with them.
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

/// How far an import has come.
public struct ImportProgress: Sendable, Hashable {
  /// Records read, accepted or not.
  public let records: Int

  /// Bytes of the feed's text read, unpacked where the feed was packed.
  public let bytes: Int

  /// Makes a state of progress.
  public init(records: Int, bytes: Int) {
    self.records = records
    self.bytes = bytes
  }
}
