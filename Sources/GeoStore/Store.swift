import Foundation
package import GeoFeed
package import GeoQuery

/// A store of restaurants: a SpatiaLite file (`RestaurantStore`) or
/// PostgreSQL (`PostgresStore`).
package protocol Store: AnyObject, Sendable {
  /// Its name in messages: the path of the file, or the address.
  var path: String { get }

  /// Closes the connection.
  func close() throws

  /// The state of the current contents: one row is read.
  func state() throws -> StoreState

  /// The snapshot of the current generation, which is written if necessary.
  func snapshot(notice: (String) -> Void) throws -> Snapshot

  /// The file of a generation's snapshot, whether or not it is there.
  func snapshotPath(of generation: Int) -> String

  /// Whether the state may have changed; cheap, so it may be called often.
  func mayHaveChanged() throws -> Bool

  /// Reads the whole snapshot of the current generation, and makes it again if it is not sound.
  func repairSnapshot(notice: (String) -> Void) throws

  /// Calls a closure in a read transaction.
  ///
  /// - Parameters:
  ///   - isPrompt: Whether a server has to answer within seconds.
  ///   - body: What to do; everything that it reads is of one moment.
  /// - Returns: The result of the closure.
  /// - Throws: `StoreError`; errors of the closure.
  func read<Result>(
    isPrompt: Bool,
    _ body: (any StoreConnection) throws -> Result
  ) throws -> Result

  /// Calls a closure in a write transaction, whose changes are durable when this returns.
  func write<Result>(_ body: (any StoreConnection) throws -> Result) throws -> Result

  /// Makes a planned change, or only counts it.
  func change(
    isDryRun: Bool,
    _ plan: (any StoreConnection) throws -> StoreEdit
  ) throws -> ImportReport

  /// The size of the database in bytes.
  func size() throws -> Int

  /// Checks everything, and returns one finding per check.
  ///
  /// - Throws: `StoreError` if it cannot be read.
  func verify(progress: (String) -> Void) throws -> [Finding]
}

extension Store {
  /// Calls a closure, and adds to its error about an unknown id those that are similar.
  func suggestingIDs<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as UnknownRestaurant {
      let similar = (try? snapshot().ids(similarTo: error.id)) ?? []
      throw UnknownRestaurant(id: error.id, similar: similar)
    }
  }

  /// The snapshot of the current generation; does not report why it had to be made again.
  package func snapshot() throws -> Snapshot { try snapshot { _ in } }

  /// The favorites, in order of id (UTF-8 bytes), each with its mark.
  package func favorites() throws -> [Match] { try read(isPrompt: true) { try $0.favorites() } }

  /// Some of the favorites, with what is true of all of them at that moment.
  package func favoritePage(after id: String?, limit: Int) throws -> FavoritePage {
    try read(isPrompt: true) { try $0.favoritePage(after: id, limit: limit) }
  }

  /// Makes restaurants favorites: all of them, or none if one is unknown.
  ///
  /// - Returns: The ids that were not favorites.
  @discardableResult
  package func addFavorites(_ ids: [String]) throws -> [String] {
    try suggestingIDs { try write { try $0.addFavorites(ids) } }
  }

  /// Adds favorites that were kept elsewhere, with their times; of two times the earlier one stays.
  ///
  /// - Parameter marks: The ids with their times in UTC, such as `2026-11-27T12:00:00Z`; nil is now.
  /// - Returns: The ids that no restaurant and no favorite has; the others are favorites.
  /// - Throws: `StoreError` if the store cannot be written.
  package func restoreFavorites(_ marks: [(id: String, since: String?)]) throws -> [String] {
    try write { try $0.restoreFavorites(marks) }
  }

  /// Removes favorites; ids that are not favorites are ignored.
  ///
  /// - Returns: The ids that were favorites.
  @discardableResult
  package func removeFavorites(_ ids: [String]) throws -> [String] {
    let isAny = try read(isPrompt: true) { connection in
      try ids.contains { try connection.isFavorite($0) }
    }
    // nothing is written if there is nothing to remove
    return isAny ? try write { try $0.removeFavorites(ids) } : []
  }

  /// Counts the changes of offers and chains, which do not change the generation.
  package func offersRevision() throws -> Int {
    try read(isPrompt: true) { try $0.offersRevision() }
  }

  /// All offers and chains, read in one transaction.
  package func offerBook() throws -> OfferBook { try read(isPrompt: false) { try $0.offerBook() } }

  /// The credits of all sources, in order of their names.
  package func credits() throws -> Credits { try read(isPrompt: false) { try $0.credits() } }

  /// The address and version of the last download of a source; nil if it was not downloaded.
  package func origin(of source: String) throws -> FeedOrigin? {
    try read(isPrompt: false) { try $0.origin(of: source) }
  }

  /// The kinds of records of a downloaded source, with their numbers.
  package func contents(
    of source: String,
    from address: String
  ) throws -> (content: FeedContent, count: Int)? {
    try read(isPrompt: false) { try $0.contents(of: source, from: address) }
  }
}

