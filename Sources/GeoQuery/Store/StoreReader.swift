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
    let points = try StoredPoints(db, path: path)
    var ordered: [Coordinate] = []
    ordered.reserveCapacity(points.rows.count)
    try points.visitInOrderOfID(db) { _, coordinate in ordered.append(coordinate) }
    return ordered
  }

  /// Visits each restaurant, ordered by id, until the body answers false.
  ///
  /// Rows are read on a thread of their own, a few ahead of the body.
  func eachRestaurant(_ body: (Restaurant) throws -> Bool) throws {
    let rows = try SQLStatement(
      db,
      "SELECT \(RestaurantRow.selection) FROM restaurants ORDER BY id"
    )
    let pump = RestaurantPump(rows, path: path)
    defer { pump.stop() }
    while let batch = try pump.next() {
      for restaurant in batch {
        guard try body(restaurant) else { return }
      }
    }
  }

  /// The smallest box around all restaurants; nil where there are none.
  func extent() throws -> BoundingBox? {
    // read as they lie in the file
    let rows = try SQLStatement(db, "SELECT geom FROM restaurants")
    var extent = ExtentBuilder()
    while try rows.step() {
      guard let point = PointBlob.decode(rows.bytes(0)) else { throw noPoint }
      extent.add(point)
    }
    return extent.box
  }

  /// The restaurants at some positions of the index, in the order of these.
  ///
  /// - Throws: `StoreError` where there is none.
  func restaurants(at positions: [Int]) throws -> [Restaurant] {
    let rows = try Positions.rows(at: positions, in: db)
    let list = rows.map(String.init).joined(separator: ",")
    let wanted = try SQLStatement(
      db,
      "SELECT \(RestaurantRow.selection), pk FROM restaurants WHERE pk IN (\(list))"
    )
    var found: [Int64: Restaurant] = [:]
    while try wanted.step() {
      let row = wanted.integer(RestaurantRow.columnCount)
      found[row] = try RestaurantRow.restaurant(wanted.row, path: path)
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
    let rows = try SQLStatement(
      db,
      "SELECT \(RestaurantRow.selection) FROM restaurants WHERE id = ?"
    )
    var id = id
    return try id.withUTF8 { utf8 in
      rows.bind(text: UnsafeRawBufferPointer(utf8), at: 1)
      return try rows.step() ? RestaurantRow.restaurant(rows.row, path: path) : nil
    }
  }

  private var noPoint: StoreError {
    StoreError(.corrupt, path: path, "a row of restaurants has no point; run geoq doctor")
  }
}
