import Foundation
import GRDB
package import GeoIndex

/// The same questions asked the way a user of SpatiaLite asks them: a frame from its spatial index,
/// then `ST_Distance` along the ellipsoid.
///
/// For `geoq bench`, which shows it beside the engine. It is exact too: `KNN`, which is not, has no
/// part in it.
package final class SpatiaLiteSearch {
  private let queue: DatabaseQueue
  private let path: String

  /// Opens a connection of its own on a store's file.
  ///
  /// - Throws: `StoreError` where the file cannot be read.
  package init(_ store: RestaurantStore) throws {
    path = store.path
    queue = try StoreFile(path: path).openForReading(.readingWithSpatiaLite)
  }

  /// Closes the connection.
  package func close() throws {
    try StoreError.wrapping(path) { try queue.close() }
  }

  /// The nearest restaurants, by (distance, id).
  ///
  /// The frame grows until it surely holds them; where it holds enough of them, the farthest says
  /// how large it has to be.
  ///
  /// - Throws: `StoreError` where the file cannot be read.
  package func nearest(to center: Coordinate, count: Int) throws -> [Match] {
    guard count > 0 else { return [] }
    return try read { db in
      var radius = 100.0
      while true {
        let found = try ranked(db, around: center, frame: radius, within: .infinity, limit: count)
        let farthest = found.last?.distance ?? 0
        if found.count == count, farthest <= radius { return found }
        if radius >= FrameAround.everything { return found }
        radius = found.count == count ? farthest : radius * 2
      }
    }
  }

  /// All restaurants within a distance in metres, by (distance, id).
  ///
  /// - Throws: `StoreError` where the file cannot be read.
  package func within(radius: Double, of center: Coordinate) throws -> [Match] {
    try read { db in
      try ranked(db, around: center, frame: radius, within: radius, limit: -1)
    }
  }

  /// All restaurants in a box, by id.
  ///
  /// - Throws: `StoreError` where the file cannot be read.
  package func within(_ box: BoundingBox) throws -> [Match] {
    try read { db in
      let frames = FrameAround.frames(of: box)
      let parts = frames.map { _ in Self.inBox }.joined(separator: " UNION ALL ")
      // an index entry is rounded outward: the exact coordinates have the last word
      let arguments = frames.flatMap { $0.bounds + $0.sides }
      let statement = try db.cachedStatement(sql: "SELECT * FROM (\(parts)) ORDER BY id")
      return try matches(statement, StatementArguments(arguments), hasDistance: false)
    }
  }

  private func ranked(
    _ db: Database,
    around center: Coordinate,
    frame radius: Double,
    within maximumDistance: Double,
    limit: Int
  ) throws -> [Match] {
    let frames = FrameAround.frames(around: center, radius: radius)
    let parts = frames.map { _ in Self.inFrame }.joined(separator: " UNION ALL ")
    let statement = try db.cachedStatement(sql: Self.ranking(parts))
    let values: [any DatabaseValueConvertible] =
      frames.flatMap(\.bounds) + [PointBlob.encode(center), maximumDistance, limit]
    return try matches(statement, StatementArguments(values), hasDistance: true)
  }

  private func matches(
    _ statement: Statement,
    _ arguments: StatementArguments,
    hasDistance: Bool
  ) throws -> [Match] {
    let columns = RowColumns(statement.sqliteStatement)
    let cursor = try Row.fetchCursor(statement, arguments: arguments)
    var matches: [Match] = []
    while try cursor.next() != nil {
      let restaurant = try RestaurantRow.restaurant(columns, path: path)
      let distance = hasDistance ? columns.real(RestaurantRow.columnCount) : nil
      matches.append(Match(restaurant: restaurant, distance: distance))
    }
    return matches
  }

  private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try StoreError.wrapping(path) { try queue.read(body) }
  }

  private static let inFrame = """
    SELECT pkid FROM idx_restaurants_geom WHERE xmin <= ? AND xmax >= ? AND ymin <= ? AND ymax >= ?
    """

  private static let inBox = """
    SELECT \(RestaurantRow.selection) FROM idx_restaurants_geom JOIN restaurants ON pk = pkid
    WHERE xmin <= ? AND xmax >= ? AND ymin <= ? AND ymax >= ?
    AND longitude BETWEEN ? AND ? AND latitude BETWEEN ? AND ?
    """

  /// Each distance is solved once, and only what is returned is fetched whole.
  private static func ranking(_ frames: String) -> String {
    """
    WITH frame AS (\(frames)),
    ranked AS MATERIALIZED (
      SELECT pk AS near, id AS name, ST_Distance(geom, ?, 1) AS metres
      FROM frame JOIN restaurants ON pk = pkid
    ),
    best AS MATERIALIZED (
      SELECT near, metres FROM ranked WHERE metres <= ? ORDER BY metres, name LIMIT ?
    )
    SELECT \(RestaurantRow.selection), metres FROM best JOIN restaurants ON pk = near
    ORDER BY metres, id
    """
  }
}

extension Configuration {
  /// A connection that only asks, and may ask SpatiaLite's functions.
  fileprivate static var readingWithSpatiaLite: Configuration {
    var configuration = Configuration.reading
    configuration.prepareDatabase(SpatiaLite.prepare)
    return configuration
  }
}
