package import GeoIndex
import GeoQuery

/// A place that whoever runs the service gave a name: `Office=32.95,-96.82`.
package struct NamedPlace: Sendable {
  /// The name.
  package let name: String

  /// Where it is.
  package let coordinate: Coordinate

  /// Makes a place.
  package init(name: String, coordinate: Coordinate) {
    self.name = name
    self.coordinate = coordinate
  }
}

/// Where the visitor is.
struct PagePlace: Sendable {
  /// The point that distances are measured from.
  let coordinate: Coordinate

  /// What it is called.
  let label: String

  /// The place that a view names; nil if it names none.
  ///
  /// - Throws: `PageFault` if there is no such place.
  static func find(
    _ view: PageView,
    among places: [NamedPlace],
    _ snapshot: Snapshot
  ) throws -> PagePlace? {
    // what was typed beats a link that was followed before
    guard view.at.isEmpty else { return try find(view.at, among: places) }
    if view.near.isEmpty { return nil }
    guard let restaurant = try snapshot.restaurant(id: view.near) else {
      throw PageFault("The restaurant to measure from is not there any more.")
    }
    return PagePlace(coordinate: restaurant.coordinate, label: restaurant.name)
  }

  /// The place of a text: a name that the operator gave, or `LAT,LON`.
  private static func find(_ text: String, among places: [NamedPlace]) throws -> PagePlace {
    let name = folded(text)
    if let place = places.first(where: { folded($0.name).hasBytes(of: name) }) {
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
    let known = places.map(\.name)
    let others = known.isEmpty ? "" : ", or one of: " + known.joined(separator: ", ")
    throw PageFault(
      "\(quoted(text)) is not a place. Write latitude,longitude, such as 32.95,-96.82\(others)."
    )
  }
}

/// Something in an address that a page tells about and goes on without.
struct PageFault: Error {
  /// A sentence.
  let sentence: String

  init(_ sentence: String) {
    self.sentence = sentence
  }
}
