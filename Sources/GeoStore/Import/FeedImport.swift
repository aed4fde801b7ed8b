import GRDB
import GeoFeed
import GeoQuery

/// One import, from the feed's first record to the last file beside the database.
struct FeedImport {
  let file: StoreFile
  let options: ImportOptions
  let observer: ImportObserver

  /// Reads the feed and writes what is new.
  func run(_ entries: some FeedEntries) throws -> ImportReport {
    _ = try file.content()
    let lock = options.isDryRun ? nil : try ImportLock(database: file.path)
    return try withExtendedLifetime(lock) {
      let content = try file.content()
      let entries = try joined(entries, content)
      return switch content {
      case .geoq: try StoreUpdate(self).run(entries)
      case .missing, .empty: try StoreCreation(self).run(entries)
      }
    }
  }

  /// Gives stores the chains that they name.
  ///
  /// - Throws: `FeedError` if the store has no chains.
  private func joined<Entries: FeedEntries>(
    _ entries: Entries,
    _ content: StoreFile.Content
  ) throws -> Entries {
    guard entries.needsChains else { return entries }
    var chains: [Chain] = []
    if content == .geoq {
      let store = try RestaurantStore(path: file.path)
      defer { try? store.close() }
      chains = try store.chains()
    }
    guard !chains.isEmpty else {
      throw FeedError(
        source: entries.name,
        problem: "its stores name their chains by id, and the database has no chains; "
          + "import the list of chains (retailers) first"
      )
    }
    var entries = entries
    entries.join(chains)
    return entries
  }

  /// Holds the whole feed against the store.
  ///
  /// - Parameters:
  ///   - entries: The feed.
  ///   - stored: What the store has.
  ///   - storeID: The store's id.
  ///   - sink: Gets the rows that are new or changed.
  /// - Returns: What changes.
  /// - Throws: `FeedError` and `StoreError` where the feed is refused; what the observer throws.
  func compare(
    _ entries: some FeedEntries,
    with stored: consuming StoredRows,
    of storeID: StoreID,
    into sink: inout some RowSink
  ) throws -> FeedComparison {
    // whoever keeps the texts of what is left out needs all of them
    let records = observer.wantsTexts ? nil : stored.records
    var comparison = FeedComparison(
      name: entries.name,
      source: entries.source,
      path: file.path,
      stored: stored,
      key: storeID.key,
      options: options
    )
    let pump = FeedPump(
      entries,
      knowing: records,
      key: storeID.key,
      keepsTexts: observer.wantsTexts
    )
    defer { pump.stop() }
    while let batch = try pump.next() {
      try comparison.take(batch, into: &sink) { try observer.reject?($0, $1) }
      observer.progress?(
        ImportProgress(records: comparison.report.read, bytes: batch.feedBytes)
      )
    }
    try observer.end?()
    try comparison.finish()
    return comparison
  }
}
