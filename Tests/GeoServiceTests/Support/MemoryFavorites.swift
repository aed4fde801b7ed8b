import GeoQuery
import NIOConcurrencyHelpers

/// Favourites without a store, of some restaurants.
final class MemoryFavorites: FavoriteKeeping {
  private let places: [Restaurant]
  private let kept = NIOLockedValueBox<Set<String>>([])

  init(of places: [Restaurant] = SamplePlaces().places) {
    self.places = places
  }

  var ids: [String] { favorites().map(\.restaurant.id) }

  func favorites() -> [Match] {
    kept.withLockedValue { kept in
      places.filter { kept.contains($0.id) }.map { Match(restaurant: $0) }
    }
  }

  func addFavorites(_ ids: [String]) throws {
    if let id = ids.first(where: { id in !places.contains { $0.id == id } }) {
      throw UnknownRestaurant(id: id, similar: [])
    }
    kept.withLockedValue { $0.formUnion(ids) }
  }

  func removeFavorites(_ ids: [String]) -> [String] {
    kept.withLockedValue { kept in
      defer { kept.subtract(ids) }
      return ids.filter(kept.contains)
    }
  }
}
