import GeoFeed
import GeoQuery

/// An import of offers or chains into PostgreSQL, as `OfferImport` for files.
struct PostgresOfferImport<Item: StoredItem> {
  private let run: PostgresImport

  init(_ run: PostgresImport) {
    self.run = run
  }

  /// Reads the feed and writes what is new.
  func run(_ stream: FeedStream) throws -> ImportReport {
    let reading = OfferReading<Item>(request: run.request)
    let (connection, options) = (run.connection, run.request.options)
    return try run.transaction(of: stream.source) {
      let book = try connection.offerBook()
      let generation = try connection.generation()
      let old = try connection.source(stream.source, Item.content)
      let comparison = try reading.compare(stream, with: book)
      let report = reading.report(of: comparison, book, generation: generation)
      let new = SourceRow(name: stream.source, options, report, after: old)
      if options.isDryRun || new.isNoted(in: old) && !comparison.changesRows { return report }
      try connection.write(comparison, options, report)
      run.request.observer.commit?()
      return report
    }
  }
}
