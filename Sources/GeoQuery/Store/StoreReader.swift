import Foundation
import GRDB
import GeoIndex

/// Which state of which history a store is in.
struct StoreState: Sendable, Hashable {
  /// Counts the imports that changed something.
  let generation: Int

  /// A random number that each generation gets, so that two histories of one store differ.
  let edition: UInt64
}

/// One read transaction: everything asked through it belongs to one generation.
struct StoreReader {
  let db: Database
  let path: String

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

  /// Generation and edition.
  func state() throws -> StoreState {
    let row = try Row.fetchOne(db, sql: "SELECT generation, edition FROM geoq_store")
    return StoreState(
      generation: row.flatMap { Int.fromDatabaseValue($0[0]) } ?? 0,
      edition: UInt64(bitPattern: row.flatMap { Int64.fromDatabaseValue($0[1]) } ?? 0)
    )
  }

  /// How many positions the index must have.
  func positionCount() throws -> Int { try Positions.count(db) }

  /// The coordinates of all restaurants, ordered by id (UTF-8 bytes).
  func orderedPoints() throws -> [Coordinate] {
    try StoredPoints(db, path: path).inOrderOfID(db).coordinates
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

  /// The restaurants at some positions of the index, in the order of these.
  ///
  /// - Throws: `StoreError` where there is none.
  func restaurants(at positions: [Int]) throws -> [Restaurant] {
    let rows = try Positions.rows(at: positions, in: db)
    let list = rows.map(String.init).joined(separator: ",")
    let cursor = try Row.fetchCursor(
      db,
      sql: "SELECT \(RestaurantRow.selection), pk FROM restaurants WHERE pk IN (\(list))"
    )
    var found: [Int64: Restaurant] = [:]
    while let row = try cursor.next() {
      found[row[row.count - 1]] = try RestaurantRow.restaurant(row, path: path)
    }
    return try rows.map { row in
      guard let restaurant = found[row] else {
        throw StoreError(.corrupt, path: path, "row \(row) is gone; run geoq doctor")
      }
      return restaurant
    }
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
