import GeoFeed
import GeoQuery

/// The parameters of an import, for any kind of store.
struct ImportRequest {
  /// The name of the store in errors.
  let store: String
  let options: ImportOptions
  let observer: ImportObserver

  /// Adds to records the chains that they name.
  ///
  /// - Parameters:
  ///   - entries: The feed.
  ///   - chains: Reads the chains of the store; called only if they are needed.
  /// - Returns: The feed, with the chains if it needs them.
  /// - Throws: `FeedError` if the store has no chains.
  func joined<Entries: FeedEntries>(
    _ entries: Entries,
    chains: () throws -> [Chain]
  ) throws -> Entries {
    guard entries.needsChains else { return entries }
    let chains = try chains()
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

  /// Compares the whole feed with the store.
  ///
  /// - Parameters:
  ///   - entries: The feed.
  ///   - stored: The contents of the store.
  ///   - storeID: The store's id.
  ///   - sink: Receives the rows that are new or changed.
  ///   - readFacts: Reads the values of stored rows.
  /// - Returns: The changes.
  /// - Throws: `FeedError` and `StoreError` if the feed is rejected; errors of the observer.
  func compare(
    _ entries: some FeedEntries,
    with stored: consuming StoredRows,
    of storeID: StoreID,
    into sink: inout some RowSink,
    readFacts: @escaping StoredFacts.Read = { _ in [] }
  ) throws -> FeedComparison {
    // an observer that needs the texts of rejected records needs all records read
    let records = observer.wantsTexts ? nil : stored.records
    var comparison = FeedComparison(
      name: entries.name,
      source: entries.source,
      path: store,
      stored: stored,
      key: storeID.key,
      options: options,
      readFacts: readFacts
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
    try comparison.settle(into: &sink) { try observer.reject?($0, $1) }
    try observer.end?()
    try comparison.finish()
    return comparison
  }
}
