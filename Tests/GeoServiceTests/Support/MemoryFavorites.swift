import GeoQuery
import NIOConcurrencyHelpers

/// Favourites without a store.
final class MemoryFavorites: FavoriteKeeping {
  private let ids = NIOLockedValueBox<Set<String>>([])

  func favoriteIDs() -> [String] {
    ids.withLockedValue { Array($0) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  func addFavorite(_ id: String) { ids.withLockedValue { _ = $0.insert(id) } }

  func removeFavorite(_ id: String) { ids.withLockedValue { _ = $0.remove(id) } }
}
