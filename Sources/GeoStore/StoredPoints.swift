import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// The positions of all restaurants of a store, in order of row.
struct StoredPoints {
  /// The row numbers, ascending.
  private(set) var rows: [Int64] = []

  /// The position of each row.
  private(set) var coordinates: [Coordinate] = []

  /// Makes an empty list.
  init() {}

  /// Reads the whole table.
  ///
  /// - Throws: `StoreError` if a row has no point.
  init(_ db: Database, path: String) throws {
    let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM restaurants") ?? 0
    rows.reserveCapacity(count)
    coordinates.reserveCapacity(count)
    let statement = try SQLStatement(db, "SELECT pk, geom FROM restaurants ORDER BY pk")
    while try statement.step() {
      guard let point = PointBlob.decode(statement.bytes(1)) else {
        throw StoreError(
          .corrupt,
          path: path,
          "a row of restaurants has no point; \(Remedy.checkDatabase)"
        )
      }
      append(statement.integer(0), point)
    }
  }

  /// Adds a row whose number is larger than any before.
  mutating func append(_ row: Int64, _ coordinate: Coordinate) {
    rows.append(row)
    coordinates.append(coordinate)
  }

  /// The position of a row's restaurant; nil if there is no such row, which cannot be set.
  subscript(row: Int64) -> Coordinate? {
    get { place(of: row).map { coordinates[$0] } }
    set { if let place = place(of: row), let newValue { coordinates[place] = newValue } }
  }

  /// Visits the rows and their positions, in order of id (UTF-8 bytes).
  ///
  /// - Throws: `DatabaseError` if the index on id does not match the table; errors of the body.
  func visitInOrderOfID(
    _ db: Database,
    _ body: (_ row: Int64, _ coordinate: Coordinate) throws -> Void
  ) throws {
    // the index on id contains the row numbers, so the table is not read
    let statement = try SQLStatement(db, "SELECT pk FROM restaurants ORDER BY id")
    while try statement.step() {
      let row = statement.integer(0)
      guard let place = place(of: row) else {
        throw DatabaseError(message: "the index on id has a row that is not in the table")
      }
      try body(row, coordinates[place])
    }
  }

  /// Subtracts if the numbers have no gaps, otherwise searches.
  private func place(of row: Int64) -> Int? {
    guard let first = rows.first, let last = rows.last, first <= row, row <= last else {
      return nil
    }
    if last &- first == rows.count - 1 { return Int(row - first) }
    var range = 0..<rows.count
    while range.count > 1 {
      let middle = (range.lowerBound + range.upperBound) / 2
      range = rows[middle] <= row ? middle..<range.upperBound : range.lowerBound..<middle
    }
    return rows[range.lowerBound] == row ? range.lowerBound : nil
  }
}
