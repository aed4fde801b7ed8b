import Foundation
import GRDB
import GeoIndex

/// Restaurants as rows of the table, column by column in the order of `Schema.fields`.
enum RestaurantRow {
  /// The columns of a select, in the order that `restaurant(_:path:)` reads: geom, then the fields.
  static let selection = "geom, " + Schema.fields.map(\.rawValue).joined(separator: ", ")

  private static let columns = Dictionary(uniqueKeysWithValues: zip(Schema.fields, 1...))

  /// The restaurant of a row.
  ///
  /// - Throws: `StoreError` where a value is not what geoq writes.
  static func restaurant(_ row: Row, path: String) throws -> Restaurant {
    // GRDB traps where a value does not convert; a table edited by hand must not crash a query
    func value<Value: DatabaseValueConvertible>(_ field: RestaurantField) -> Value? {
      columns[field].flatMap { Value.fromDatabaseValue(row[$0]) }
    }
    guard let blob = Data.fromDatabaseValue(row[0]), let coordinate = PointBlob.decode(blob),
      let id: String = value(.id), let name: String = value(.name),
      let source: String = value(.source)
    else {
      throw StoreError(
        .corrupt,
        path: path,
        "a row of restaurants has no id, name, source or point; run geoq doctor"
      )
    }
    var restaurant = Restaurant(id: id, name: name, coordinate: coordinate, source: source)
    for field in Schema.fields {
      if let path = field.textPath { restaurant[keyPath: path] = value(field) }
    }
    restaurant.rating = value(.rating)
    restaurant.ratingScale = value(.ratingScale)
    restaurant.reviewCount = value(.reviewCount)
    restaurant.priceLevel = value(.priceLevel)
    restaurant.closed = value(.closed) == 1
    if case .array(let lines)? = json(value(.formattedAddress)) {
      restaurant.address.formatted = lines.compactMap(\.asText)
    }
    if case .object(let members)? = json(value(.extra)) { restaurant.extra = members }
    return restaurant
  }

  private static func json(_ text: String?) -> JSONValue? {
    guard let text else { return nil }
    var scanner = JSONScanner(Array(text.utf8))
    return try? scanner.readValue()
  }
}
