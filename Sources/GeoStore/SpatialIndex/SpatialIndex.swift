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

/// SpatiaLite's triggers on the table, removed while an import writes.
///
/// They check each geometry, write the time of each change, and insert each point into the R*Tree:
/// 17 µs per row. An import has checked its points, writes the time once, and updates the R*Tree
/// itself. All of this is in one transaction, which ends with the same triggers.
struct SpatialTriggers {
  private let sql: [String]

  private static let names = ["ggi", "ggu", "tmi", "tmu", "tmd", "gii", "giu", "gid"]
    .map { "\($0)_restaurants_geom" }

  /// Removes SpatiaLite's triggers; those of other programs stay.
  init(settingAside db: Database) throws {
    var sql: [String] = []
    for name in Self.names {
      let found = try String.fetchOne(
        db,
        sql: "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = ?",
        arguments: [name]
      )
      guard let found else { continue }
      sql.append(found)
      try db.execute(sql: "DROP TRIGGER \(name)")
    }
    self.sql = sql
  }

  /// Restores the triggers, and writes the times that they would have written.
  func restore(_ db: Database, after report: ImportReport) throws {
    for (column, count) in [
      ("last_insert", report.inserted), ("last_update", report.updated),
      ("last_delete", report.removed),
    ] where count > 0 {
      try db.execute(
        sql: """
          UPDATE geometry_columns_time SET \(column) = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
          WHERE lower(f_table_name) = 'restaurants' AND lower(f_geometry_column) = 'geom'
          """
      )
    }
    for trigger in sql { try db.execute(sql: trigger) }
  }
}
