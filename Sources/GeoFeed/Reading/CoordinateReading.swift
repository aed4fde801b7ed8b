import GeoIndex
import GeoQuery

/// Reads a position in any form that feeds use, and describes what is wrong with it.
struct CoordinateReading {
  /// The position.
  let coordinate: Coordinate

  /// Warnings about accepted values: numbers written as text.
  let warnings: [String]

  /// Reads both values.
  ///
  /// - Parameters:
  ///   - latitude: Degrees north.
  ///   - longitude: Degrees east.
  ///   - isText: Whether the format writes every number as text, so that this causes no warning.
  /// - Throws: `FeedProblem` about the value that is missing, not a number, not finite or out of
  ///   range.
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

  /// Makes a position that was found in another way, as a warning tells.
  init(_ coordinate: Coordinate, warning: String) {
    self.coordinate = coordinate
    warnings = [warning]
  }

  /// Makes the center of an outline, because ways and areas have no position.
  ///
  /// - Parameter corners: Degrees; an outline may cross ±180 if it is not wider than half the
  ///   globe.
  /// - Throws: `FeedProblem` if there are none, or the outline is wider than half the globe.
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

  /// Makes the center of bounds; west > east crosses ±180.
  ///
  /// - Throws: `FeedProblem` if they are wider than half the globe, or not on it.
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
    else { throw FeedProblem("the outline has no center on the globe") }
    coordinate = middle
    warnings = ["position taken from the center of the outline's bounding box"]
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
      let plain = text.trimmed
      guard let degrees = isDecimal(plain) ? plain : SexagesimalDegrees.decimal(plain, of: name)
      else { throw FeedProblem("\(name) \"\(shortened(text))\" is not a number") }
      token = degrees
      warnings.append("\(name) \"\(shortened(text))\" is text; read as a number")
    case let other?: throw FeedProblem("\(name) is \(other.kind), not a number")
    }
    guard let degrees = Double(token), degrees.isFinite else {
      throw FeedProblem("\(name) \(shortened(token)) is too large for a number")
    }
    return degrees
  }
}
