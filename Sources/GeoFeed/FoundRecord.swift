package import GeoQuery

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

  /// The place of the record.
  package let place: FeedPlace

  /// What has been found.
  package var content: Content

  /// The length of its text, as far as it is read.
  package var byteCount = 0

  /// The key of its text; `none` if the feed's records are not recognized by their text.
  package var key = RecordKey.none

  /// Its text, if it is needed later.
  package var text: [UInt8] = []

  /// Makes a record.
  package init(place: FeedPlace, content: Content) {
    self.place = place
    self.content = content
  }
}

extension RecordReader {
  /// A reader for a feed whose records need no settings.
  package init(format: FeedFormat, source: String) {
    self.init(format: format, source: source, isOwn: false)
  }

  /// Reads the values of a record.
  package func entry(of found: FoundRecord) -> ImportEntry {
    switch found.content {
    case .known(let row): return .known(row, found.place)
    case .broken(let error): return .read(.rejected(error), .none)
    case .read(let entry): return .read(entry, .none)
    case .value(let value):
      do throws(FeedProblem) {
        return try entry(of: value, found)
      } catch {
        return .read(.rejected(found.place.error(error.text)), .none)
      }
    }
  }

  private func entry(
    of value: JSONValue,
    _ found: FoundRecord
  ) throws(FeedProblem) -> ImportEntry {
    var reading = try read(value)
    if found.byteCount > FeedReader.maximumRecordBytes / 2 { try reading.restaurant.checkExport() }
    let namesSource = !reading.restaurant.source.utf8.elementsEqual(source.utf8)
    if overridesSource, namesSource {
      // the record's id was scoped by another source; here it is the feed's own
      (reading.restaurant.source, reading.restaurant.sourceID) = (source, nil)
    }
    let record = FeedRecord(
      restaurant: reading.restaurant,
      place: found.place,
      warnings: reading.warnings.map(found.place.error)
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
