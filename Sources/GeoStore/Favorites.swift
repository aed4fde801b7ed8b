import Foundation
import GeoFeed
package import GeoQuery

/// The table of favorites: ids with the time and a copy of the restaurant.
///
/// Each import that changes the restaurant updates the copy; it stays when the restaurant is
/// removed.
enum Favorites {
  /// Whether a row `r` of the restaurants is the restaurant of a favorite `f`, because an id may have
  /// been given to another one.
  ///
  /// In the same source, either the name or the position may differ; in another source, neither.
  /// Positions within 0.001 degrees, about 100 m, count as the same.
  static let isSame = """
    r.id = f.id AND CASE WHEN r.source = f.source THEN r.name = f.name OR \(isNear)
      ELSE r.name = f.name AND \(isNear) END
    """

  private static let isNear = """
    (abs(r.latitude - f.latitude) < 0.001 AND abs(r.longitude - f.longitude) < 0.001)
    """

  /// The statement that makes the table in a file; without types, so that the copy has each value
  /// unchanged.
  static let creation = """
    CREATE TABLE geoq_favorites (
      id TEXT NOT NULL PRIMARY KEY,
      favoriteSince TEXT NOT NULL,
      \(SQLiteConnection.restaurantColumns.filter { $0 != "\"id\"" }.joined(separator: ", "))
    );
    """
}

extension StoreConnection {
  /// The favorites by id (UTF-8 bytes), each with the data of its restaurant, or with the copy if that
  /// was removed.
  ///
  /// - Throws: `StoreError` if a row is damaged.
  func favorites(after id: String? = nil, limit: Int = .max) throws -> [Match] {
    let count = Self.restaurantColumns.count
    let corrections = Corrections(
      try corrections(where: ("f.id IN (SELECT id FROM geoq_favorites) AND f.id > $1", id ?? ""))
    )
    return try fetch(
      """
      SELECT f."favoriteSince", r.id IS NULL, \(columns(of: "f")), \(columns(of: "r"))
      FROM geoq_favorites f LEFT JOIN restaurants r ON \(Favorites.isSame)
      \(id == nil ? "" : "WHERE f.id > $1") ORDER BY f.id
      \(limit == .max ? "" : "LIMIT \(limit)")
      """,
      id.map { [$0] } ?? []
    ) { row in
      let isGone = row.bool(1) != false
      let feed = try packed(row, from: isGone ? 2 : 2 + count)
      var corrected = feed
      // a hidden one is in no answer, like one that has left its feed
      let isShown = !isGone && corrections.apply(to: &corrected)
      return Match(
        restaurant: try restaurant(isShown ? corrected : feed),
        favorite: FavoriteMark(since: row.text(0) ?? "", isGone: !isShown)
      )
    }
  }

  /// Some of the favorites, with what is true of all of them.
  func favoritePage(after id: String?, limit: Int) throws -> FavoritePage {
    FavoritePage(
      matches: try favorites(after: id, limit: limit),
      total: try number("SELECT count(*) FROM geoq_favorites"),
      generation: try generation()
    )
  }

  /// Makes restaurants favorites; changes nothing if one of them is unknown.
  ///
  /// - Returns: The ids that were not favorites.
  /// - Throws: `UnknownRestaurant` for the first unknown id.
  func addFavorites(_ ids: [String]) throws -> [String] {
    try ids.filter { id in
      if try isFavorite(id, isThere: true) { return false }
      if try addFavorite(id) { return true }
      // one that has left its feed stays unchanged
      if try isFavorite(id) { return false }
      throw UnknownRestaurant(id: id, similar: [])
    }
  }

  /// Adds favorites that were kept elsewhere; of two times the earlier one stays.
  ///
  /// - Parameter marks: The ids with their times, such as `2026-11-27T12:00:00Z`; nil is now.
  /// - Returns: The ids that no restaurant and no favorite has.
  /// - Throws: Errors of the database.
  func restoreFavorites(_ marks: [(id: String, since: String?)]) throws -> [String] {
    try marks.filter { id, since in
      guard try isFavorite(id, isThere: true) || addFavorite(id) || isFavorite(id) else {
        return true
      }
      try run(
        """
        UPDATE geoq_favorites SET "favoriteSince" = $2 WHERE id = $1 AND "favoriteSince" > $2
        """,
        [id, since]
      )
      return false
    }
    .map(\.id)
  }

  /// Removes favorites; ids that are not favorites are ignored.
  ///
  /// - Returns: The ids that were favorites.
  func removeFavorites(_ ids: [String]) throws -> [String] {
    try ids.filter { try run("DELETE FROM geoq_favorites WHERE id = $1", [$0]) > 0 }
  }

  /// Whether an id is that of a favorite, and if `isThere`, of one whose restaurant exists.
  func isFavorite(_ id: String, isThere: Bool = false) throws -> Bool {
    let condition =
      isThere ? "AND EXISTS (SELECT 1 FROM restaurants r WHERE \(Favorites.isSame))" : ""
    return try has("SELECT 1 FROM geoq_favorites f WHERE f.id = $1 \(condition)", [id])
  }

  /// Adds a restaurant; replaces a favorite of another restaurant with that id.
  ///
  /// - Returns: False if the store has no such restaurant.
  private func addFavorite(_ id: String) throws -> Bool {
    guard try has("SELECT 1 FROM restaurants WHERE id = $1", [id]) else { return false }
    try run("DELETE FROM geoq_favorites WHERE id = $1", [id])
    let columns = Self.restaurantColumns.joined(separator: ", ")
    return try run(
      """
      INSERT INTO geoq_favorites ("favoriteSince", \(columns))
      SELECT \(Self.now), \(columns) FROM restaurants WHERE id = $1 ON CONFLICT DO NOTHING
      """,
      [id]
    ) > 0
  }

  /// Updates the copies from the restaurants; those of removed restaurants stay.
  func refreshFavorites() throws { try refresh("geoq_favorites", Self.restaurantColumns) }

  /// Updates columns of a table's rows `f` from their restaurants, if they have any.
  func refresh(_ table: String, _ columns: [String]) throws {
    // PostgreSQL's type json has no equality
    let texts = RestaurantField.stored.filter { [.texts, .object].contains($0.kind) }
      .map { "\"\($0.rawValue)\"" }
    let differs = columns.map { name in
      let isText = texts.contains(name)
      return ["r", "f"].map { isText ? "CAST(\($0).\(name) AS text)" : "\($0).\(name)" }
        .joined(separator: " IS DISTINCT FROM ")
    }
    try run(
      """
      UPDATE \(table) AS f SET (\(columns.joined(separator: ", "))) =
        (SELECT \(columns.map { "r." + $0 }.joined(separator: ", ")) FROM restaurants r
          WHERE \(Favorites.isSame))
      WHERE EXISTS (
        SELECT 1 FROM restaurants r
        WHERE \(Favorites.isSame) AND (\(differs.joined(separator: " OR ")))
      )
      """
    )
  }

  /// The columns of a restaurant in a table.
  func columns(of table: String) -> String {
    Self.restaurantColumns.map { "\(table).\($0)" }.joined(separator: ", ")
  }
}

/// A page of the favorites.
package struct FavoritePage: Sendable {
  /// The favorites of the page, in order of id.
  package let matches: [Match]

  /// The number of all favorites.
  package let total: Int

  /// The generation they were read from; nil if they do not depend on one.
  package let generation: Int?
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
