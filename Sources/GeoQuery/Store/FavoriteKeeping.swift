/// What keeps favourites: a store, or a test's stand-in.
package protocol FavoriteKeeping: Sendable {
  /// The favourites, in order of id (UTF-8 bytes); those that have left their feed are there as well.
  func favorites() throws -> [Match]

  /// Makes restaurants favourites; those that are already stay as they are.
  func addFavorites(_ ids: [String]) throws

  /// Ends that; what is no favourite stays none.
  ///
  /// - Returns: Those that were favourites.
  @discardableResult
  func removeFavorites(_ ids: [String]) throws -> [String]
}
