import GeoFeed
import GeoIndex
import GeoQuery

/// Turns restaurants into the rows of a batch.
struct RowPacker {
  private(set) var batch = RowBatch()

  private let key: SipHash.Key
  private let keepsTexts: Bool
  private var sourceNumbers: [UTF8Key: Int] = [:]

  /// - Parameters:
  ///   - key: The store's key for hashes.
  ///   - keepsTexts: Whether the records' texts are needed.
  init(key: SipHash.Key, keepsTexts: Bool) {
    self.key = key
    self.keepsTexts = keepsTexts
  }

  /// Returns the batch and starts another one.
  mutating func takeBatch() -> RowBatch {
    defer {
      batch = RowBatch(feedBytes: batch.feedBytes, pageCount: batch.pageCount)
      sourceNumbers = [:]
    }
    return batch
  }

  /// Adds a record.
  mutating func add(_ entry: ImportEntry, text: [UInt8]) {
    switch entry {
    case .known(let row, let place):
      batch.known.append(RowBatch.Known(row: row, place: place, position: batch.rows.count))
    case .read(.rejected(let error), _):
      batch.rejected.append(
        RowBatch.Rejected(error: error, text: text, position: batch.rows.count)
      )
    case .read(.accepted(let record), let recordKey):
      let start = batch.bytes.count
      var restaurant = record.restaurant
      var publicID: String?
      if let own = restaurant.sourceID {
        if UTF8Key(own) != UTF8Key(restaurant.id) { publicID = restaurant.id }
        (restaurant.id, restaurant.sourceID) = (own, nil)
      }
      PackedRecord.append(restaurant, to: &batch.bytes)
      let range = start..<batch.bytes.count
      let source = number(of: record.restaurant.source)
      batch.append(range, key: key) { id, fingerprint in
        RowBatch.Row(
          range: range,
          key: id,
          publicID: publicID,
          fingerprint: fingerprint,
          source: source,
          place: record.place,
          record: recordKey,
          derivesID: record.derivesID
        )
      }
      batch.warnings += record.warnings
      if keepsTexts { batch.texts.append(text) }
    }
  }

  /// Records how far the feed has been read.
  mutating func note(feedBytes: Int, pageCount: Int) {
    (batch.feedBytes, batch.pageCount) = (feedBytes, pageCount)
  }

  private mutating func number(of source: String) -> Int {
    if batch.sources.count == 1, batch.sources[0].utf8.elementsEqual(source.utf8) { return 0 }
    let number = sourceNumbers[UTF8Key(source), default: batch.sources.count]
    if number == batch.sources.count {
      sourceNumbers[UTF8Key(source)] = number
      batch.sources.append(source)
    }
    return number
  }
}
