public import GeoQuery

/// One record of a feed, accepted or rejected.
public enum FeedEntry: Sendable {
  /// A restaurant.
  case accepted(FeedRecord)
  /// The error of a rejected record.
  case rejected(FeedError)
}

/// A restaurant read from a feed.
public struct FeedRecord: Sendable {
  /// The restaurant.
  public var restaurant: Restaurant

  /// The place of its record.
  public let place: FeedPlace

  /// Warnings about its record.
  public let warnings: [FeedError]

  /// Makes a record.
  package init(restaurant: Restaurant, place: FeedPlace, warnings: [FeedError]) {
    self.restaurant = restaurant
    self.place = place
    self.warnings = warnings
  }
}

/// The place of a record in a feed.
public struct FeedPlace: Sendable, Hashable {
  /// The name of the feed in errors.
  public let source: String

  /// The number of the record, from 1.
  public let record: Int

  /// The line of its first byte, from 1.
  public let line: Int

  /// The offset of its first byte, from 0.
  public let byte: Int

  /// Makes a place.
  package init(source: String, record: Int, line: Int, byte: Int) {
    self.source = source
    self.record = record
    self.line = line
    self.byte = byte
  }

  /// An error about the record at this place.
  public func error(_ problem: String) -> FeedError {
    FeedError(source: source, record: record, line: line, byte: byte, problem: problem)
  }
}

/// One record of a feed of offers or chains.
package enum OfferEntry: Sendable {
  /// A chain and its place.
  case chain(Chain, FeedPlace)
  /// An offer and its place.
  case offer(Offer, FeedPlace)
  /// The error of a rejected record.
  case rejected(FeedError)
}

/// One record of an import.
package enum ImportEntry {
  /// A record that was parsed, and the key of its text.
  case read(FeedEntry, RecordKey)
  /// A record with unchanged bytes, by the position of its row in the store.
  case known(Int, FeedPlace)
}
