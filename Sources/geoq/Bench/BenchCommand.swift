import ArgumentParser
import GeoIndex
import GeoQuery

struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Benchmark queries on generated points or your own.",
    discussion: """
        geoq bench --size 1000000 --k 10
        geoq bench --points points.f64 --queries queries.f64 --radius 1km
        geoq bench --size 100000 --half-width 0.05 --json

      Files hold little-endian float64 pairs, longitude first. Query time covers everything from the input \
      coordinates to the reported distances. The mean is measured in a pass without per-query timing, the \
      percentiles in a second pass. In JSON, hits is the total of all queries; ids in --answers are \
      indexes of points, counted from 0; distances are in meters.
      """
  )

  @Option(help: "The points (default: generated).".value("file"), completion: .file())
  var points: String?

  @Option(
    help: "The queries (default: generated near the points).".value("file"),
    completion: .file()
  )
  var queries: String?

  @Option(help: "Number of generated points. (default: 1000000)".value("n"))
  var size: Int?

  @Option(help: "Seed of the generated points and queries.".value("s"))
  var seed: UInt64 = 1

  @Option(
    name: .customLong("op"),
    help: """
      The operation (default: radius with --radius, bbox with --half-width, otherwise nearest).
      """
  )
  var operation: BenchOperation.Name?

  @Option(
    name: [.customShort("k", allowingJoined: true), .customLong("k", withSingleDash: false)],
    parsing: .unconditional,
    help: "Number of neighbors. (default: 10)".value("n")
  )
  var neighborCount: Int?

  @Option(
    parsing: .unconditional,
    help: "Distance in meters, or with a unit: m, km, mi, ft.".value("dist")
  )
  var radius: String?

  @Option(
    parsing: .unconditional,
    help: "Half the width and height of a box, in degrees.".value("deg")
  )
  var halfWidth: String?

  @Flag(help: "Only count the points within a radius or a box.")
  var countOnly = false

  @Option(help: "Maximum number of queries.".value("n"))
  var count: Int?

  @Option(help: "Number of rounds; the median is reported.".value("n"))
  var rounds = 1

  @Option(help: "Number of threads; more than one implies --batch. (default: 1)".value("n"))
  var threads: Int?

  @Flag(help: "Run all queries in one call (nearest only), on all cores unless --threads is given.")
  var batch = false

  @Option(
    help: "Write the answers to this file, one JSON object per query.".value("file"),
    completion: .file()
  )
  var answers: String?

  @Flag(help: "Overwrite an existing --answers file.")
  var force = false

  @Flag(help: "Print JSON (schema geoq.bench/1).")
  var json = false

  @OptionGroup(visibility: .hidden) var globals: GlobalOptions

  /// The operation that the options name.
  ///
  /// - Throws: `ValidationError` if they cannot be combined.
  func benchOperation() throws -> BenchOperation {
    let name = operation ?? (radius != nil ? .radius : halfWidth != nil ? .bbox : .nearest)
    let given: [(String, Bool, BenchOperation.Name)] = [
      ("--k", neighborCount != nil, .nearest), ("--radius", radius != nil, .radius),
      ("--half-width", halfWidth != nil, .bbox),
    ]
    if let foreign = given.first(where: { $0.1 && $0.2 != name }) {
      throw ValidationError("\(foreign.0) goes with --op \(foreign.2.rawValue)")
    }
    switch name {
    case .nearest:
      try require(neighborCount, in: 1..., "--k must be 1 or more")
      return .nearest(count: neighborCount ?? 10)
    case .radius:
      guard let radius else { throw ValidationError("--op radius needs --radius") }
      return .radius(try named("--radius") { try parseDistance(radius) })
    case .bbox:
      guard let halfWidth else { throw ValidationError("--op bbox needs --half-width") }
      return .box(halfWidth: try degrees(halfWidth))
    }
  }

  func validate() throws {
    let isNearest = try benchOperation().name == .nearest
    let numbers = [
      (size, "--size"), (count, "--count"), (rounds, "--rounds"), (threads, "--threads"),
    ]
    for (number, option) in numbers { try require(number, in: 1..., "\(option) must be 1 or more") }
    if size != nil, points != nil { throw ValidationError("give --points or --size, not both") }
    if isNearest, countOnly { throw ValidationError("--count-only goes with --op radius or bbox") }
    if !isNearest, isBatch {
      throw ValidationError("--batch, and --threads above 1, go with --op nearest")
    }
    if force, answers == nil { throw ValidationError("--force goes with --answers") }
    if globals.db != nil {
      throw ValidationError("--db: bench measures the index, without a database")
    }
  }

  func run() throws {
    let report = try measured(try benchOperation())
    if json {
      try StandardStreams.printJSON(report.json)
    } else {
      try StandardStreams.print(lines: report.lines)
    }
  }

  /// Whether all queries are answered by one call.
  var isBatch: Bool { batch || (threads ?? 1) > 1 }

  /// The number of threads; nil for all cores.
  var threadCount: Int? { threads ?? (batch ? nil : 1) }

  private func degrees(_ text: String) throws -> Double {
    guard let value = parseDecimal(text), (0...180).contains(value) else {
      throw unexpected("--half-width", text, "degrees in 0...180")
    }
    return value
  }
}

enum BenchOperation: Equatable {
  case nearest(count: Int)
  /// All within a radius in meters.
  case radius(Double)
  /// All in a box of a half-width in degrees.
  case box(halfWidth: Double)

  /// The values of `--op`.
  enum Name: String, CaseIterable, ExpressibleByArgument {
    case nearest
    case radius
    case bbox
  }

  var name: Name {
    switch self {
    case .nearest: .nearest
    case .radius: .radius
    case .box: .bbox
    }
  }

  /// The operation for people.
  var description: String {
    switch self {
    case .nearest(let count): "nearest, k = \(grouped(count))"
    case .radius(let meters): "radius \(meters) m"
    case .box(let halfWidth): "bbox ±\(halfWidth)°"
    }
  }

  /// The default number of queries: fewer if each takes long.
  var defaultQueryCount: Int {
    switch self {
    case .nearest(let count): count < 100 ? 200_000 : 20_000
    case .radius: 5_000
    case .box(let halfWidth): halfWidth < 0.5 ? 5_000 : 500
    }
  }
}

extension BoundingBox {
  /// The box of a half-width in degrees around a point; it is clipped at the poles and may cross
  /// the antimeridian.
  ///
  /// - Precondition: 0 ≤ `halfWidth` ≤ 180.
  static func around(_ center: Coordinate, halfWidth: Double) -> BoundingBox {
    let (south, north) = (center.latitude - halfWidth, center.latitude + halfWidth)
    let (west, east) = (center.longitude - halfWidth, center.longitude + halfWidth)
    let isWholeTurn = halfWidth >= 180
    let box = BoundingBox(
      west: isWholeTurn ? -180 : west < -180 ? west + 360 : west,
      south: max(-90, south),
      east: isWholeTurn ? 180 : east > 180 ? east - 360 : east,
      north: min(90, north)
    )
    guard let box else { preconditionFailure("A half-width must be 0...180 degrees.") }
    return box
  }
}
