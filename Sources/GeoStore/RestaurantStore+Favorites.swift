import GRDB
import GeoFeed
public import GeoQuery

extension RestaurantStore {
  /// The favorites, in order of id (UTF-8 bytes), each with its mark.
  ///
  /// A restaurant that has left its feed has its last values, and its mark says that it is gone.
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  /// - Complexity: O(favorites).
  public func favorites() throws -> [Match] {
    try read { try $0.favorites() }
  }

  /// A page of the favorites, with counts that were read in the same transaction.
  package func favoritePage(after id: String?, limit: Int) throws -> FavoritePage {
    try read { reader in
      FavoritePage(
        matches: try reader.favorites(after: id, limit: limit),
        total: try reader.favoriteCount(),
        generation: try reader.generation()
      )
    }
  }

  /// Makes restaurants favorites; changes nothing if one of them is unknown.
  ///
  /// The change is durable when this returns. Adding a favorite again changes nothing, not even its
  /// time. The generation stays the same.
  ///
  /// - Parameter ids: The ids, compared as UTF-8 bytes.
  /// - Returns: The ids that were not favorites.
  /// - Throws: `UnknownRestaurant` for the first unknown id; `StoreError` if the file cannot
  ///   be written, or another process writes to it for too long.
  @discardableResult
  public func addFavorites(_ ids: [String]) throws -> [String] {
    do {
      return try write { db in
        try ids.filter { id in
          if try Favorites.has(id, isThere: true, in: db) { return false }
          if try Favorites.add(id, to: db) { return true }
          // one that has left its feed stays unchanged
          if try Favorites.has(id, in: db) { return false }
          throw UnknownRestaurant(id: id, similar: [])
        }
      }
    } catch let error as UnknownRestaurant {
      let similar = (try? snapshot().ids(similarTo: error.id)) ?? []
      throw UnknownRestaurant(id: error.id, similar: similar)
    }
  }

  /// Removes favorites; ids that are not favorites are ignored.
  ///
  /// - Parameter ids: The ids, compared as UTF-8 bytes.
  /// - Returns: The ids that were favorites.
  /// - Throws: `StoreError` if the file cannot be written, or another process writes to it for too
  ///   long.
  @discardableResult
  public func removeFavorites(_ ids: [String]) throws -> [String] {
    // the file is not touched if there is nothing to remove
    let isAny = try readDatabase { db in
      try ids.contains { try Favorites.has($0, in: db) }
    }
    guard isAny else { return [] }
    return try write { db in try ids.filter { try Favorites.remove($0, from: db) } }
  }

  /// Runs a block in a write transaction, after updating the tables to the newest version.
  ///
  /// The transaction is durable when this returns: WAL and `synchronous = FULL`.
  private func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let file = StoreFile(path: path)
    try file.checkFolder()
    return try StoreError.wrapping(path) {
      let queue = try DatabaseQueue(path: file.absolutePath, configuration: .writing)
      defer { try? queue.close() }
      return try queue.write { db in
        try file.checkVersion(db)
        return try body(db)
      }
    }
  }
}
