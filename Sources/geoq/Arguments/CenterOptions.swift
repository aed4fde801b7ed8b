import ArgumentParser
import GeoIndex

/// `--at`: one point, or `-` for one a line on standard input.
struct CenterOptions: ParsableArguments {
  // half the globe starts with a minus, which the parser would take for an option
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The point to measure from, LAT,LON or geo:LAT,LON; - reads one a line from standard input.",
      valueName: "lat,lon"
    )
  )
  var at: String

  /// Whether points come from standard input.
  var isBatch: Bool { at == "-" }

  /// The point.
  ///
  /// - Throws: `ValidationError` naming `--at` and what is wrong.
  func coordinate() throws -> Coordinate {
    try named("--at") { try parseCoordinate(at) }
  }

  func validate() throws {
    if !isBatch { _ = try coordinate() }
  }
}

/// The coordinate of a point as people write it.
///
/// - Throws: `ArgumentProblem` saying what is wrong.
func parseCoordinate(_ text: String) throws -> Coordinate {
  let point = try parsePoint(text)
  guard let coordinate = Coordinate(latitude: point.latitude, longitude: point.longitude) else {
    throw ArgumentProblem(expected: "LAT,LON", got: text)
  }
  return coordinate
}

/// The box of `W,S,E,N`.
///
/// - Throws: `ArgumentProblem` saying what is wrong.
func parseBoundingBox(_ text: String) throws -> BoundingBox {
  let box = try parseBox(text)
  guard
    let box = BoundingBox(west: box.west, south: box.south, east: box.east, north: box.north)
  else { throw ArgumentProblem(expected: "W,S,E,N", got: text) }
  return box
}

/// Puts an option's name before what is wrong with its value.
func named<Value>(_ option: String, _ body: () throws -> Value) throws -> Value {
  do {
    return try body()
  } catch let problem as ArgumentProblem {
    throw ValidationError("\(option): \(problem.description)")
  }
}
