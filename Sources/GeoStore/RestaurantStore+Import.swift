public import GeoFeed
public import GeoQuery

/// Receives the events of an import.
///
/// The blocks run on the thread that called the import.
public struct ImportObserver {
  /// Called for each rejected record, with the bytes of its text if these are needed and buffered.
  public var reject: ((FeedError, [UInt8]) throws -> Void)?

  /// Whether `reject` needs the texts.
  public var wantsTexts = false

  /// Called with the progress of the import, several times a second.
  public var progress: ((ImportProgress) -> Void)?

  /// Called when the whole feed has been read, before it is accepted or rejected.
  public var end: (() throws -> Void)?

  /// Called right before the import becomes final; a process that ends before has changed nothing.
  public var commit: (() -> Void)?

  /// Called with a problem that does not stop the import: a snapshot that cannot be written.
  public var notice: ((String) -> Void)?

  /// An observer that ignores everything.
  public init() {}
}

extension RestaurantStore {
  /// Imports a feed into a database, which is created if necessary.
  ///
  /// A feed of chains or offers changes no restaurant, and so not the generation.
  ///
  /// The import is one transaction: either the whole feed is imported or nothing changes. Records
  /// of the same source that the feed no longer lists are removed. A feed that changes nothing does
  /// not touch the file. The feed is not held in memory; the ids, and later the index, take about
  /// 60 bytes per restaurant.
  ///
  /// - Parameters:
  ///   - stream: The records.
  ///   - path: The database file.
  ///   - options: How to treat the contents of the store.
  ///   - observer: Receives progress and notices.
  /// - Returns: The counts and the rejected records. Of two records with one id, the later is
  ///   rejected by default.
  /// - Throws: `FeedError` if the feed as a whole is bad, if every record was rejected, or for the
  ///   first bad record if the options are strict; `StoreError` if the file is not geoq's,
  ///   is newer, damaged, busy or cannot be written, or if the feed would remove most of its
  ///   source's records; errors of the observer.
  @discardableResult
  public static func importFeed(
    from stream: FeedStream,
    into path: String,
    options: ImportOptions = ImportOptions(),
    observer: ImportObserver = ImportObserver()
  ) throws -> ImportReport {
    var options = options
    options.formatCredit = stream.format.credit
    let run = FeedImport(file: StoreFile(path: path), options: options, observer: observer)
    return switch stream.format.content {
    case .restaurants: try run.run(stream)
    case .chains: try OfferImport<Chain>(run).run(stream)
    case .offers: try OfferImport<Offer>(run).run(stream)
    }
  }

  /// Imports a feed in memory into a database, like `importFeed(from:into:options:observer:)`.
  @discardableResult
  public static func importFeed(
    _ feed: Feed,
    into path: String,
    options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    let file = StoreFile(path: path)
    return try FeedImport(file: file, options: options, observer: ImportObserver())
      .run(KeptEntries(feed))
  }
}

extension RestaurantStore {
  /// Adds restaurants to a database, which is created if necessary, and replaces those of the source
  /// that have the same ids; the others stay.
  ///
  /// ```swift
  /// try RestaurantStore.upsert(restaurants, source: "app", into: "lunch.db")
  /// ```
  ///
  /// One transaction, like an import. A public id gets the source before it if another source has it.
  ///
  /// - Parameters:
  ///   - restaurants: The restaurants, each under its id in the source; their own sources do not count.
  ///   - source: The source.
  ///   - path: The database file.
  /// - Returns: The counts, and the new generation if a restaurant is new or has changed.
  /// - Throws: `FeedError` with the number of the first restaurant that cannot be kept or has the id of
  ///   an earlier one; `StoreError` as `importFeed(_:into:options:)`. Nothing is then changed.
  @discardableResult
  public static func upsert(
    _ restaurants: [Restaurant],
    source: String,
    into path: String
  ) throws -> ImportReport {
    var restaurants = restaurants
    for index in restaurants.indices {
      restaurants[index].source = source
      restaurants[index].sourceID = nil
      if let fault = restaurants[index].fault {
        throw FeedError(source: source, record: index + 1, problem: "the restaurant \(fault)")
      }
    }
    var options = ImportOptions()
    (options.keepsMissing, options.isStrict) = (true, true)
    // the caller says what changes: nothing is doubted
    (options.allowsMoving, options.allowsLosses, options.allowsDuplicates) = (true, true, true)
    (options.allowsShrinking, options.allowsReplacing) = (true, true)
    return try importFeed(Feed(restaurants, source: source), into: path, options: options)
  }

  /// Adds and replaces restaurants of this database as ``upsert(_:source:into:)`` does.
  @discardableResult
  public func upsert(_ restaurants: [Restaurant], source: String) throws -> ImportReport {
    try Self.upsert(restaurants, source: source, into: path)
  }

  /// Adds and replaces restaurants as the other function does, and does not block the caller's actor.
  @discardableResult
  public func upsert(_ restaurants: [Restaurant], source: String) async throws -> ImportReport {
    try Self.upsert(restaurants, source: source, into: path)
  }

  /// Imports a feed in memory as the other function does, and does not block the caller's actor.
  @discardableResult
  public static func importFeed(
    _ feed: Feed,
    into path: String,
    options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    let file = StoreFile(path: path)
    return try FeedImport(file: file, options: options, observer: ImportObserver())
      .run(KeptEntries(feed))
  }
}

extension RestaurantStore {
  /// Removes the temporary files of an import of this process, which is about to be killed.
  ///
  /// Does nothing without an import of this process.
  package static func removeTemporaries(ofImportInto path: String) {
    guard ImportLock.isHeldByThisProcess(database: path) else { return }
    let generation = try? RestaurantStore(path: path).edition().generation
    let files = SnapshotFiles(database: StoreFile(path: path).resolvedPath)
    files.sweepTemporaries(beyond: -1)
    files.sweep(keeping: generation ?? -1)
    ImportLock.remove(database: path)
  }
}
