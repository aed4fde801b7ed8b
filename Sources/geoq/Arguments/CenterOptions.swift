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

  @Flag(help: "With --at -: stop at the first line that is no point.")
  var strict = false

  /// Whether points come from standard input.
  var isBatch: Bool { at == "-" }

  /// The point.
  ///
  /// - Throws: `ValidationError` naming `--at` and what is wrong.
  func coordinate() throws -> Coordinate {
    try named("--at") { try parsePoint(at) }
  }

  func validate() throws {
    if isBatch { return }
    if strict { throw ValidationError("--strict: goes with --at - only, where a line may be bad") }
    _ = try coordinate()
  }
}
