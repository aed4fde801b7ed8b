import GeoQuery
import GeoStore
import NIOConcurrencyHelpers

/// Favourites without a store, of some restaurants.
final class MemoryFavorites: FavoriteKeeping {
  private let places: [Restaurant]
  private let kept = NIOLockedValueBox<Set<String>>([])

  init(of places: [Restaurant] = SamplePlaces().places) {
    self.places = places
  }

  var ids: [String] { favorites(after: nil, limit: .max).matches.map(\.restaurant.id) }

  func favorites(after id: String?, limit: Int) -> FavoritePage {
    kept.withLockedValue { kept in
      let rest = places.filter {
        kept.contains($0.id) && (id ?? "").utf8.lexicographicallyPrecedes($0.id.utf8)
      }
      return FavoritePage(
        matches: rest.prefix(limit).map { Match(restaurant: $0) },
        total: kept.count,
        generation: 17
      )
    }
  }

  func addFavorites(_ ids: [String]) throws -> [String] {
    if let id = ids.first(where: { id in !places.contains { $0.id == id } }) {
      throw UnknownRestaurant(id: id, similar: [])
    }
    return kept.withLockedValue { kept in
      defer { kept.formUnion(ids) }
      return ids.filter { !kept.contains($0) }
    }
  }

  func removeFavorites(_ ids: [String]) -> [String] {
    kept.withLockedValue { kept in
      defer { kept.subtract(ids) }
      return ids.filter(kept.contains)
    }
  }
}
