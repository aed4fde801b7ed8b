import GeoIndex

/// Restaurants as rows of the table, column by column in the order of `Schema.fields`.
enum RestaurantRow {
  /// The columns of a select, in the order that `restaurant(_:path:)` reads: geom, then the fields.
  static let selection = "geom, " + Schema.fields.map(\.rawValue).joined(separator: ", ")

  /// How many columns that are: whatever else a select asks for comes behind them.
  static let columnCount = 1 + Schema.fields.count

  /// The restaurant of a row; a value of another type than geoq writes counts as none.
  ///
  /// - Throws: `StoreError` where it has no id, name, source or point.
  static func restaurant(_ row: RowColumns, path: String) throws -> Restaurant {
    guard let coordinate = PointBlob.decode(row.bytes(0)), let id = row.text(idColumn),
      let name = row.text(nameColumn), let source = row.text(sourceColumn)
    else {
      throw StoreError(
        .corrupt,
        path: path,
        "a row of restaurants has no id, name, source or point; run geoq doctor"
      )
    }
    var restaurant = Restaurant(id: id, name: name, coordinate: coordinate, source: source)
    for (column, field) in others where row.kind(column) != .null {
      read(field, from: column, of: row, into: &restaurant)
    }
    return restaurant
  }

  private static let idColumn = column(of: .id)
  private static let nameColumn = column(of: .name)
  private static let sourceColumn = column(of: .source)

  /// The columns that a row may lack.
  private static let others: [(column: Int, field: RestaurantField)] = {
    let needed: Set<RestaurantField> = [.id, .name, .source, .latitude, .longitude]
    return Schema.fields.filter { !needed.contains($0) }.map { (column(of: $0), $0) }
  }()

  private static func column(of field: RestaurantField) -> Int {
    guard let index = Schema.fields.firstIndex(of: field) else {
      preconditionFailure("Every field but the distance must be a column.")
    }
    return index + 1
  }

  private static func read(
    _ field: RestaurantField,
    from column: Int,
    of row: RowColumns,
    into restaurant: inout Restaurant
  ) {
    switch field {
    case .rating: restaurant.rating = row.number(column)
    case .ratingScale: restaurant.ratingScale = row.number(column)
    case .reviewCount: restaurant.reviewCount = row.count(column)
    case .priceLevel: restaurant.priceLevel = row.count(column)
    case .closed: restaurant.closed = row.count(column) == 1
    case .formattedAddress:
      if case .array(let lines)? = json(row.bytes(column)) {
        restaurant.address.formatted = lines.compactMap(\.asText)
      }
    case .extra:
      if case .object(let members)? = json(row.bytes(column)) { restaurant.extra = members }
    default:
      if let text = row.text(column) { _ = restaurant.setText(text, field) }
    }
  }

  private static func json(_ text: UnsafeRawBufferPointer) -> JSONValue? {
    let bytes = Array(text)
    // the scanner takes nothing else
    guard firstInvalidUTF8(in: bytes) == nil else { return nil }
    var scanner = JSONScanner(bytes)
    return try? scanner.readValue()
  }
}

extension RowColumns {
  /// A text of the row; nil for any other value.
  fileprivate func text(_ column: Int) -> String? {
    kind(column) == .text ? String(decoding: bytes(column), as: UTF8.self) : nil
  }

  /// A number of the row; nil for any other value.
  fileprivate func number(_ column: Int) -> Double? {
    switch kind(column) {
    case .integer: Double(integer(column))
    case .real: real(column)
    default: nil
    }
  }

  /// A whole number of the row; nil for any other value.
  fileprivate func count(_ column: Int) -> Int? {
    switch kind(column) {
    case .integer: Int(integer(column))
    case .real: Int(exactly: real(column))
    default: nil
    }
  }
}
