import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// SpatiaLite's R*Tree over the restaurants, updated by each import.
enum SpatialIndex {
  /// The cost of changing one entry, relative to building the tree anew with one more point.
  private static let changeCost = 15

  /// Updates the tree to match the table.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - points: All rows, in order of row.
  ///   - changed: The rows whose points are new or changed.
  ///   - removed: The rows that are gone.
  /// - Throws: `DatabaseError` if SQLite fails.
  static func update(
    _ db: Database,
    points: StoredPoints,
    changed: [Int64],
    removed: [Int64]
  ) throws {
    guard (changed.count + removed.count) * changeCost < points.rows.count else {
      try PackedTree(db).write(points)
      return
    }
    let delete = try SQLStatement(db, "DELETE FROM idx_restaurants_geom WHERE pkid = ?")
    for row in removed + changed {
      delete.bind(row, at: 1)
      try delete.run()
    }
    let insert = try SQLStatement(
      db,
      "INSERT INTO idx_restaurants_geom (pkid, xmin, xmax, ymin, ymax) VALUES (?1, ?2, ?2, ?3, ?3)"
    )
    for row in changed {
      guard let point = points[row] else { continue }
      insert.bind(row, at: 1)
      insert.bind(point.longitude, at: 2)
      insert.bind(point.latitude, at: 3)
      try insert.run()
    }
  }

  /// Compares the numbers of rows and entries: SQLite's integrity check misses missing entries.
  ///
  /// - Throws: `StoreError` of kind `corrupt` if the index does not match the table.
  static func check(_ db: Database, path: String) throws {
    let rows = try Int.fetchOne(db, sql: "SELECT count(*) FROM restaurants") ?? 0
    let entries = try Int.fetchOne(db, sql: "SELECT count(*) FROM idx_restaurants_geom") ?? 0
    guard rows == entries else {
      throw StoreError(
        .corrupt,
        path: path,
        "the spatial index does not match the table (\(entries) entries, \(rows) rows); "
          + "nothing was changed; import the feeds into a new file"
      )
    }
  }
}
