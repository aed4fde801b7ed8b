import GeoFeed
import GeoIndex
import GeoQuery

extension FeedImport {
  /// Imports offers or chains: reads the whole feed, compares it, and writes the changes in one
  /// transaction.
  ///
  /// No restaurant changes, so there is neither a new generation nor a new snapshot.
  func run<Item: StoredItem>(_ stream: FeedStream, of item: Item.Type) throws -> ImportReport {
    try withLock { content in
      switch content {
      case .geoq: try update(stream, of: item)
      case .missing, .empty: try create(stream, of: item)
      }
    }
  }

  /// A first import, which creates a database without restaurants.
  private func create<Item: StoredItem>(
    _ stream: FeedStream,
    of item: Item.Type
  ) throws -> ImportReport {
    let none = OfferBook(revision: 0, offers: [], chains: [])
    let comparison = try request.compare(stream, of: item, with: none, generation: 0)
    if options.isDryRun { return comparison.report }
    _ = try make { connection in
      try Schema.create(connection.db, storeID: StoreID())
      var writer = try RowWriter(connection)
      try connection.write(comparison, options)
      return try writer.end(ImportReport(), notice: observer.notice)
    }
    return comparison.report
  }

  private func update<Item: StoredItem>(
    _ stream: FeedStream,
    of item: Item.Type
  ) throws -> ImportReport {
    let store = try RestaurantStore(path: file.path)
    defer { try? store.close() }
    let (book, generation, row) = try store.read { connection in
      (
        try connection.offerBook(), try connection.generation(),
        try connection.source(stream.source, Item.content)
      )
    }
    let comparison = try request.compare(stream, of: item, with: book, generation: generation)
    let isDone = comparison.isNoted(in: row)
    if options.isDryRun || isDone { return comparison.report }
    try store.close()
    try file.write { connection in
      guard try connection.offersRevision() == book.revision else { throw changedMeanwhile }
      try connection.write(comparison, options)
      observer.commit?()
    }
    return comparison.report
  }
}

extension ImportRequest {
  /// Reads a whole feed of offers or chains, and compares it with the contents of a store.
  func compare<Item: StoredItem>(
    _ stream: FeedStream,
    of item: Item.Type,
    with book: OfferBook,
    generation: Int
  ) throws -> OfferComparison<Item> {
    var stream = stream
    var comparison = OfferComparison<Item>(
      source: stream.source,
      book: book,
      generation: generation,
      options: options
    )
    while let entry = try stream.nextOffer() {
      if let error = take(entry, into: &comparison) {
        if options.isStrict { throw error }
        comparison.reject(error)
        try observer.reject?(error, observer.wantsTexts ? stream.recordText : [])
      }
      guard stream.byteCount <= OfferLimits.bytes, stream.recordCount <= OfferLimits.records else {
        throw FeedError(
          source: stream.name,
          problem:
            "the feed has more than \(OfferLimits.records) \(Item.content.rawValue), or more "
            + "than \(OfferLimits.bytes >> 20) MiB"
        )
      }
      observer.progress?(
        ImportProgress(records: comparison.report.read, bytes: stream.byteCount)
      )
    }
    try observer.end?()
    try comparison.finish(name: stream.name, path: store)
    comparison.countUnknownChains(in: book)
    return comparison
  }

  private func take<Item: StoredItem>(
    _ entry: OfferEntry,
    into comparison: inout OfferComparison<Item>
  ) -> FeedError? {
    switch entry {
    case .rejected(let error): return error
    case .chain(_, let place), .offer(_, let place):
      guard let item = Item(entry) else { return place.error("it is of another kind") }
      if case .offer(let offer, _) = entry, let end = offer.expiration, offer.expires == nil {
        let words = "expiration \"\(shortened(end))\" is not a date; the offer counts as valid"
        comparison.warn(place.error(words))
      }
      return comparison.take(item, at: place)
    }
  }
}

/// The limits of an import of offers or chains, which is held in memory.
enum OfferLimits {
  /// The maximum size of the feed in bytes.
  static let bytes = 64 << 20

  /// The maximum number of records.
  static let records = 100_000
}

/// Compares a feed of offers or chains with the contents of the store.
///
/// All of it is in memory, because there are thousands at most.
struct OfferComparison<Item: StoredItem> {
  private(set) var report = ImportReport()

  /// New items, with their public ids.
  private(set) var inserted: [Item] = []

  /// Changed items, with their new values.
  private(set) var updated: [Item] = []

  /// The ids of removed items.
  private(set) var removed: [String] = []

  let source: String
  private let options: ImportOptions
  private let stored: [Item]
  // positions in `stored` of the source's own, by the feed's id
  private let own: [UTF8Key: Int]
  private var items: [Item] = []
  // the position in `items` and the record of each id of the feed
  private var met: [UTF8Key: (position: Int, record: Int)] = [:]
  // the sources of the ids that other sources have
  private let others: [UTF8Key: String]

