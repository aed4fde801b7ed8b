import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// An import of offers or chains: the feed is read whole, compared, and written in one transaction if
/// something changes.
///
/// No restaurant changes, so there is neither a new generation nor a new snapshot.
struct OfferImport<Item: StoredItem> {
  private let run: FeedImport
  private let file: StoreFile
  private let options: ImportOptions

  init(_ run: FeedImport) {
    self.run = run
    file = run.file
    options = run.options
  }

  /// Reads the feed and writes what is new.
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

  // MARK: - The feed

  /// Reads the feed and holds it against the store.
  private func compare(_ stream: FeedStream, with book: OfferBook) throws -> OfferComparison<Item> {
    var stream = stream
    var comparison = OfferComparison<Item>(source: stream.source, book: book, options: options)
    while let entry = try stream.nextOffer() {
      if let error = take(entry, into: &comparison) {
        if options.isStrict { throw error }
        comparison.reject(error)
        try run.observer.reject?(error, run.observer.wantsTexts ? stream.recordText : [])
      }
      guard stream.byteCount <= OfferLimits.bytes, stream.recordCount <= OfferLimits.records else {
        throw FeedError(
          source: stream.name,
          problem:
            "the feed has more than \(OfferLimits.records) \(Item.content.rawValue), or more "
            + "than \(OfferLimits.bytes >> 20) MiB"
        )
      }
      run.observer.progress?(
        ImportProgress(records: comparison.report.read, bytes: stream.byteCount)
      )
    }
    try run.observer.end?()
    try comparison.finish(name: stream.name, path: file.path)
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

  private func report(
    of comparison: OfferComparison<Item>,
    _ book: OfferBook,
    generation: Int
  ) -> ImportReport {
    var report = comparison.report
    report.generation = generation
    report.unknownChains = comparison.unknownChains(in: book)
    return report
  }

  // MARK: - The store

  /// A first import: the database is made, without a restaurant.
  private func create(_ stream: FeedStream) throws -> ImportReport {
    let book = OfferBook(revision: 0, offers: [], chains: [])
    let comparison = try compare(stream, with: book)
    let report = report(of: comparison, book, generation: 0)
    if options.isDryRun { return report }
    _ = try StoreCreation(run).make { db in
      try Schema.create(db, storeID: StoreID())
      return try ImportCompletion(
        file,
        changes: ImportReport(),
        notice: run.observer.notice,
        noteSources: { try write(comparison, sourceRow(stream, report), to: $0) }
      ).complete(db, StoredPoints(db, path: file.path), SpatialTriggers(settingAside: db))
    }
    return report
  }

  private func update(_ stream: FeedStream) throws -> ImportReport {
    let store = try RestaurantStore(path: file.path)
    defer { try? store.close() }
    let (book, generation, row) = try store.readDatabase { db in
      let reader = StoreReader(db, path: file.path)
      return (
        try reader.offerBook(), try reader.generation(),
        try SourceRow(db, name: stream.source, content: Item.content)
      )
    }
    let comparison = try compare(stream, with: book)
    let report = report(of: comparison, book, generation: generation)
    let newRow = sourceRow(stream, report)
    let isNoted = row?.origin == newRow.origin && row?.rejections == newRow.rejections
    if options.isDryRun || isNoted && !comparison.changesRows { return report }
    try store.close()
    try file.checkFolder()
    try StoreError.wrapping(file.path) {
      let queue = try DatabaseQueue(path: file.absolutePath, configuration: .writing)
      defer { try? queue.close() }
      try queue.write { db in
        try file.checkVersion(db)
        guard try StoreReader(db, path: file.path).offersRevision() == book.revision else {
          throw StoreError(
            .busy,
            path: file.path,
            "another import has changed the database meanwhile; import again"
          )
        }
        try write(comparison, newRow, to: db)
        run.observer.commit?()
      }
      // a busy reader keeps the log for later; the data is safe in it
      _ = try? queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }
    return report
  }

  private func sourceRow(_ stream: FeedStream, _ report: ImportReport) -> SourceRow {
    SourceRow(name: stream.source, origin: options.origin, report: report)
  }

  private func write(
    _ comparison: OfferComparison<Item>,
    _ source: SourceRow,
    to db: Database
  ) throws {
    if comparison.changesRows {
      for id in comparison.removed + comparison.updated.map(\.id) {
        try Item.delete(id, from: db)
      }
      for item in comparison.updated + comparison.inserted { try item.insert(into: db) }
      try OfferTables.noteChange(of: Item.content, in: db)
    }
    try source.save(db, asOfNow: comparison.changesRows)
  }
}

/// How much an import of offers or chains takes: it is held in memory.
enum OfferLimits {
  /// Bytes of the feed.
  static let bytes = 64 << 20

  /// Records of the feed.
  static let records = 100_000
}

extension OfferComparison {
  /// How many chains the feed's offers name by an id that no chain has.
  func unknownChains(in book: OfferBook) -> Int {
    let references = acceptedItems.compactMap { $0 as? Offer }.flatMap(\.chains)
    return Set(references.map { ByteKey($0) }).filter { book.chainName(of: $0.text) == nil }.count
  }
}
