import GRDB
import GeoFeed
import GeoQuery

/// The table of favorites: ids with the time and a copy of the restaurant.
///
/// Each import that changes the restaurant updates the copy; it stays when the restaurant is
/// removed.
enum Favorites {
  /// Whether a row `r` of the restaurants is the restaurant of a favorite, because an id may have
  /// been given to another one.
  ///
  /// In the same source, either the name or the position may differ; in another source, neither.
  /// Positions within 0.001 degrees, about 100 m, count as the same.
  static let isSame = """
    r.id = geoq_favorites.id AND CASE WHEN r.source = geoq_favorites.source
      THEN r.name = geoq_favorites.name OR \(isNear)
      ELSE r.name = geoq_favorites.name AND \(isNear)
    END
    """

  private static let isNear = """
    (abs(r.latitude - geoq_favorites.latitude) < 0.001
      AND abs(r.longitude - geoq_favorites.longitude) < 0.001)
    """

  // without types, so that the copy has each value unchanged
  private static let names = ["geom"] + RestaurantField.stored.map(\.rawValue)

  static let creation = """
    CREATE TABLE geoq_favorites (
      id TEXT NOT NULL PRIMARY KEY,
      favoriteSince TEXT NOT NULL,
      \(names.filter { $0 != "id" }.joined(separator: ", "))
    );
    """

  /// Adds a restaurant that is not a favorite; replaces a favorite of another restaurant with that
  /// id.
  ///
  /// - Returns: False if the store has no such restaurant.
  static func add(_ id: String, to db: Database) throws -> Bool {
    let columns = names.joined(separator: ", ")
    let statement = try SQLStatement(
      db,
      """
      INSERT OR REPLACE INTO geoq_favorites (favoriteSince, \(columns))
      SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), \(columns) FROM restaurants WHERE id = ?
      """
    )
    try statement.bind(id, at: 1) { try statement.run() }
    return db.changesCount > 0
  }

  /// Removes a favorite.
  ///
  /// - Returns: Whether it was a favorite.
  static func remove(_ id: String, from db: Database) throws -> Bool {
    guard try has(id, in: db) else { return false }
    let statement = try SQLStatement(db, "DELETE FROM geoq_favorites WHERE id = ?")
    try statement.bind(id, at: 1) { try statement.run() }
    return true
  }

  /// Updates the copies from the restaurants; those of removed restaurants stay.
  static func refresh(_ db: Database) throws {
    let columns = names.joined(separator: ", ")
    let new = names.map { "r.\($0)" }.joined(separator: ", ")
    let old = names.map { "geoq_favorites.\($0)" }.joined(separator: ", ")
    try db.execute(
      sql: """
        UPDATE geoq_favorites SET (\(columns)) =
          (SELECT \(new) FROM restaurants r WHERE \(isSame))
        WHERE EXISTS (
          SELECT 1 FROM restaurants r WHERE \(isSame) AND (\(new)) IS NOT (\(old))
        )
        """
    )
  }

  /// Whether an id is that of a favorite, and if `isThere`, of one whose restaurant exists.
  static func has(_ id: String, isThere: Bool = false, in db: Database) throws -> Bool {
    let condition = isThere ? " AND EXISTS (SELECT 1 FROM restaurants r WHERE \(isSame))" : ""
    let statement = try SQLStatement(
      db,
      "SELECT 1 FROM geoq_favorites WHERE id = ?\(condition)"
    )
    var isThere = false
    try statement.bind(id, at: 1) {
      isThere = try statement.step()
      statement.reset()
    }
    return isThere
  }
}

extension StoreReader {
  /// The favorites by id, each with the data of its restaurant, or with the copy if that was
  /// removed.
  ///
  /// - Parameters:
  ///   - id: Only favorites after this id; nil for all.
  ///   - limit: The maximum number; nil for all.
  /// - Returns: The favorites, each with its mark.
  /// - Throws: `StoreError` if a row is damaged.
  func favorites(after id: String? = nil, limit: Int? = nil) throws -> [Match] {
    let rows = try SQLStatement(
      db,
      """
      SELECT \(RestaurantRow.selection), favoriteSince,
        NOT EXISTS (SELECT 1 FROM restaurants r WHERE \(Favorites.isSame))
      FROM geoq_favorites \(id == nil ? "" : "WHERE id > ?") ORDER BY id LIMIT \(limit ?? -1)
      """
    )
    let current = try SQLStatement(
      db,
      "SELECT \(RestaurantRow.selection) FROM restaurants WHERE id = ?"
    )
    var matches: [Match] = []
    let takeAll = {
      while try rows.step() {
        let mark = FavoriteMark(
          since: String(decoding: rows.bytes(RestaurantRow.columnCount), as: UTF8.self),
          isGone: rows.integer(RestaurantRow.columnCount + 1) != 0
        )
        var restaurant = try RestaurantRow.restaurant(rows.row, path: path)
        try current.bind(restaurant.id, at: 1) {
          if !mark.isGone, try current.step() {
            restaurant = try RestaurantRow.restaurant(current.row, path: path)
          }
          current.reset()
        }
        matches.append(Match(restaurant: restaurant, favorite: mark))
      }
    }
    if let id { try rows.bind(id, at: 1, takeAll) } else { try takeAll() }
    return matches
  }

  /// The number of favorites.
  func favoriteCount() throws -> Int {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM geoq_favorites") ?? 0
  }
}
