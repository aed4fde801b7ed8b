import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// The statements that write a packed row to the table.
final class RowStatement {
  private let statement: SQLStatement
  private var point = PointBlob.origin

  private static let latitudeColumn = RestaurantField.latitude.column
  private static let longitudeColumn = RestaurantField.longitude.column
  private static let geometryIndex = RestaurantField.stored.count + 1
  private static let rowIndex = RestaurantField.stored.count + 2

  /// Inserts a row with its own number.
  static func insert(_ db: Database) throws -> RowStatement {
    let names = RestaurantField.stored.map(\.rawValue).joined(separator: ", ")
    let marks = RestaurantField.stored.map { _ in "?" }.joined(separator: ", ")
    return RowStatement(
      try SQLStatement(
        db,
        "INSERT INTO restaurants (\(names), geom, pk) VALUES (\(marks), ?, ?)"
      )
    )
  }

  /// Replaces the values of a row; its ids stay.
  static func update(_ db: Database) throws -> RowStatement {
    let pairs = RestaurantField.stored
      .filter { $0 != .id && $0 != .sourceID }
      .map { "\($0.rawValue) = ?\($0.column + 1)" }
    return RowStatement(
      try SQLStatement(
        db,
        "UPDATE restaurants SET \(pairs.joined(separator: ", ")), geom = ?\(geometryIndex) "
          + "WHERE pk = ?\(rowIndex)"
      )
    )
  }

  private init(_ statement: SQLStatement) {
    self.statement = statement
  }

  /// Writes a packed row.
  ///
  /// - Returns: The position of the restaurant.
  /// - Throws: `DatabaseError` if SQLite fails.
  func run(_ packed: UnsafeRawBufferPointer, row: Int64) throws -> Coordinate {
    statement.clear()
    let degrees = bind(packed)
    PointBlob.set(&point, latitude: degrees.latitude, longitude: degrees.longitude)
    try point.withUnsafeBytes { blob in
      statement.bind(blob: blob, at: Self.geometryIndex)
      statement.bind(row, at: Self.rowIndex)
      try statement.run()
    }
    guard
      let coordinate = Coordinate(latitude: degrees.latitude, longitude: degrees.longitude)
    else {
      preconditionFailure("A packed row must have a coordinate.")
    }
    return coordinate
  }

  /// Binds the row's values, and returns its position.
  private func bind(
    _ packed: UnsafeRawBufferPointer
  ) -> (latitude: Double, longitude: Double) {
    var degrees = (latitude: 0.0, longitude: 0.0)
    let reals = PackedRecord.reals
    PackedRecord.visit(packed) { column, value in
      switch value {
      case .text(let text): statement.bind(text: text, at: column + 1)
      case .number(let bits) where reals.hasBit(column):
        let number = Double(bitPattern: bits)
        if column == Self.latitudeColumn { degrees.latitude = number }
        if column == Self.longitudeColumn { degrees.longitude = number }
        statement.bind(number, at: column + 1)
      case .number(let bits): statement.bind(Int64(bitPattern: bits), at: column + 1)
      }
    }
    return degrees
  }
}
