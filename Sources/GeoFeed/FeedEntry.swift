public import GeoQuery

/// One record of a feed, taken or left out.
public enum FeedEntry: Sendable {
  /// A restaurant.
  case accepted(FeedRecord)
  /// What is wrong with a record that is none.
  case rejected(FeedError)
}

/// A restaurant as it came out of a feed.
public struct FeedRecord: Sendable {
  /// The restaurant.
  public var restaurant: Restaurant

  /// Where its record stands.
  public let place: FeedPlace

  /// What looked odd about it.
  public let warnings: [FeedError]

  /// Makes a record.
  package init(restaurant: Restaurant, place: FeedPlace, warnings: [FeedError]) {
    self.restaurant = restaurant
    self.place = place
    self.warnings = warnings
  }
}

/// Where a record stands in a feed.
public struct FeedPlace: Sendable, Hashable {
  /// What errors call the feed.
  public let source: String

  /// The record, counted from 1.
  public let record: Int

  /// The line of its first byte, counted from 1.
  public let line: Int

  /// Its first byte, counted from 0.
  public let byte: Int

  /// Makes a place.
  package init(source: String, record: Int, line: Int, byte: Int) {
    self.source = source
    self.record = record
    self.line = line
    self.byte = byte
  }

  /// A problem of the record that stands here.
  public func error(_ problem: String) -> FeedError {
    FeedError(source: source, record: record, line: line, byte: byte, problem: problem)
  }
}

/// One record of a feed of offers or chains.
package enum OfferEntry: Sendable {
  /// A chain, and where it stands.
  case chain(Chain, FeedPlace)
  /// An offer, and where it stands.
  case offer(Offer, FeedPlace)
  /// What is wrong with a record that is none.
  case rejected(FeedError)
}

/// One record of an import.
package enum ImportEntry {
  /// A record that was read, and the key of its text.
  case read(FeedEntry, RecordKey)
  /// A record that came before, by its position among the store's rows.
  case known(Int, FeedPlace)
}
