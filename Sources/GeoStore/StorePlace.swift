package import GeoFeed
package import GeoQuery

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
      return store.verify(progress: progress)
    } catch {
      return [Finding(subject: "database", isGood: false, detail: "\(error)")]
    }
  }
}
