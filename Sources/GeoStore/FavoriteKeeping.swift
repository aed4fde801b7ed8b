import Foundation
import GeoFeed
package import GeoQuery

/// A page of the favorites.
package struct FavoritePage: Sendable {
  /// The favorites of the page, in order of id.
  package let matches: [Match]

  /// The number of all favorites.
  package let total: Int

  /// The generation they were read from; nil if they do not depend on one.
  package let generation: Int?

  /// Makes a page.
  package init(matches: [Match], total: Int, generation: Int?) {
    self.matches = matches
    self.total = total
    self.generation = generation
  }
}

/// Keeps favorites: a store, or a test's replacement.
package protocol FavoriteKeeping: Sendable {
  /// At most `limit` favorites in order of id (UTF-8 bytes), after an id if it is given.
  ///
  /// They include those that have left their feed.
  func favorites(after id: String?, limit: Int) throws -> FavoritePage

  /// Makes restaurants favorites; those that already are stay unchanged.
  ///
  /// - Returns: The ids that were not favorites.
  @discardableResult
  func addFavorites(_ ids: [String]) throws -> [String]

  /// Removes favorites; ids that are not favorites are ignored.
  ///
  /// - Returns: The ids that were favorites.
  @discardableResult
  func removeFavorites(_ ids: [String]) throws -> [String]
}

extension FavoriteKeeping {
  /// The ids of the favorites whose restaurants exist, in order (UTF-8 bytes).
  package func favoriteIDs() throws -> [String] {
    try favorites(after: nil, limit: .max).matches
      .filter { $0.favorite?.isGone != true }
      .map(\.restaurant.id)
  }
}

/// The favorites of a store.
///
/// A file is opened anew each time: it may have been replaced meanwhile. PostgreSQL is asked by one
/// connection; while it is away, the favorites are those that were read last.
///
/// `@unchecked Sendable`: what changes is used under the lock only.
package final class StoredFavorites: FavoriteKeeping, @unchecked Sendable {
  private let place: StorePlace
  private let kept: KeptStore
  private let lock = NSLock()
  private var last: FavoritePage?

  /// - Parameter place: Where the store is.
  package init(_ place: StorePlace) {
    self.place = place
    kept = KeptStore(place)
  }

  package func favorites(after id: String?, limit: Int) throws -> FavoritePage {
    let isAll = id == nil && limit == .max
    do {
      let page = try withStore { try $0.favoritePage(after: id, limit: limit) }
      if isAll { lock.withLock { last = page } }
      return page
    } catch let error as StoreError {
      guard case .postgres = place, isAll, let last = lock.withLock({ last }) else { throw error }
      return last
    }
  }

  @discardableResult
  package func addFavorites(_ ids: [String]) throws -> [String] {
    try change { try $0.addFavorites(ids) }
  }

  @discardableResult
  package func removeFavorites(_ ids: [String]) throws -> [String] {
    try change { try $0.removeFavorites(ids) }
  }

  private func change(_ body: (any Store) throws -> [String]) throws -> [String] {
    let changed = try withStore(body)
    lock.withLock { last = nil }
    return changed
  }

  private func withStore<Result>(_ body: (any Store) throws -> Result) throws -> Result {
    guard case .file = place else { return try kept.use(body) }
    let store = try place.open()
    defer { try? store.close() }
    return try body(store)
  }
}
