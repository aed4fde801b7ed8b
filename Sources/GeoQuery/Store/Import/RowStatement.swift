import GRDB
import GeoIndex

/// The statements that write a packed row of a batch to the table.
final class RowStatement {
  private let statement: SQLStatement
  private var point = PointBlob.origin

  /// Which columns hold numbers.
  static let isNumber: [Bool] = Schema.fields.map {
    switch $0 {
    case .latitude, .longitude, .rating, .ratingScale, .reviewCount, .priceLevel, .closed: true
    default: false
    }
  }
  private static let isReal = Schema.fields.map {
    [.latitude, .longitude, .rating, .ratingScale].contains($0)
  }
  private static let latitudeColumn = Schema.fields.firstIndex(of: .latitude)
  private static let geometryIndex = Schema.fields.count + 1
  private static let rowIndex = Schema.fields.count + 2

  /// Inserts a row under a number of its own.
  static func insert(_ db: Database) throws -> RowStatement {
    let names = Schema.fields.map(\.rawValue).joined(separator: ", ")
    let marks = Schema.fields.map { _ in "?" }.joined(separator: ", ")
    return RowStatement(
      try SQLStatement(
        db,
        "INSERT INTO restaurants (\(names), geom, pk) VALUES (\(marks), ?, ?)"
      )
    )
  }

  /// Gives a row other values.
  static func update(_ db: Database) throws -> RowStatement {
    let pairs = Schema.fields.map { "\($0.rawValue) = ?" }.joined(separator: ", ")
    return RowStatement(
      try SQLStatement(db, "UPDATE restaurants SET \(pairs), geom = ? WHERE pk = ?")
    )
  }

  private init(_ statement: SQLStatement) {
    self.statement = statement
  }

  /// Writes a packed row.
  ///
  /// - Returns: Where the restaurant lies.
  /// - Throws: `DatabaseError` where SQLite does not take it.
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

  /// Binds the values that are there, and gives the position among them.
  private func bind(
    _ packed: UnsafeRawBufferPointer
  ) -> (latitude: Double, longitude: Double) {
    var degrees = (latitude: 0.0, longitude: 0.0)
    var place = 0
    while place < packed.count {
      let column = Int(packed[place])
      place += 1
      guard Self.isNumber[column] else {
        let count = Int(packed.loadUnaligned(fromByteOffset: place, as: UInt32.self))
        place += 4
        let text = UnsafeRawBufferPointer(rebasing: packed[place..<place + count])
        statement.bind(text: text, at: column + 1)
        place += count
        continue
      }
      let bits = packed.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      place += 8
      if Self.isReal[column] {
        let number = Double(bitPattern: bits)
        if column == Self.latitudeColumn { degrees.latitude = number }
        if column - 1 == Self.latitudeColumn { degrees.longitude = number }
        statement.bind(number, at: column + 1)
      } else {
        statement.bind(Int64(bitPattern: bits), at: column + 1)
      }
    }
    return degrees
  }
}
