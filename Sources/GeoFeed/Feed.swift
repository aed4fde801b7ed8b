public import GeoQuery

/// The contents of a feed: its accepted records, and the errors of the others.
public struct Feed: Sendable {
  /// The source of every record that does not name its own.
  public let source: String

  /// The name of the feed in errors.
  public let name: String

  /// The format that was read.
  public let format: FeedFormat

  /// The accepted records, in the feed's order; ids are unique byte for byte.
  public internal(set) var restaurants: [Restaurant] = []

  /// The errors of the rejected records, each with its place and the reason, in the feed's order.
  public internal(set) var rejected: [FeedError] = []

  /// Warnings about accepted records.
  public internal(set) var warnings: [FeedError] = []

  /// The number of each accepted record in the feed, from 1.
  package var recordNumbers: [Int] = []

  /// The number of records in the feed: accepted and rejected.
  public var readCount: Int { restaurants.count + rejected.count }

  init(source: String, name: String? = nil, format: FeedFormat) {
    self.source = source
    self.name = name ?? source
    self.format = format
  }
}
