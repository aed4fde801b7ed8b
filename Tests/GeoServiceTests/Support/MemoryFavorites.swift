import GeoQuery
import NIOConcurrencyHelpers

@testable import GeoStore

/// Favorites without a store, of some restaurants.
final class MemoryFavorites: FavoriteKeeping {
  private let places: [Restaurant]
  private let gone: Set<String>
  private let kept: NIOLockedValueBox<Set<String>>

  /// - Parameters:
  ///   - places: What may be a favorite.
  ///   - gone: Favorites that have left their feed.
  init(of places: [Restaurant] = SamplePlaces().places, gone: [Restaurant] = []) {
    let all = places + gone
    self.places = all.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    self.gone = Set(gone.map(\.id))
    kept = NIOLockedValueBox(self.gone)
  }

  var ids: [String] { favorites(after: nil, limit: .max).matches.map(\.restaurant.id) }

  func favorites(after id: String?, limit: Int) -> FavoritePage {
    kept.withLockedValue { kept in
      let rest = places.filter {
        kept.contains($0.id) && (id ?? "").utf8.lexicographicallyPrecedes($0.id.utf8)
      }
      return FavoritePage(
        matches: rest.prefix(limit).map { place in
          let isGone = gone.contains(place.id)
          let mark = isGone ? FavoriteMark(since: "2026-05-14T18:03:11Z", isGone: true) : nil
          return Match(restaurant: place, favorite: mark)
        },
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
