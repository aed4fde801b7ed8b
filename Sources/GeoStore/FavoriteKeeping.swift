import GeoFeed
package import GeoQuery

/// Some of the favourites.
package struct FavoritePage: Sendable {
  /// Those of the page, in order of id.
  package let matches: [Match]

  /// How many there are, all together.
  package let total: Int

  /// The generation that they are from; nil where they are from none.
  package let generation: Int?

  /// Makes a page.
  package init(matches: [Match], total: Int, generation: Int?) {
    self.matches = matches
    self.total = total
    self.generation = generation
  }
}

/// What keeps favourites: a store, or a test's stand-in.
package protocol FavoriteKeeping: Sendable {
  /// The favourites after an id, or all of them, in order of id (UTF-8 bytes), so many at most; those
  /// that have left their feed are there as well.
  func favorites(after id: String?, limit: Int) throws -> FavoritePage

  /// Makes restaurants favorites; those that are already stay as they are.
  ///
  /// - Returns: Those that were none.
  @discardableResult
  func addFavorites(_ ids: [String]) throws -> [String]

  /// Ends that; what is no favourite stays none.
  ///
  /// - Returns: Those that were favourites.
  @discardableResult
  func removeFavorites(_ ids: [String]) throws -> [String]
}

extension FavoriteKeeping {
  /// The ids of the favorites whose restaurants are there, in order (UTF-8 bytes).
  package func favoriteIDs() throws -> [String] {
    try favorites(after: nil, limit: .max).matches
      .filter { $0.favorite?.isGone != true }
      .map(\.restaurant.id)
  }
}

/// The favourites in a database, which is opened anew each time: it may have been replaced meanwhile.
package struct StoredFavorites: FavoriteKeeping {
  private let path: String

  /// - Parameter path: The database file.
  package init(path: String) {
    self.path = path
  }

  package func favorites(after id: String?, limit: Int) throws -> FavoritePage {
    try withStore { try $0.favoritePage(after: id, limit: limit) }
  }

  @discardableResult
  package func addFavorites(_ ids: [String]) throws -> [String] {
    try withStore { try $0.addFavorites(ids) }
  }

  @discardableResult
  package func removeFavorites(_ ids: [String]) throws -> [String] {
    try withStore { try $0.removeFavorites(ids) }
  }

  private func withStore<Result>(_ body: (RestaurantStore) throws -> Result) throws -> Result {
    let store = try RestaurantStore(path: path)
    defer { try? store.close() }
    return try body(store)
  }
}