  init(source: String, book: OfferBook, generation: Int, options: ImportOptions) {
    self.source = source
    self.options = options
    let key = UTF8Key(source)
    let stored = Item.all(in: book)
    self.stored = stored
    let positions = stored.indices.filter { UTF8Key(stored[$0].source) == key }
    own = Dictionary(
      positions.map { (UTF8Key(stored[$0].ownID), $0) },
      uniquingKeysWith: { first, _ in first }
    )
    others = Dictionary(
      stored.filter { UTF8Key($0.source) != key }.map { (UTF8Key($0.id), $0.source) },
      uniquingKeysWith: { first, _ in first }
    )
    report.content = Item.content
    report.generation = generation
  }

  /// Whether anything changes.
  var changesRows: Bool { report.inserted + report.updated + report.removed > 0 }

  /// Whether the store has all of it, and the row of its source says so.
  func isNoted(in row: SourceRow?) -> Bool {
    !changesRows && SourceRow(name: source, options, report, after: row).isNoted(in: row)
  }

  /// Handles the next item; returns an error if it is rejected.
  mutating func take(_ item: Item, at place: FeedPlace) -> FeedError? {
    let id = UTF8Key(item.id)
    if !Item.scopesIDs, let other = others[id] {
      return place.error(
        "id \"\(shortened(item.id))\" is already used by a \(Item.content.singular) from the "
          + "source \"\(shortened(other))\""
      )
    }
    if let (position, record) = met[id] {
      switch options.duplicates {
      case .reject:
        return place.error("id \"\(shortened(item.id))\" is the same as in record \(record)")
      case .first: break
      case .last: items[position] = item
      }
      report.read += 1
      report.repeated += 1
      return nil
    }
    met[id] = (items.count, place.record)
    items.append(item)
    report.read += 1
    return nil
  }

  /// Notes a warning about an accepted record.
  mutating func warn(_ warning: FeedError) { report.add(warnings: [warning]) }

  /// Counts a rejected record.
  mutating func reject(_ error: FeedError) {
    report.read += 1
    report.add(rejected: error)
  }

  /// Ends the comparison.
  ///
  /// - Throws: `FeedError` if all records or too many were rejected; `StoreError` of kind `shrinks`,
  ///   `replaces` or `duplicates` if the feed is probably a mistake.
  mutating func finish(name: String, path: String) throws {
    guard !items.isEmpty || report.rejectedCount == 0 else {
      throw FeedError(source: name, problem: "every record was rejected; nothing was changed")
    }
    if let problem = options.rejectLimit?.problem(report) {
      throw FeedError(source: name, problem: problem)
    }
    let identical = compare()
    if !options.keepsMissing {
      removed = stored.indices.filter { position in
        own[UTF8Key(stored[position].ownID)] == position
          && met[UTF8Key(stored[position].ownID)] == nil
      }.map { stored[$0].id }
      report.removed = removed.count
    }
    let sources = identical.keys.sorted { $0 < $1 }
    let numbers = sources.enumerated().map { (UInt32($0.offset + 1), identical[$0.element] ?? 0) }
    try FeedDoubts(
      path: path,
      content: Item.content,
      before: own.count,
      newOfOwn: report.inserted,
      identical: Dictionary(uniqueKeysWithValues: numbers)
    ).check(report, options, sources: [source] + sources.map(\.text))
  }

  /// Counts the chain ids in the feed's offers that are unknown.
  mutating func countUnknownChains(in book: OfferBook) {
    let references = items.compactMap { $0 as? Offer }.flatMap(\.chains)
    report.unknownChains = Set(references.map { UTF8Key($0) })
      .count { book.chainName(of: $0.text) == nil }
  }

  /// Separates new, changed and unchanged items.
  ///
  /// - Returns: The number of new items that are identical to those of each other source.
  private mutating func compare() -> [UTF8Key: Int] {
    var taken = Set(stored.map { UTF8Key($0.id) })
    var foreign: [UTF8Key: UTF8Key] = [:]
    for item in stored where UTF8Key(item.source) != UTF8Key(source) {
      foreign[item.bareContents] = UTF8Key(item.source)
    }
    var identical: [UTF8Key: Int] = [:]
    var shared: [UTF8Key: Int] = [:]
    for var item in items {
      if let position = own[UTF8Key(item.id)] {
        let old = stored[position]
        if old.sourceID != nil { (item.id, item.sourceID) = (old.id, item.id) }
        if old.contents == item.contents {
          report.unchanged += 1
        } else {
          report.updated += 1
          updated.append(item)
        }
        continue
      }
      if let other = foreign[item.bareContents] { identical[other, default: 0] += 1 }
      if let other = others[UTF8Key(item.id)] { shared[UTF8Key(other), default: 0] += 1 }
      giveID(&item, notIn: &taken)
      report.inserted += 1
      inserted.append(item)
    }
    report.sharedIDs = shared.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { ImportReport.SharedIDs(source: $0.key.text, count: $0.value) }
    return identical
  }

  /// Gives a new item its public id: the feed's own if it is free, otherwise `SOURCE:ID`, otherwise
  /// that with `~2` and so on.
  private func giveID(_ item: inout Item, notIn taken: inout Set<UTF8Key>) {
    let ownID = item.id
    let base = source + ":" + ownID
    var (id, number) = (ownID, 0)
    while !taken.insert(UTF8Key(id)).inserted {
      number += 1
      id = number == 1 ? base : "\(base)~\(number)"
    }
    if number > 0 { (item.id, item.sourceID) = (id, ownID) }
  }
}
