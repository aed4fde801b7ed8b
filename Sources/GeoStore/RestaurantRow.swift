import GeoIndex
import GeoQuery

/// Restaurants as rows of the table, with columns in the order of `RestaurantField.stored`.
enum RestaurantRow {
  /// The columns to select, in the order in which they are read here: geom, then the fields.
  static let selection = "geom, " + RestaurantField.stored.map(\.rawValue).joined(separator: ", ")

  /// The number of these columns: other columns of a select follow them.
  static let columnCount = 1 + RestaurantField.stored.count

  /// Appends the restaurant of a row, packed; a value of a type that geoq does not write counts as
  /// missing.
  ///
  /// - Throws: `StoreError` if it has no id, name, source or point.
  static func pack(
    _ row: RowColumns,
    from first: Int = 0,
    path: String,
    to bytes: inout [UInt8]
  ) throws {
    guard let coordinate = PointBlob.decode(row.bytes(first)),
      needed.allSatisfy({ isText(row, first + $0) })
    else {
      throw StoreError(
        .corrupt,
        path: path,
        "a row of restaurants has no id, name, source or point; \(Remedy.checkDatabase)"
      )
    }
    for (index, field) in RestaurantField.stored.enumerated() {
      let (column, number) = (first + index + 1, UInt8(index))
      switch field.kind {
      case .real where field == .latitude:
        PackedRecord.append(number, coordinate.latitude.bitPattern, to: &bytes)
      case .real where field == .longitude:
        PackedRecord.append(number, coordinate.longitude.bitPattern, to: &bytes)
      case .real: PackedRecord.append(number, row.number(column)?.bitPattern, to: &bytes)
      case .whole:
        let bits = row.wholeNumber(column).map { UInt64(bitPattern: $0) }
        PackedRecord.append(number, bits, to: &bytes)
      case .flag:
        PackedRecord.append(number, row.wholeNumber(column) == 1 ? 1 : nil, to: &bytes)
      case .text, .texts, .object:
        if isText(row, column) { append(row.bytes(column), number, to: &bytes) }
      }
    }
  }

  private static let needed = [RestaurantField.id, .name, .source].map { $0.column + 1 }

  private static func isText(_ row: RowColumns, _ column: Int) -> Bool {
    row.kind(column) == .text
  }

  /// Appends a text; invalid UTF-8, which another program may have written, becomes U+FFFD.
  private static func append(
    _ text: UnsafeRawBufferPointer,
    _ number: UInt8,
    to bytes: inout [UInt8]
  ) {
    guard firstInvalidUTF8(in: text) == nil else {
      var mended = String(decoding: text, as: UTF8.self)
      return mended.withUTF8 {
        PackedRecord.append(number, UnsafeRawBufferPointer($0), to: &bytes)
      }
    }
    PackedRecord.append(number, text, to: &bytes)
  }
}

extension RowColumns {
  /// A number of the row; nil for any other value.
  fileprivate func number(_ column: Int) -> Double? {
    switch kind(column) {
    case .integer: Double(integer(column))
    case .real: real(column).isFinite ? real(column) : nil
    default: nil
    }
  }

  /// A whole number of the row; nil for any other value.
  fileprivate func wholeNumber(_ column: Int) -> Int64? {
    switch kind(column) {
    case .integer: integer(column)
    case .real: Int64(exactly: real(column))
    default: nil
    }
  }
}
