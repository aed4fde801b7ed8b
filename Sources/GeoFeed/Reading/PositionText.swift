package import GeoIndex
import GeoQuery

/// A position as people write or paste it, latitude first.
///
///     PositionText.coordinate(in: "32°57'00\"N 96°49'12\"W")
///     PositionText.coordinate(in: "https://www.openstreetmap.org/#map=17/32.95/-96.82")
package enum PositionText {
  /// The position of a text that `degrees(in:)` reads.
  ///
  /// - Returns: nil if the text has another form or is not on the globe.
  package static func coordinate(in text: String) -> Coordinate? {
    degrees(in: text).flatMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
  }

  /// Reads two decimal numbers, degrees with minutes and seconds, `geo:LAT,LON`, a point as well-known text,
  /// or a link to a map of Google, OpenStreetMap, Apple or Bing.
  ///
  /// Numbers are latitude first; with the letters N, S, E and W they may have any order. A link's pin
  /// precedes the center of its view.
  ///
  /// - Returns: Degrees, which may be out of range; nil if the text has another form.
  /// - Complexity: O(1), because longer texts than 2 000 bytes are not read.
  package static func degrees(in text: String) -> (latitude: Double, longitude: Double)? {
    guard text.utf8.count <= 2_000 else { return nil }
    let text = text.trimmed
    if text.contains("://") { return link(text) }
    if let point = try? CoordinateReading(wellKnownText: text).coordinate {
      return (point.latitude, point.longitude)
    }
    let isURI = text.lowercased().begins(with: "geo:")
    return pair(in: isURI ? String(text.dropFirst(4).prefix { $0 != ";" && $0 != "?" }) : text)
  }

  /// Reads two numbers, split at each place where that is possible.
  private static func pair(in text: String) -> (latitude: Double, longitude: Double)? {
    guard text.utf8.count <= 120 else { return nil }
    var ends = text.indices.filter { ",; \t".contains(text[$0]) }
    ends += text.indices.filter { "NSEWnew".contains(text[$0]) }.map { text.index(after: $0) }
    for end in ends {
      let first = String(text[..<end]).trimmed
      let second = String(text[end...].drop { ",; \t".contains($0) }).trimmed
      // a comma between the numbers is not one of a fraction as well: `1,2,3` may be anything
      let separator = text[end...].prefix { ",; \t".contains($0) }
      if separator.contains(","), first.contains(",") || second.contains(",") { continue }
      for (latitude, longitude) in [(first, second), (second, first)] {
        // in the other order only if letters tell which is which
        let isKnown = latitude == first || latitude.contains { "NSns".contains($0) }
        guard isKnown, let north = degrees(latitude, "latitude"),
          let east = degrees(longitude, "longitude")
        else { continue }
        return (north, east)
      }
    }
    return nil
  }

  private static func degrees(_ text: String, _ axis: String) -> Double? {
    (isDecimal(text) ? text : SexagesimalDegrees.decimal(text, of: axis)).flatMap { Double($0) }
  }

  /// What precedes the latitude in links, and what is between the numbers: pins first.
  private static let marks = [
    ("!3d", "!4d"), ("mlat=", "&mlon="), ("?q=", ","), ("&q=", ","), ("query=", ","),
    ("destination=", ","), ("daddr=", ","), ("coordinate=", ","), ("ll=", ","), ("cp=", "~"),
    ("/place/", ","), ("/search/", ","), ("@", ","), ("#map=", "/"),
  ]

  private static func link(_ text: String) -> (latitude: Double, longitude: Double)? {
    var text = text
    for (code, character) in [("%2C", ","), ("%2c", ","), ("%20", ""), ("+", "")] {
      text = text.parts(between: code).joined(separator: character)
    }
    for (mark, separator) in marks {
      var parts = text.parts(between: mark)
      guard parts.count > 1 else { continue }
      // OpenStreetMap has the zoom before the latitude
      if separator == "/" { parts[1] = String(parts[1].drop { $0 != "/" }.dropFirst()) }
      let numbers = parts[1].parts(between: separator)
      guard numbers.count > 1 else { continue }
      let (north, east) = (leadingNumber(numbers[0]), leadingNumber(numbers[1]))
      // the first number ends where the separator begins
      guard north == numbers[0], let latitude = Double(north), let longitude = Double(east),
        Coordinate(latitude: latitude, longitude: longitude) != nil
      else { continue }
      return (latitude, longitude)
    }
    return nil
  }

  private static func leadingNumber(_ text: String) -> String {
    String(text.prefix { "-.0123456789".contains($0) })
  }
}
