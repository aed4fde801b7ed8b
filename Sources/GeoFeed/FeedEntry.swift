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

  /// Whether its id is derived, because the feed gives none.
  package let derivesID: Bool

  package init(
    restaurant: Restaurant,
    place: FeedPlace,
    warnings: [FeedError],
    derivesID: Bool = false
  ) {
    (self.restaurant, self.place) = (restaurant, place)
    (self.warnings, self.derivesID) = (warnings, derivesID)
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

  package init(source: String, record: Int, line: Int, byte: Int) {
    (self.source, self.record, self.line, self.byte) = (source, record, line, byte)
  }

  /// The error of a record with the id of an earlier one, which names both; `isDerived` if it has
  /// no id of its own.
  package func repetition(of id: String, in earlier: Int, isDerived: Bool) -> FeedError {
    error(
      isDerived
        ? "it has no id of its own, and its name, address and position are those of record \(earlier)"
        : "id \"\(shortened(id))\" is the same as in record \(earlier)"
    )
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

  /// Whether the id of each accepted record is derived.
  package var derivesID: [Bool] = []

  /// The number of records in the feed: accepted and rejected.
  public var readCount: Int { restaurants.count + rejected.count }

  /// Restaurants that are values already, under their own ids.
  package init(_ restaurants: [Restaurant], source: String) {
    self.init(source: source, format: .geojson)
    self.restaurants = restaurants
    recordNumbers = Array(1..<restaurants.count + 1)
  }

  init(source: String, name: String? = nil, format: FeedFormat) {
    (self.source, self.name, self.format) = (source, name ?? source, format)
  }
}

/// A record found in a feed, whose values may be read on another thread.
package struct FoundRecord: Sendable {
  /// What has been found.
  package enum Content: Sendable {
    /// A value to read.
    case value(JSONValue)
    /// The error of its text.
    indirect case broken(FeedError)
    /// An entry that has been read before.
    indirect case read(FeedEntry)
    /// A record with unchanged bytes, by the position of its row in the store.
    case known(Int)
  }

  package let place: FeedPlace
  package var content: Content

  /// The length of its text, as far as it is read.
  package var byteCount = 0

  /// The key of its text; `none` if the feed's records are not recognized by their text.
  package var key = RecordKey.none

  /// A warning about its text.
  package var warning: String?

  /// Its text, if it is needed later.
  package var text: [UInt8] = []

  package init(place: FeedPlace, content: Content) {
    (self.place, self.content) = (place, content)
  }

  /// What a body reads from the value; otherwise the error of the record.
  func read<Result>(_ body: (JSONValue) throws(FeedProblem) -> Result) throws(FeedError) -> Result {
    switch content {
    case .value(let value):
      do throws(FeedProblem) { return try body(value) } catch { throw place.error(error.text) }
    case .broken(let error): throw error
    case .known, .read: preconditionFailure("These records have been read.")
    }
  }
}

extension RecordReader {
  /// Reads the values of a record.
  package func entry(of found: FoundRecord) -> ImportEntry {
    switch found.content {
    case .known(let row): return .known(row, found.place)
    case .read(let entry): return .read(entry, .none)
    case .value, .broken:
      do throws(FeedError) {
        return try found.read { (value) throws(FeedProblem) in try entry(of: value, found) }
      } catch {
        return .read(.rejected(error), .none)
      }
    }
  }

  private func entry(of value: JSONValue, _ found: FoundRecord) throws(FeedProblem) -> ImportEntry {
    var reading = try read(value)
    if found.byteCount > FeedReader.maximumRecordBytes / 2 { try reading.restaurant.checkExport() }
    let namesSource = !reading.restaurant.source.utf8.elementsEqual(options.source.utf8)
    if options.overridesSource, namesSource {
      // the record's id was scoped by another source; here it is the feed's own
      (reading.restaurant.source, reading.restaurant.sourceID) = (options.source, nil)
    }
    let record = FeedRecord(
      restaurant: reading.restaurant,
      place: found.place,
      warnings: (reading.warnings + [found.warning].compactMap(\.self)).map(found.place.error),
      derivesID: reading.derivesID
    )
    // warnings must be repeated, and another source depends on more than the text
    let isRecognized = record.warnings.isEmpty && !namesSource
    return .read(.accepted(record), isRecognized ? found.key : .none)
  }
}

extension Restaurant {
  /// Checks that the record, which is longer as GeoJSON, would still be readable from an export.
  fileprivate func checkExport() throws(FeedProblem) {
    var json = JSONWriter()
    json.feature(Match(restaurant: self), with: GeoJSONRecord.mark)
    guard json.bytes.count <= FeedReader.maximumRecordBytes else {
      throw FeedProblem(
        "the record is longer than \(FeedReader.maximumRecordBytes >> 20) MiB as GeoJSON"
      )
    }
  }
}
