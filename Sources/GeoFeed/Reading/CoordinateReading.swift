import GeoIndex
import GeoQuery

/// Reads latitude and longitude from whatever a feed gives, and says what is wrong with them.
struct CoordinateReading {
  /// The position.
  let coordinate: Coordinate

  /// What looked odd but was taken: numbers written as text.
  let warnings: [String]

  /// Reads both values.
  ///
  /// - Parameters:
  ///   - latitude: Degrees north.
  ///   - longitude: Degrees east.
  ///   - isText: Whether the format writes every number as text, so that it is no cause for a warning.
  /// - Throws: `FeedProblem` naming the value that is missing, no number, not finite or out of range.
  init(
    latitude: JSONValue?,
    longitude: JSONValue?,
    isText: Bool = false
  ) throws(FeedProblem) {
    var warnings: [String] = []
    let north = try Self.degrees(latitude, "latitude", &warnings)
    let east = try Self.degrees(longitude, "longitude", &warnings)
    if isText { warnings = [] }
    guard (-90...90).contains(north) else {
      let canBeSwapped = (-90...90).contains(east) && (-180...180).contains(north)
      throw FeedProblem(
        "latitude \(north) is not in -90...90"
          + (canBeSwapped ? "; are latitude and longitude swapped?" : "")
      )
    }
    guard let coordinate = Coordinate(latitude: north, longitude: east) else {
      throw FeedProblem("longitude \(east) is not in -180...180")
    }
    self.coordinate = coordinate
    self.warnings = warnings
  }

  /// The middle of an outline: ways and areas have no position of their own.
  ///
  /// - Parameter corners: Degrees; an outline on both sides of ±180 is one that is not wider than half
  ///   the globe there.
  /// - Throws: `FeedProblem` where there are none, or the outline is wider than half the globe.
  init(middleOf corners: [(latitude: Double, longitude: Double)]) throws(FeedProblem) {
    let (north, south) = (corners.map(\.latitude).max(), corners.map(\.latitude).min())
    let longitudes = corners.map(\.longitude)
    guard let north, let south, let east = longitudes.max(), let west = longitudes.min() else {
      throw FeedProblem("the outline has no position")
    }
    guard east - west > 180 else {
      try self.init(middleOf: (west, south, east, north))
      return
    }
    let eastern = longitudes.filter { $0 >= 0 }.min() ?? west
    let western = longitudes.filter { $0 < 0 }.max() ?? east
    try self.init(middleOf: (eastern, south, western, north))
  }

  /// The middle of bounds; west > east crosses ±180.
  ///
  /// - Throws: `FeedProblem` where they are wider than half the globe, or not on it.
  init(
    middleOf box: (west: Double, south: Double, east: Double, north: Double)
  ) throws(FeedProblem) {
    let crosses = box.west > box.east
    let width = box.east - box.west + (crosses ? 360 : 0)
    let isOnGlobe = [box.west, box.east].allSatisfy((-180...180).contains)
    guard isOnGlobe, width <= 180,
      let middle = Coordinate(
        latitude: (box.north + box.south) / 2,
        longitude: (box.west + width / 2) - (box.west + width / 2 > 180 ? 360 : 0)
      )
    else { throw FeedProblem("the outline has no middle on the globe") }
    coordinate = middle
    warnings = ["the position is the middle of an outline"]
  }

  private static func degrees(
    _ value: JSONValue?,
    _ name: String,
    _ warnings: inout [String]
  ) throws(FeedProblem) -> Double {
    let token: String
    switch value {
    case nil, .null?: throw FeedProblem("\(name) is missing")
    case .number(let digits)?: token = digits
    case .string(let text)?:
      token = text.trimmed
      guard isDecimal(token) else {
        throw FeedProblem("\(name) \"\(shortened(text))\" is not a number")
      }
      warnings.append("\(name) \"\(shortened(text))\" is text; read as a number")
    case let other?: throw FeedProblem("\(name) is \(other.kind), not a number")
    }
    guard let degrees = Double(token), degrees.isFinite else {
      throw FeedProblem("\(name) \(shortened(token)) is too large for a number")
    }
    return degrees
  }
}
