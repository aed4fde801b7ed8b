import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

extension StoreConnection {
  /// The packed restaurant in the columns of a row that begin at `first`.
  ///
  /// - Throws: `StoreError` if it has no id, name, source or point.
  func packed(_ row: Row, from first: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try pack(row, from: first, to: &bytes)
    return bytes
  }

  /// Appends the restaurant in the columns of a row that begin at `first`, packed; a value of a type that
  /// geoq does not write counts as missing.
  ///
  /// - Throws: `StoreError` if it has no id, name, source or point.
  func pack(_ row: Row, from first: Int = 0, to bytes: inout [UInt8]) throws {
    let start = first + Self.restaurantColumns.count - RestaurantField.stored.count
    guard let coordinate = Self.coordinate(of: row, from: first),
      neededColumns.allSatisfy({ row.utf8(start + $0) != nil })
    else {
      throw problem(
        .corrupt,
        "a row of restaurants has no id, name, source or point; \(Self.remedy)"
      )
    }
    for (index, field) in RestaurantField.stored.enumerated() {
      let (column, number) = (start + index, UInt8(index))
      switch field.kind {
      case .real where field == .latitude:
        PackedRecord.append(number, coordinate.latitude.bitPattern, to: &bytes)
      case .real where field == .longitude:
        PackedRecord.append(number, coordinate.longitude.bitPattern, to: &bytes)
      case .real:
        let value = row.double(column).flatMap { $0.isFinite ? $0 + 0 : nil }
        PackedRecord.append(number, value?.bitPattern, to: &bytes)
      case .whole:
        let value = row.integer(column) ?? row.double(column).flatMap { Int64(exactly: $0) }
        PackedRecord.append(number, value.map { UInt64(bitPattern: $0) }, to: &bytes)
      case .flag:
        PackedRecord.append(number, row.bool(column) == true ? 1 : nil, to: &bytes)
      case .text, .texts, .object:
        if let text = row.utf8(column) { append(text, number, to: &bytes) }
      }
    }
  }

  /// Appends a text; invalid UTF-8, which another program may have written, becomes U+FFFD.
  private func append(_ text: UnsafeRawBufferPointer, _ number: UInt8, to bytes: inout [UInt8]) {
    guard firstInvalidUTF8(in: text) == nil else {
      var mended = String(decoding: text, as: UTF8.self)
      return mended.withUTF8 {
        PackedRecord.append(number, UnsafeRawBufferPointer($0), to: &bytes)
      }
    }
    PackedRecord.append(number, text, to: &bytes)
  }
}

private let neededColumns = [RestaurantField.id, .name, .source].map(\.column)

/// SpatiaLite's form of a 2-D point with SRID 4326: 60 bytes, little-endian.
///
/// Start 0x00, byte order 0x01, SRID, bounding box (4 doubles), 0x7C, class 1, x, y, end 0xFE: the
/// same bytes as `MakePoint(x, y, 4326)` (SpatiaLite's BLOB-Geometry format). Coordinates keep
/// their bits, including -0.0.
enum PointBlob {
  private static let count = 60
  private static let head: [UInt8] = [0x00, 0x01, 0xE6, 0x10, 0x00, 0x00]
  private static let pointClass: [UInt8] = [0x7C, 0x01, 0x00, 0x00, 0x00]
  private static let tail: UInt8 = 0xFE
  private static let xOffset = 43
  private static let yOffset = 51

  /// The blob of the point 0, 0, whose position is then set.
  static let origin: [UInt8] =
    head + [UInt8](repeating: 0, count: 32) + pointClass + [UInt8](repeating: 0, count: 16) + [tail]

  /// Sets the position in a blob.
  static func set(_ blob: inout [UInt8], latitude: Double, longitude: Double) {
    let x = longitude.bitPattern.littleEndian
    let y = latitude.bitPattern.littleEndian
    blob.withUnsafeMutableBytes { bytes in
      for offset in [6, 22, xOffset] {
        bytes.storeBytes(of: x, toByteOffset: offset, as: UInt64.self)
        bytes.storeBytes(of: y, toByteOffset: offset + 8, as: UInt64.self)
      }
    }
  }

  /// The coordinate of a blob's bytes, or nil if it is not a point in WGS84 degrees.
  static func decode(_ blob: UnsafeRawBufferPointer) -> Coordinate? {
    guard blob.count == count, blob.starts(with: head), blob[count - 1] == tail,
      blob[38..<xOffset].elementsEqual(pointClass)
    else { return nil }
    return Coordinate(
      latitude: double(in: blob, at: yOffset),
      longitude: double(in: blob, at: xOffset)
    )
  }

  private static func double(in blob: UnsafeRawBufferPointer, at offset: Int) -> Double {
    let bits = blob.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    return Double(bitPattern: UInt64(littleEndian: bits))
  }
}

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
  init(_ connection: SQLiteConnection) throws {
    let count = try connection.count()
    rows.reserveCapacity(count)
    coordinates.reserveCapacity(count)
    let statement = try SQLStatement(
      connection.db,
      "SELECT pk, geom FROM restaurants ORDER BY pk"
    )
    while try statement.step() {
      guard let point = PointBlob.decode(statement.bytes(1)) else {
        let words = "a row of restaurants has no point; \(Remedy.checkDatabase)"
        throw connection.problem(.corrupt, words)
      }
      rows.append(statement.integer(0))
      coordinates.append(point)
    }
  }

  /// The position of a row's restaurant; nil if there is no such row.
  subscript(row: Int64) -> Coordinate? { place(of: row).map { coordinates[$0] } }

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