/// The location of a store: the path of a SpatiaLite file, or the address of a PostgreSQL schema.
package enum StorePlace: Sendable {
  case file(String)
  /// An address, and the folder for its snapshots on this machine.
  case postgres(PostgresAddress, cache: String)

  /// Its name in messages.
  package var shown: String {
    switch self {
    case .file(let path): path
    case .postgres(let address, _): address.shown
    }
  }

  /// Opens the store for reading.
  ///
  /// - Parameter purpose: What for, as a server shows it.
  /// - Returns: The store, which the caller closes.
  /// - Throws: `StoreError` if it is missing, of another program, newer or damaged.
  package func open(for purpose: String = "query") throws -> any Store {
    switch self {
    case .file(let path): try RestaurantStore(path: path)
    case .postgres(let address, let cache):
      try PostgresStore(address: address, cache: cache, purpose: purpose)
    }
  }

  /// The newest snapshot that this machine has of a store in PostgreSQL, without asking the server.
  ///
  /// - Returns: It, and how long ago it was known to be the current one; nil if there is none.
  package func cachedSnapshot() -> (snapshot: Snapshot, age: Duration)? {
    guard case .postgres(let address, let cache) = self else { return nil }
    return PostgresReplica(of: address, in: cache).newest()
  }

  /// The prefix of the paths of files next to the store.
  package var filePrefix: String {
    switch self {
    case .file(let path): path
    case .postgres(let address, let cache): PostgresReplica(of: address, in: cache).prefix
    }
  }

  /// Imports a feed into the store, which is created if it is a missing file.
  ///
  /// - Throws: As `RestaurantStore.importFeed(from:into:options:observer:)`.
  @discardableResult
  package func importFeed(
    from stream: FeedStream,
    options: ImportOptions = ImportOptions(),
    observer: ImportObserver = ImportObserver()
  ) throws -> ImportReport {
    switch self {
    case .file(let path):
      return try RestaurantStore.importFeed(
        from: stream,
        into: path,
        options: options,
        observer: observer
      )
    case .postgres(let address, let cache):
      let store = try PostgresStore(address: address, cache: cache, purpose: "import")
      defer { store.close() }
      return try store.importFeed(from: stream, options: options, observer: observer)
    }
  }

  /// Checks the whole store; a store that cannot be opened gives one finding.
  package func verify(progress: (String) -> Void) -> [Finding] {
    do {
      let store = try open()
      defer { try? store.close() }
      return try store.verify(progress: progress)
    } catch {
      return [Finding(subject: "database", isGood: false, detail: "\(error)")]
    }
  }
}

/// A store for repeated use: its connection stays open between calls.
///
/// It is opened again after an error, and when its file has been replaced. A server that cannot be reached
/// is retried after growing pauses of random length.
///
/// `@unchecked Sendable`: mutable state is used under the lock only.
package final class KeptStore: @unchecked Sendable {
  /// Where the store is.
  package let place: StorePlace

  private let lock = NSLock()
  private var store: (any Store)?
  private var file: FileIdentity?
  private var failures = 0
  private var pause: (end: ContinuousClock.Instant, reason: any Error)?

  /// If the connection was lost between calls, the next call fails within this time.
  private static let lossShowsWithin = Duration.seconds(1)

  private static let firstPause = 0.2
  private static let longestPause = 5.0

  /// Keeps the store of a place; it is opened when it is first used.
  package init(_ place: StorePlace) {
    self.place = place
  }

  deinit {
    try? store?.close()
  }

  /// Calls a closure with the store.
  ///
  /// - Parameter body: What to do; called again if the connection was lost since the last use.
  /// - Returns: The result of the closure.
  /// - Throws: `StoreError` if the store cannot be opened (at once during a pause); errors of the closure.
  package func use<Result>(_ body: (any Store) throws -> Result) throws -> Result {
    let (store, isNew) = try opened()
    let start = ContinuousClock.now
    do {
      let result = try body(store)
      lock.withLock { failures = 0 }
      return result
    } catch let error as UnknownRestaurant {
      throw error
    } catch {
      let wasCurrent = drop(store)
      let isLost = !isNew && (error as? StoreError)?.kind == .unavailable
      if isLost, start.duration(to: .now) < Self.lossShowsWithin { return try use(body) }
      if wasCurrent { lock.withLock { noteFailure(error) } }
      throw error
    }
  }

  /// Closes the connection.
  package func close() {
    let open = lock.withLock { () -> (any Store)? in store.take() }
    try? open?.close()
  }

  /// Closes a store.
  ///
  /// - Returns: Whether it was the one that is kept.
  private func drop(_ failed: any Store) -> Bool {
    let wasCurrent = lock.withLock {
      defer { if store === failed { store = nil } }
      return store === failed
    }
    try? failed.close()
    return wasCurrent
  }

  private func opened() throws -> (store: any Store, isNew: Bool) {
    try lock.withLock {
      var found: FileIdentity?
      if case .file(let path) = place { found = FileIdentity(path) }
      if let store, file == found { return (store, false) }
      try? store.take()?.close()
      if let pause, pause.end > .now { throw pause.reason }
      do {
        let new = try place.open(for: "serve")
        // a service reads for as long as it runs, and writers need not change the mode each time
        (new as? RestaurantStore)?.keepLog()
        (store, file) = (new, found)
        return (new, true)
      } catch {
        noteFailure(error)
        throw error
      }
    }
  }

  private func noteFailure(_ error: any Error) {
    guard case .postgres = place else { return }
    let most = min(Self.longestPause, Self.firstPause * exp2(Double(min(failures, 10))))
    failures += 1
    pause = (.now + .seconds(most * Double.random(in: 0.5...1)), error)
  }
}
