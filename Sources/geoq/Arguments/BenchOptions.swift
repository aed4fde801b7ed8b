import ArgumentParser

/// The queries and the points of a benchmark.
struct BenchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The points (default: generated).", valueName: "file"),
    completion: .file()
  )
  var points: String?

  @Option(
    help: ArgumentHelp("The queries (default: generated near the points).", valueName: "file"),
    completion: .file()
  )
  var queries: String?

  @Option(help: ArgumentHelp("Number of generated points. (default: 1000000)", valueName: "n"))
  var size: Int?

  @Option(help: ArgumentHelp("Seed of the generated points and queries.", valueName: "s"))
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
    help: ArgumentHelp("Number of neighbors. (default: 10)", valueName: "n")
  )
  var neighborCount: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Distance in meters, or with a unit: m, km, mi, ft.", valueName: "dist")
  )
  var radius: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Half the width and height of a box, in degrees.", valueName: "deg")
  )
  var halfWidth: String?

  @Flag(help: "Only count the points within a radius or a box.")
  var countOnly = false

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
      try atLeastOne(neighborCount, "--k")
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
    let operation = try benchOperation()
    try atLeastOne(size, "--size")
    if size != nil, points != nil { throw ValidationError("give --points or --size, not both") }
    if case .nearest = operation, countOnly {
      throw ValidationError("--count-only goes with --op radius or bbox")
    }
  }

  private func degrees(_ text: String) throws -> Double {
    guard let value = parseDecimal(text), (0...180).contains(value) else {
      throw ValidationError(
        "--half-width: expected degrees in 0...180, got \"\(terminalSafe(text))\""
      )
    }
    return value
  }
}

/// Rejects a number below one.
func atLeastOne(_ number: Int?, _ option: String) throws {
  if let number, number < 1 { throw ValidationError("\(option) must be 1 or more, got \(number)") }
}
