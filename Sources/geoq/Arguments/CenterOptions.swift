import ArgumentParser
import GeoIndex
import GeoQuery

/// `--at` and `--at-file`: one point, or many.
struct CenterOptions: ParsableArguments {
  // a longitude or latitude may start with a minus, which the parser would read as an option
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The point to measure from, LAT,LON or geo:LAT,LON; - reads points from standard input.",
      valueName: "lat,lon"
    )
  )
  var at: String?

  @Option(
    help: ArgumentHelp(
      "Answer for each point in this file: any format of geoq import, or one LAT,LON per line; - is standard input.",
      valueName: "file"
    ),
    completion: .file(extensions: ["csv", "tsv", "txt", "geojson", "json"])
  )
  var atFile: String?

  @Option(
    help: ArgumentHelp(
      "With --at-file or --at -: identify points by this column, not by line number.",
      valueName: "column"
    )
  )
  var idCol: String?

  @Flag(help: "With --at-file or --at -: stop at the first invalid point.")
  var strict = false

  @Flag(
    help:
      "With --at-file or --at -: keep points without a result; their row has only their columns."
  )
  var keepUnmatched = false

  @OptionGroup(title: "How --at-file and --at - are read") var points: PointReadingOptions

  /// Whether many points are given.
  var isBatch: Bool { at == "-" || atFile != nil }

  /// The name of the option that gives many points.
  var batchOption: String { atFile == nil ? "--at -" : "--at-file" }

  /// The point.
  ///
  /// - Throws: `ValidationError` about `--at` if the point is invalid.
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
    guard try !points.isGiven, !keepUnmatched else {
      throw ValidationError(
        "--keep-unmatched and the options for reading points go with --at-file and --at - only"
      )
    }
    _ = try coordinate()
  }
}

/// `--at` with `--radius`, or `--bbox`: a part of the world for commands about any query.
struct RegionOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The point to measure from.", valueName: "lat,lon")
  )
  var at: String?

  @Option(
    name: .shortAndLong,
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --at: all within this distance, in meters or with m, km, mi, ft.",
      valueName: "dist"
    )
  )
  var radius: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("All in this box, longitude first.", valueName: "w,s,e,n")
  )
  var bbox: String?

  /// The circle, the box, or everywhere; nil for a point without a radius.
  func region() throws -> Query.Region? {
    if let bbox {
      guard at == nil else { throw ValidationError("give --at or --bbox, not both") }
      guard radius == nil else { throw Self.needsPoint("-r needs") }
      return .box(try named("--bbox") { try parseBox(bbox) })
    }
    guard let center = try center() else {
      guard radius == nil else { throw Self.needsPoint("-r needs") }
      return .everywhere
    }
    return try radius.map { radius in
      .radius(try named("--radius") { try parseDistance(radius) }, of: center)
    }
  }

  /// The point; nil if it is not given.
  func center() throws -> Coordinate? {
    try at.map { at in try named("--at") { try parsePoint(at) } }
  }

  /// The error of options without a point.
  static func needsPoint(_ options: String) -> ValidationError {
    ValidationError("\(options) a point: --at LAT,LON")
  }
}
