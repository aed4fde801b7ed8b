import ArgumentParser
import GeoIndex
import GeoQuery

/// `geoq radius`.
struct RadiusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "radius",
    abstract: "List the restaurants within a distance.",
    discussion: """
        geoq radius --at 32.95,-96.82 -r 500
        geoq radius --at 32.95,-96.82 -r 1.5km --text burger
        geoq radius --at 32.95,-96.82 -r 2mi -f count

      Points are LAT,LON; bbox and GeoJSON are LON first. A restaurant exactly on the circle \
      counts. Results are sorted by distance, then by id.
      """
  )

  @OptionGroup var center: CenterOptions

  @Option(
    name: .shortAndLong,
    parsing: .unconditional,
    help: ArgumentHelp("Distance in meters, or with a unit: m, km, mi, ft.", valueName: "dist")
  )
  var radius: String

  @OptionGroup var filters: FilterOptions
  @OptionGroup var sorting: SortOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var facets: FacetOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var explanation: ExplainOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    _ = try meters()
  }

  func run() throws {
    let meters = try meters()
    let filter = try filters.filter(globals)
    let run = QueryRun(globals: globals, output: output)
    if center.isBatch {
      try page.checkBatch(center.batchOption)
      try facets.checkBatch(center.batchOption)
      try BatchRun(run: run, center: center).answer { coordinate in
        try query(around: coordinate, within: meters, matching: filter)
      }
    } else {
      try run.answer(
        try query(around: center.coordinate(), within: meters, matching: filter),
        filters: filters,
        facets: facets
      )
    }
  }

  private func query(
    around coordinate: Coordinate,
    within meters: Double,
    matching filter: Filter
  ) throws -> Query {
    Query(
      .radius(meters, of: coordinate),
      matching: filter,
      in: try sorting.order(),
      limit: page.limit,
      from: page.cursor,
      explained: explanation.explain
    )
  }

  private func meters() throws -> Double {
    try named("--radius") { try parseDistance(radius) }
  }
}
