/// What keeps favourites: a store, or a test's stand-in.
package protocol FavoriteKeeping: Sendable {
  /// The ids of all favourites, in order of their UTF-8 bytes.
  func favoriteIDs() throws -> [String]

  /// Makes a restaurant a favourite; one that is already stays as it is.
  func addFavorite(_ id: String) throws

  /// Ends that; what is no favourite stays none.
  func removeFavorite(_ id: String) throws
}
