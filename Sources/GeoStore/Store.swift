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

  /// Whether the edition may have changed; cheap, so it may be called often.
  func mayHaveChanged() throws -> Bool

  /// Reads the whole snapshot of the current generation, and makes it again if it is not sound.
  func repairSnapshot(notice: (String) -> Void) throws

  /// The favorites, in order of id (UTF-8 bytes), each with its mark.
  func favorites() throws -> [Match]

  /// Some of the favorites, with what is true of all of them at that moment.
  func favoritePage(after id: String?, limit: Int) throws -> FavoritePage

  /// Makes restaurants favorites: all of them, or none if one is unknown.
  ///
  /// - Returns: The ids that were not favorites.
  @discardableResult
  func addFavorites(_ ids: [String]) throws -> [String]

  /// Removes favorites; ids that are not favorites are ignored.
  ///
  /// - Returns: The ids that were favorites.
  @discardableResult
  func removeFavorites(_ ids: [String]) throws -> [String]

  /// Counts the changes of offers and chains, which do not change the generation.
  func offersRevision() throws -> Int

  /// All offers and chains, read in one transaction.
  func offerBook() throws -> OfferBook

  /// The credits of all sources, in order of their names.
  func credits() throws -> Credits

  /// The address and version of the last download of a source; nil if it was not downloaded.
  func origin(of source: String) throws -> FeedOrigin?

  /// The kinds of records of a downloaded source, with their numbers.
  func contents(
    of source: String,
    from address: String
  ) throws -> (content: FeedContent, count: Int)?

  /// A summary of the store's contents.
  func info(notice: (String) -> Void) throws -> StoreInfo

  /// Checks everything, and returns one finding per check.
  func verify(progress: (String) -> Void) -> [Finding]
}

extension Store {
  /// The snapshot of the current generation; does not report why it had to be made again.
  package func snapshot() throws -> Snapshot { try snapshot { _ in } }

  /// A summary of the store's contents, without the reason if a snapshot had to be written.
  package func info() throws -> StoreInfo { try info { _ in } }
}

extension RestaurantStore: Store {
  /// Always: a look reads one row.
  package func mayHaveChanged() -> Bool { true }

  package func verify(progress: (String) -> Void) -> [Finding] {
    Verification.examine(path: path, progress: progress)
  }
}
