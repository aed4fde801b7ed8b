import GRDB
import GeoFeed
public import GeoQuery

extension RestaurantStore {
  /// The favourites, in order of id (UTF-8 bytes), each with its mark.
  ///
  /// A restaurant that has left its feed is there as it was last, its mark says so.
  ///
  /// - Throws: `StoreError` where the file cannot be read.
  /// - Complexity: O(favourites).
  public func favorites() throws -> [Match] {
    try read { try $0.favorites() }
  }

  /// Some of the favourites, with what is true of all of them at that moment.
  package func favoritePage(after id: String?, limit: Int) throws -> FavoritePage {
    try read { reader in
      FavoritePage(
        matches: try reader.favorites(after: id, limit: limit),
        total: try reader.favoriteCount(),
        generation: try reader.generation()
      )
    }
  }

  /// Makes restaurants favourites: all of them, or none where one is unknown.
  ///
  /// Done and on the disk when it returns; adding a favourite again changes nothing, its time included.
  /// The generation stays as it is: no answer depends on favourites.
  ///
  /// - Parameter ids: The ids, compared as UTF-8 bytes.
  /// - Returns: Those that were no favorites.
  /// - Throws: `UnknownRestaurant` for the first id that nobody has; `StoreError` where the file cannot
  ///   be written, or another process writes to it for too long.
  @discardableResult
  public func addFavorites(_ ids: [String]) throws -> [String] {
    do {
      return try write { db in
        try ids.filter { id in
          if try Favorites.has(id, isThere: true, in: db) { return false }
          if try Favorites.add(id, to: db) { return true }
          // one that has left its feed stays as it is
          if try Favorites.has(id, in: db) { return false }
          throw UnknownRestaurant(id: id, similar: [])
        }
      }
    } catch let error as UnknownRestaurant {
      let similar = (try? snapshot().ids(similarTo: error.id)) ?? []
      throw UnknownRestaurant(id: error.id, similar: similar)
    }
  }

  /// Takes restaurants from the favourites; an id that is none changes nothing.
  ///
  /// - Parameter ids: The ids, compared as UTF-8 bytes.
  /// - Returns: Those that were favourites.
  /// - Throws: `StoreError` where the file cannot be written, or another process writes to it for too
  ///   long.
  @discardableResult
  public func removeFavorites(_ ids: [String]) throws -> [String] {
    // the file's bytes stay as they are where there is nothing to remove
    let isAny = try readDatabase { db in
      try ids.contains { try Favorites.has($0, in: db) }
    }
    guard isAny else { return [] }
    return try write { db in try ids.filter { try Favorites.remove($0, from: db) } }
  }

  /// Runs a block in a write transaction of its own, in tables of the newest version.
  ///
  /// When it returns, the transaction is on the disk: WAL and `synchronous = FULL`.
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
