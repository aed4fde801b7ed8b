import GRDB
import GeoFeed
import GeoQuery

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
