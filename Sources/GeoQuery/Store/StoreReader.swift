import Foundation
import GRDB
import GeoIndex

/// One read transaction: everything asked through it belongs to one generation.
struct StoreReader {
  private let db: Database
  private let path: String

  init(_ db: Database, path: String) {
    self.db = db
    self.path = path
  }

  /// Counts the imports that changed something.
  func generation() throws -> Int {
    try Int.fetchOne(db, sql: "SELECT generation FROM geoq_store") ?? 0
  }

  /// How many restaurants there are.
  func count() throws -> Int {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM restaurants") ?? 0
  }

  /// Row numbers and coordinates of all restaurants, ordered by id (UTF-8 bytes).
  func points() throws -> (rows: [Int64], coordinates: [Coordinate]) {
    var rows: [Int64] = []
    var coordinates: [Coordinate] = []
    let cursor = try Row.fetchCursor(db, sql: "SELECT geom, pk FROM restaurants ORDER BY id")
    while let row = try cursor.next() {
      coordinates.append(try coordinate(of: row))
      rows.append(row[1])
    }
    return (rows, coordinates)
  }

  /// Visits the position of each restaurant and the texts that filters look at, ordered by id.
  func eachPlace(_ body: (Coordinate, FilterTexts) -> Void) throws {
    let sql = "SELECT geom, name, category, address, city FROM restaurants ORDER BY id"
    let cursor = try Row.fetchCursor(db, sql: sql)
    while let row = try cursor.next() {
      let texts = (1..<5).map { String.fromDatabaseValue(row[$0]) }
      body(
        try coordinate(of: row),
        FilterTexts(name: texts[0], category: texts[1], address: texts[2], city: texts[3])
      )
    }
  }

  /// Visits each restaurant, ordered by id, until the body answers false.
  func eachRestaurant(_ body: (Restaurant) throws -> Bool) throws {
    let sql = "SELECT \(RestaurantRow.selection) FROM restaurants ORDER BY id"
    let cursor = try Row.fetchCursor(db, sql: sql)
    while let row = try cursor.next() {
      guard try body(RestaurantRow.restaurant(row, path: path)) else { return }
    }
  }

  /// The restaurant in a row.
  func restaurant(row: Int64) throws -> Restaurant {
    try restaurant(where: "pk = ?", row)
      ?? { throw StoreError(.corrupt, path: path, "row \(row) is gone; run geoq doctor") }()
  }

  /// The restaurant with an id, compared as UTF-8 bytes; nil where there is none.
  func restaurant(id: String) throws -> Restaurant? {
    try restaurant(where: "id = ?", id)
  }

  private func restaurant(
    where condition: String,
    _ value: any DatabaseValueConvertible
  ) throws -> Restaurant? {
    let statement = try db.cachedStatement(
      sql: "SELECT \(RestaurantRow.selection) FROM restaurants WHERE \(condition)"
    )
    guard let row = try Row.fetchOne(statement, arguments: [value]) else { return nil }
    return try RestaurantRow.restaurant(row, path: path)
  }

  /// The coordinate in the first column of a row.
  private func coordinate(of row: Row) throws -> Coordinate {
    guard let blob = Data.fromDatabaseValue(row[0]), let coordinate = PointBlob.decode(blob) else {
      throw StoreError(.corrupt, path: path, "a row of restaurants has no point; run geoq doctor")
    }
    return coordinate
  }
}
