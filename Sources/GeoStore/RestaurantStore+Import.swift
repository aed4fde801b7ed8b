public import GeoFeed
import GeoQuery

/// What an import tells while it works.
///
/// The blocks run on the thread that called the import.
public struct ImportObserver {
  /// Gets each record that is left out, with the bytes of its text where these are wanted and at hand.
  public var reject: ((FeedError, [UInt8]) throws -> Void)?

  /// Whether `reject` wants the texts.
  public var wantsTexts = false

  /// Hears how far the import has come, some times a second.
  public var progress: ((ImportProgress) -> Void)?

  /// Hears that the feed has been read to its end, before it is decided whether it is taken.
  public var end: (() throws -> Void)?

  /// Is called right before the import becomes final; what ends the process before undoes it.
  public var commit: (() -> Void)?

  /// Hears what does not stop the import: a snapshot that cannot be written.
  public var notice: ((String) -> Void)?

  /// Hears nothing.
  public init() {}
}

extension RestaurantStore {
  /// Brings a feed into a database, which is made where there is none.
  ///
  /// A feed of chains or of offers changes these and no restaurant: it makes no new generation.
  ///
  /// One transaction: afterwards the store has the feed entirely, or is as it was. A record of the
  /// same source that the feed no longer lists is removed. A feed that changes nothing leaves the
  /// file's bytes alone. The feed itself is never in memory; the ids, and later the index that is
  /// built, take some 60 bytes a restaurant.
  ///
  /// - Parameters:
  ///   - stream: The records.
  ///   - path: The database file.
  ///   - options: How to treat what the store already has.
  ///   - observer: Who hears how it goes.
  /// - Returns: The counts, and what was rejected. Records whose id belongs to another source are
  ///   rejected too, and of two records with one id the later.
  /// - Throws: `FeedError` where the feed as a whole is at fault, where every record was rejected, or
  ///   for the first bad one where the options are strict; `StoreError` where the file is not geoq's,
  ///   is newer, damaged, busy or cannot be written, or where the feed would take most of its source's
  ///   records away; what the observer throws.
  @discardableResult
  public static func importFeed(
    from stream: FeedStream,
    into path: String,
    options: ImportOptions = ImportOptions(),
    observer: ImportObserver = ImportObserver()
  ) throws -> ImportReport {
    let run = FeedImport(file: StoreFile(path: path), options: options, observer: observer)
    return switch stream.format.content {
    case .restaurants: try run.run(stream)
    case .chains: try OfferImport<Chain>(run).run(stream)
    case .offers: try OfferImport<Offer>(run).run(stream)
    }
  }

  /// Brings a feed that is in memory into a database, as `importFeed(from:into:options:observer:)`
  /// does.
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
  /// Removes the temporary files of an import of this process that is going to be killed.
  ///
  /// Without an import of this process nothing is removed.
  package static func removeTemporaries(ofImportInto path: String) {
    guard ImportLock.isHeldByThisProcess(database: path) else { return }
    let generation = try? RestaurantStore(path: path).edition().generation
    let files = SnapshotFiles(database: StoreFile(path: path).resolvedPath)
    files.sweepTemporaries(beyond: -1)
    files.sweep(keeping: generation ?? -1)
    ImportLock.remove(database: path)
  }
}
