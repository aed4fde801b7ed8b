/// How an import treats what the store already has.
public struct ImportOptions: Sendable {
  /// Keep records that the feed no longer lists.
  public var keepsMissing = false

  /// Take a feed that is empty or 90 % smaller than what its source had.
  public var allowsShrinking = false

  /// Refuse the whole feed where a record is bad.
  public var isStrict = false

  /// Report what would happen, and write nothing.
  public var isDryRun = false

  /// Where the feed was fetched, and what the server said of its version.
  public var origin: FeedOrigin?

  /// The careful choice: replace what the source had, refuse to shrink.
  public init() {}
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

  /// Records left out, each with its place and the reason.
  public var rejected: [FeedError] = []

  /// What looked odd in records that were taken.
  public var warnings: [FeedError] = []

  /// The generation of the store afterwards.
  public var generation = 0

  /// Makes the report of an import that did nothing.
  public init() {}
}
