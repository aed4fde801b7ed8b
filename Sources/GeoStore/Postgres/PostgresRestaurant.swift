import GeoFeed
import GeoIndex
import GeoQuery

/// Restaurants as rows of PostgreSQL: packed records to columns and back.
enum PostgresRestaurant {
  /// The number of columns of the keys.
  static let columnCount = RestaurantField.stored.count

  private static let closed = RestaurantField.closed.column
  private static let priceLevel = RestaurantField.priceLevel.column

  /// Appends a packed record's columns to a row, NULL for keys without a value.
  static func put(_ packed: UnsafeRawBufferPointer, to writer: inout CopyWriter) {
    var next = 0
    PackedRecord.visit(packed) { column, value in
      while next < column {
        writer.putNull()
        next += 1
      }
      next += 1
      switch value {
      case .text(let text): writer.put(text)
      case .number(let bits) where column == closed: writer.put(bits == 1)
      case .number(let bits) where column == priceLevel:
        writer.put(Int16(truncatingIfNeeded: bits))
      case .number(let bits): writer.put(bits)
      }
    }
    while next < columnCount {
      writer.putNull()
      next += 1
    }
  }

  /// Appends the restaurant of a row, packed.
  ///
  /// - Parameters:
  ///   - row: A row of `PostgresSchema.selection`.
  ///   - first: The index of its first column.
  ///   - shown: The name of the store for errors.
  ///   - bytes: Receives the record.
  /// - Throws: `StoreError` if it has no id, name, source or point.
  static func pack(
    _ row: PostgresRow,
    from first: Int = 0,
    shown: String,
    to bytes: inout [UInt8]
  ) throws {
    guard let latitude = row.double(first + latitudeColumn),
      let longitude = row.double(first + longitudeColumn),
      Coordinate(latitude: latitude, longitude: longitude) != nil,
      needed.allSatisfy({ row.bytes(first + $0) != nil })
    else {
      throw StoreError(
        .corrupt,
        path: shown,
        "a row of restaurants has no id, name, source or point; \(Remedy.verifyStore)"
      )
    }
    for (index, field) in RestaurantField.stored.enumerated() {
      let (column, number) = (first + index, UInt8(index))
      switch field {
      case .latitude, .longitude, .rating, .ratingScale:
        let value = row.double(column).flatMap { $0.isFinite ? $0 : nil }
        PackedRecord.append(number, value?.bitPattern, to: &bytes)
      case .reviewCount, .priceLevel:
        let bits = row.integer(column).map { UInt64(bitPattern: $0) }
        PackedRecord.append(number, bits, to: &bytes)
      case .closed:
        PackedRecord.append(number, row.bool(column) == true ? 1 : nil, to: &bytes)
      default:
        if let text = row.bytes(column) { PackedRecord.append(number, text, to: &bytes) }
      }
    }
  }

  private static let latitudeColumn = RestaurantField.latitude.column
  private static let longitudeColumn = RestaurantField.longitude.column
  private static let needed = [RestaurantField.id, .name, .source].map(\.column)
}
