import ArgumentParser
import GeoIndex
import GeoQuery

/// `geoq bbox`.
struct BoxCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bbox",
    abstract: "List the restaurants in a box.",
    discussion: """
        geoq bbox --bbox -96.9,32.9,-96.8,33.0
        geoq bbox --bbox -96.9,32.9,-96.8,33.0 --geojson -o map.geojson
        geoq bbox --bbox 170,-20,-170,-10

      The box is W,S,E,N, longitude first; points elsewhere are LAT,LON. Restaurants on its edges \
      count; if W > E, it crosses the antimeridian. Results are sorted by id.
      """
  )

  @OptionGroup var box: BoxOptions
  @OptionGroup var filters: FilterOptions
  @OptionGroup var sorting: SortOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var facets: FacetOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var explanation: ExplainOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let query = Query(
      .box(try box.boundingBox()),
      matching: try filters.filter(globals),
      in: try sorting.order(),
      limit: page.limit,
      from: page.cursor,
      explained: explanation.explain
    )
    try QueryRun(globals: globals, output: output).answer(query, filters: filters, facets: facets)
  }
}

/// `--bbox`.
struct BoxOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The box, longitude first.", valueName: "w,s,e,n")
  )
  var bbox: String

  func validate() throws {
    _ = try boundingBox()
  }

  /// The box.
  func boundingBox() throws -> BoundingBox {
    try named("--bbox") { try parseBox(bbox) }
  }
}
