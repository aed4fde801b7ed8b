public import GeoQuery

/// What a feed gave: its good records, and what was wrong with the others.
public struct Feed: Sendable {
  /// The source of every record that does not name its own.
  public let source: String

  /// What errors call the feed.
  public let name: String

  /// The format that was read.
  public let format: FeedFormat

  /// The accepted records, in the feed's order; ids are unique byte for byte.
  public internal(set) var restaurants: [Restaurant] = []

  /// Records that were left out, each with its place and the reason, in the feed's order.
  public internal(set) var rejected: [FeedError] = []

  /// What looked odd in records that were accepted.
  public internal(set) var warnings: [FeedError] = []

  /// The number of each accepted record in the feed, from 1.
  package var recordNumbers: [Int] = []

  /// How many records the feed has: accepted and rejected.
  public var readCount: Int { restaurants.count + rejected.count }

  init(source: String, name: String? = nil, format: FeedFormat) {
    self.source = source
    self.name = name ?? source
    self.format = format
  }
}
