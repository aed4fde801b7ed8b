package import GeoFeed
package import GeoQuery

/// A store of restaurants: a SpatiaLite file (`RestaurantStore`) or
/// PostgreSQL (`PostgresStore`).
package protocol Store: AnyObject, Sendable {
  /// Its name in messages: the path of the file, or the address.
  var path: String { get }

  /// Closes the connection.
  func close() throws

  /// The edition of the current contents.
  func edition() throws -> RestaurantStore.Edition

  /// The snapshot of the current generation, which is written if necessary.
  func snapshot(notice: (String) -> Void) throws -> Snapshot

  /// The file of a generation's snapshot, whether or not it is there.
  func snapshotPath(of generation: Int) -> String

  /// Whether the edition may have changed; cheap, so it may be called often.
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
  func verify(progress: (String) -> Void) -> [Finding]
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
