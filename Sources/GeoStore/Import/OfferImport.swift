import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// An import of offers or chains, which reads the whole feed, compares it, and writes the changes
/// in one transaction.
///
/// No restaurant changes, so there is neither a new generation nor a new snapshot.
struct OfferImport<Item: StoredItem> {
  private let run: FeedImport
  private let file: StoreFile
  private let options: ImportOptions
  private let reading: OfferReading<Item>

  init(_ run: FeedImport) {
    self.run = run
    file = run.file
    options = run.options
    reading = OfferReading(request: run.request)
  }

  /// Reads the feed and writes the changes.
  ///
  /// - Throws: As `RestaurantStore.importFeed` does.
  func run(_ stream: FeedStream) throws -> ImportReport {
    _ = try file.content()
    let lock = options.isDryRun ? nil : try ImportLock(database: file.path)
    return try withExtendedLifetime(lock) {
      switch try file.content() {
      case .geoq: try update(stream)
      case .missing, .empty: try create(stream)
      }
    }
  }

  // MARK: - The store

  /// A first import, which creates a database without restaurants.
  private func create(_ stream: FeedStream) throws -> ImportReport {
    let book = OfferBook(revision: 0, offers: [], chains: [])
    let comparison = try reading.compare(stream, with: book)
    let report = reading.report(of: comparison, book, generation: 0)
    if options.isDryRun { return report }
    _ = try StoreCreation(run).make { db in
      try Schema.create(db, storeID: StoreID())
      return try ImportCompletion(
        file,
        changes: ImportReport(),
        notice: run.observer.notice,
        noteSources: { try $0.write(comparison, options, report) }
      ).complete(db, StoredPoints(db, path: file.path), SpatialTriggers(settingAside: db))
    }
    return report
  }

  private func update(_ stream: FeedStream) throws -> ImportReport {
    let store = try RestaurantStore(path: file.path)
    defer { try? store.close() }
    let (book, generation, row) = try store.readDatabase { db in
      let reader = SQLiteConnection(db, path: file.path)
      return (
        try reader.offerBook(), try reader.generation(),
        try reader.source(stream.source, Item.content)
      )
    }
    let comparison = try reading.compare(stream, with: book)
    let report = reading.report(of: comparison, book, generation: generation)
    let newRow = SourceRow(name: stream.source, options, report, after: row)
    let isNoted = newRow.isNoted(in: row)
    if options.isDryRun || isNoted && !comparison.changesRows { return report }
    try store.close()
    try file.write { db in
      let connection = SQLiteConnection(db, path: file.path)
      guard try connection.offersRevision() == book.revision else {
        throw StoreError(
          .busy,
          path: file.path,
          "another import has changed the database meanwhile; import again"
        )
      }
      try connection.write(comparison, options, report)
      run.observer.commit?()
    }
    return report
  }
}
