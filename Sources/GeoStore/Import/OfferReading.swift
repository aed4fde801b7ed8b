import GeoFeed
import GeoQuery

/// Reads a whole feed of offers or chains, and compares it with the contents of a store.
struct OfferReading<Item: StoredItem> {
  let request: ImportRequest

  /// Reads the feed and compares it with the store.
  func compare(_ stream: FeedStream, with book: OfferBook) throws -> OfferComparison<Item> {
    var stream = stream
    var comparison = OfferComparison<Item>(
      source: stream.source,
      book: book,
      options: request.options
    )
    while let entry = try stream.nextOffer() {
      if let error = take(entry, into: &comparison) {
        if request.options.isStrict { throw error }
        comparison.reject(error)
        try request.observer.reject?(error, request.observer.wantsTexts ? stream.recordText : [])
      }
      guard stream.byteCount <= OfferLimits.bytes, stream.recordCount <= OfferLimits.records else {
        throw FeedError(
          source: stream.name,
          problem:
            "the feed has more than \(OfferLimits.records) \(Item.content.rawValue), or more "
            + "than \(OfferLimits.bytes >> 20) MiB"
        )
      }
      request.observer.progress?(
        ImportProgress(records: comparison.report.read, bytes: stream.byteCount)
      )
    }
    try request.observer.end?()
    try comparison.finish(name: stream.name, path: request.store)
    return comparison
  }

  private func take(_ entry: OfferEntry, into comparison: inout OfferComparison<Item>) -> FeedError?
  {
    switch entry {
    case .rejected(let error): return error
    case .chain(_, let place), .offer(_, let place):
      guard let item = Item(entry) else { return place.error("it is of another kind") }
      return comparison.take(item, at: place)
    }
  }

  /// The report of the import.
  func report(
    of comparison: OfferComparison<Item>,
    _ book: OfferBook,
    generation: Int
  ) -> ImportReport {
    var report = comparison.report
    report.generation = generation
    report.unknownChains = comparison.unknownChains(in: book)
    return report
  }
}

/// The limits of an import of offers or chains, which is held in memory.
enum OfferLimits {
  /// The maximum size of the feed in bytes.
  static let bytes = 64 << 20

  /// The maximum number of records.
  static let records = 100_000
}

extension OfferComparison {
  /// The number of chain ids in the feed's offers that are unknown.
  func unknownChains(in book: OfferBook) -> Int {
    let references = acceptedItems.compactMap { $0 as? Offer }.flatMap(\.chains)
    return Set(references.map { UTF8Key($0) }).filter { book.chainName(of: $0.text) == nil }.count
  }
}
