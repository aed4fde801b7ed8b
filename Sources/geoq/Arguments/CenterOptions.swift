import ArgumentParser
import GeoIndex

/// `--at` and `--at-file`: one point, or many.
struct CenterOptions: ParsableArguments {
  // half the globe starts with a minus, which the parser would take for an option
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The point to measure from, LAT,LON or geo:LAT,LON; - reads one a line from standard input.",
      valueName: "lat,lon"
    )
  )
  var at: String?

  @Option(
    help: ArgumentHelp(
      "Answer every point of this file: CSV with a header, GeoJSON or one LAT,LON a line; - is standard input.",
      valueName: "file"
    ),
    completion: .file(extensions: ["csv", "tsv", "txt", "geojson", "json"])
  )
  var atFile: String?

  @Option(
    help: ArgumentHelp(
      "With --at-file or --at -: the column that names the points, instead of their lines.",
      valueName: "column"
    )
  )
  var idCol: String?

  @Flag(help: "With --at - and --at-file: stop at the first point that is wrong.")
  var strict = false

  /// Whether there are many points.
  var isBatch: Bool { at == "-" || atFile != nil }

  /// The option that gives many points.
  var batchOption: String { atFile == nil ? "--at -" : "--at-file" }

  /// The point.
  ///
  /// - Throws: `ValidationError` naming `--at` and what is wrong.
  func coordinate() throws -> Coordinate {
    guard let at else {
      throw ValidationError("give a point: --at LAT,LON, or many: --at-file FILE")
    }
    return try named("--at") { try parsePoint(at) }
  }

  func validate() throws {
    if at != nil, atFile != nil { throw ValidationError("give --at or --at-file, not both") }
    if isBatch { return }
    if idCol != nil { throw ValidationError("--id-col: goes with --at-file and --at - only") }
    if strict {
      throw ValidationError(
        "--strict: goes with --at - and --at-file only, where a point may be bad"
      )
    }
    _ = try coordinate()
  }
}
