import GeoFeed
package import GeoQuery

/// The table of favorites, as `Favorites` for files.
struct PostgresFavorites {
  private let connection: PostgresConnection

  init(_ connection: PostgresConnection) {
    self.connection = connection
  }

  /// SQL for whether a row `r` of the restaurants is the one from which a favorite `f` was made, by the rule
  /// of `Favorites.isSame`.
  private static let isSame = """
    r.id = f.id AND CASE WHEN r.source = f.source THEN r.name = f.name OR \(isNear)
      ELSE r.name = f.name AND \(isNear) END
    """

  private static let isNear = """
    (abs(r.latitude - f.latitude) < 0.001 AND abs(r.longitude - f.longitude) < 0.001)
    """

  private static func selection(of table: String) -> String {
    PostgresSchema.columns.map { "\(table).\($0)" }.joined(separator: ", ")
  }

  /// The favorites by id, each as in the current feed, or with the last data before it left it.
  func all() throws -> [Match] {
    let count = PostgresRestaurant.columnCount
    return try connection.rows(
      """
      SELECT f."favoriteSince", r.id IS NULL, \(Self.selection(of: "f")),
        \(Self.selection(of: "r"))
      FROM geoq_favorites f LEFT JOIN restaurants r ON \(Self.isSame) ORDER BY f.id
      """
    ).map { row in
      let mark = FavoriteMark(since: row.text(0) ?? "", isGone: row.bool(1) != false)
      let restaurant = try PostgresRestaurant.restaurant(
        row,
        from: mark.isGone ? 2 : 2 + count,
        shown: connection.address.shown
      )
      return Match(restaurant: restaurant, favorite: mark)
    }
  }

  /// Whether an id is that of a favorite and, if asked, its restaurant is still in the store.
  func has(_ id: String, isThere: Bool = false) throws -> Bool {
    let condition = isThere ? "AND EXISTS (SELECT 1 FROM restaurants r WHERE \(Self.isSame))" : ""
    return try connection.rows(
      "SELECT 1 FROM geoq_favorites f WHERE f.id = $1 \(condition)",
      [id]
    ).count > 0
  }

  /// Adds a restaurant; it replaces a favorite with the same id if that was another restaurant.
  ///
  /// - Returns: False if the store has no such restaurant.
  func add(_ id: String) throws -> Bool {
    guard try connection.rows("SELECT 1 FROM restaurants WHERE id = $1", [id]).count > 0 else {
      return false
    }
    try remove(id)
    return try connection.rows(
      """
      INSERT INTO geoq_favorites ("favoriteSince", \(PostgresSchema.selection))
      SELECT \(PostgresSources.now), \(PostgresSchema.selection) FROM restaurants WHERE id = $1
      ON CONFLICT DO NOTHING
      """,
      [id]
    ).changedCount > 0
  }

  /// Removes a favorite.
  ///
  /// - Returns: Whether it was a favorite.
  @discardableResult
  func remove(_ id: String) throws -> Bool {
    try connection.rows("DELETE FROM geoq_favorites WHERE id = $1", [id]).changedCount > 0
  }

  /// Updates the favorites' copies of restaurants; those of restaurants that are gone stay.
  func refresh() throws {
    let pairs = PostgresSchema.columns.map { "\($0) = r.\($0)" }.joined(separator: ", ")
    // the type json has no equality
    let differs = RestaurantField.stored.map { field in
      let cast = PostgresSchema.type(of: field) == "json" ? "::text" : ""
      let name = PostgresSchema.name(field)
      return "r.\(name)\(cast) IS DISTINCT FROM f.\(name)\(cast)"
    }
    try connection.rows(
      """
      UPDATE geoq_favorites f SET \(pairs) FROM restaurants r
      WHERE \(Self.isSame) AND (\(differs.joined(separator: " OR ")))
      """
    )
  }
}

extension PostgresStore {
  package func favorites() throws -> [Match] {
    try withPromptConnection { try PostgresFavorites($0).all() }
  }

  package func favoritePage(after id: String?, limit: Int) throws -> FavoritePage {
    try withPromptConnection { connection in
      try connection.transaction(.reading) {
        let all = try PostgresFavorites(connection).all()
        let start = id.map { id in all.count { UTF8Key($0.restaurant.id) <= UTF8Key(id) } }
        return FavoritePage(
          matches: Array(all.dropFirst(start ?? 0).prefix(limit)),
          total: all.count,
          generation: try connection.state().generation
        )
      }
    }
  }

  @discardableResult
  package func addFavorites(_ ids: [String]) throws -> [String] {
    do {
      return try withPromptConnection { connection in
        try connection.transaction(.writing) {
          let favorites = PostgresFavorites(connection)
          return try ids.filter { id in
            // texts of PostgreSQL cannot contain NUL
            if id.utf8.contains(0) { throw UnknownRestaurant(id: id, similar: []) }
            if try favorites.has(id, isThere: true) { return false }
            if try favorites.add(id) { return true }
            // one that has left its feed is not changed
            if try favorites.has(id) { return false }
            throw UnknownRestaurant(id: id, similar: [])
          }
        }
      }
    } catch let error as UnknownRestaurant {
      // suggestions come from an existing snapshot only
      let known = try? withConnection { try snapshots.open($0.state()) }
      let similar = known?.ids(similarTo: error.id) ?? []
      throw UnknownRestaurant(id: error.id, similar: similar)
    }
  }

  @discardableResult
  package func removeFavorites(_ ids: [String]) throws -> [String] {
    try withPromptConnection { connection in
      try connection.transaction(.writing) {
        try ids.filter { id in
          if id.utf8.contains(0) { return false }
          return try PostgresFavorites(connection).remove(id)
        }
      }
    }
  }
}
