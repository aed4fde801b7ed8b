import ArgumentParser
import GeoQuery
import GeoService

/// A named place: `NAME=LAT,LON`.
struct PlaceArgument: ExpressibleByArgument {
  /// The maximum length of a name in bytes of UTF-8.
  private static let nameLength = 60

  /// The place.
  let place: NamedPlace

  init?(argument: String) {
    guard let mark = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    let name = String(argument[..<mark]).trimmingBlanks
    let point = String(argument[argument.utf8.index(after: mark)...])
    guard (1...Self.nameLength).contains(name.utf8.count),
      let coordinate = try? parsePoint(point)
    else { return nil }
    place = NamedPlace(name: name, coordinate: coordinate)
  }
}
