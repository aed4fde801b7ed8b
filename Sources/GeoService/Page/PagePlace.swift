package import GeoIndex
import GeoQuery

/// A place that the operator has named: `Office=32.95,-96.82`.
package struct NamedPlace: Sendable {
  /// The name.
  package let name: String

  /// The position.
  package let coordinate: Coordinate

  /// Makes a place.
  package init(name: String, coordinate: Coordinate) {
    self.name = name
    self.coordinate = coordinate
  }
}

/// The visitor's place.
struct PagePlace: Sendable {
  /// The point from which distances are measured.
  let coordinate: Coordinate

  /// The name that people read.
  let label: String

  /// The place in a view; nil if the view has none.
  ///
  /// - Throws: `PageFault` if there is no such place.
  static func find(
    _ view: PageView,
    among places: [NamedPlace],
    _ snapshot: Snapshot
  ) throws -> PagePlace? {
    // a typed place takes precedence over a link that was followed earlier
    guard view.at.isEmpty else { return try find(view.at, among: places, snapshot) }
    if view.near.isEmpty { return nil }
    guard let restaurant = try snapshot.restaurant(id: view.near) else {
      throw PageFault("The restaurant to measure from is not there any more.")
    }
    return PagePlace(coordinate: restaurant.coordinate, label: restaurant.name)
  }

  /// Finds a place by a name that the operator gave, by `LAT,LON`, or by the id of a restaurant.
  ///
  /// - Throws: `PageFault` if there is no such place.
  static func find(
    _ text: String,
    among places: [NamedPlace],
    _ snapshot: Snapshot
  ) throws -> PagePlace {
    let name = folded(text)
    if let place = places.first(where: { folded($0.name).isUTF8Equal(to: name) }) {
      return PagePlace(coordinate: place.coordinate, label: place.name)
    }
    let numbers = Parameter.entries(of: text).map { DecimalText.number($0) }
    if numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] {
      guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
        throw PageFault(
          "\(quoted(text)) is not on the Earth: latitude comes first, then longitude."
        )
      }
      return PagePlace(coordinate: coordinate, label: text)
    }
    if let restaurant = try snapshot.restaurant(id: text) {
      return PagePlace(coordinate: restaurant.coordinate, label: restaurant.name)
    }
    let known = places.map(\.name)
    let others = known.isEmpty ? "" : ", or one of: " + known.joined(separator: ", ")
    throw PageFault(
      "\(quoted(text)) is not a place. Write latitude,longitude, such as 32.95,-96.82\(others)."
    )
  }
}

/// A fault in an address that a page reports and otherwise ignores.
struct PageFault: Error {
  /// A sentence.
  let sentence: String

  init(_ sentence: String) {
    self.sentence = sentence
  }
}
