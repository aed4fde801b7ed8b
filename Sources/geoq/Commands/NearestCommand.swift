import ArgumentParser
import GeoIndex
import GeoQuery

/// `geoq nearest`.
struct NearestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nearest",
    abstract: "List the nearest restaurants.",
    discussion: """
        geoq nearest --at 32.95,-96.82
        geoq nearest --at 32.95,-96.82 -k 3 --max 2km --category Thai
        geoq nearest --at-file stops.csv -k 1 -o nearest.csv

      Points are LAT,LON; bbox and GeoJSON are LON first. Results are sorted by distance along the \
      WGS84 ellipsoid, then by id. The -k nearest are chosen first: --sort orders those, --limit and \
      --cursor page through them.
      """
  )

  @OptionGroup var center: CenterOptions

  @Option(
    name: [.customShort("k", allowingJoined: true), .customLong("count")],
    parsing: .unconditional,
    help: ArgumentHelp("Number of restaurants.", valueName: "n")
  )
  var count = 10

  @Option(
    name: .customLong("max"),
    parsing: .unconditional,
    help: ArgumentHelp(
      "Maximum distance in meters, or with a unit: m, km, mi, ft.",
      valueName: "dist"
    )
  )
  var maximumDistance: String?

  @OptionGroup var filters: FilterOptions
  @OptionGroup var sorting: SortOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var facets: FacetOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var explanation: ExplainOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if count < 0 { throw ValidationError("--count must be 0 or more, got \(count)") }
    _ = try meters()
  }

  func run() throws {
    let meters = try meters()
    let filter = try filters.filter(globals)
    let run = QueryRun(globals: globals, output: output)
    if center.isBatch {
      try page.checkBatch(center.batchOption)
      try facets.checkBatch(center.batchOption)
      try BatchRun(run: run, center: center, hasRank: count > 1).answer { coordinate in
        try query(from: coordinate, within: meters, matching: filter)
      }
    } else {
      if let limit = page.limit, limit > count {
        globals.say(
          "note: --limit pages through the \(count) nearest; -k \(limit) asks for more of them"
        )
      }
      try run.answer(
        try query(from: center.coordinate(), within: meters, matching: filter),
        filters: filters,
        facets: facets
      )
    }
  }

  private func query(
    from coordinate: Coordinate,
    within meters: Double,
    matching filter: Filter
  ) throws -> Query {
    Query(
      .nearest(to: coordinate, count: count, within: meters),
      matching: filter,
      in: try sorting.order(),
      limit: page.limit,
      from: page.cursor,
      explained: explanation.explain
    )
  }

  private func meters() throws -> Double {
    guard let maximumDistance else { return .infinity }
    return try named("--max") { try parseDistance(maximumDistance) }
  }
}
