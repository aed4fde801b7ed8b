import ArgumentParser
import GeoQuery

/// `geoq export`.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write all restaurants, or those of a box, as GeoJSON or another format.",
    discussion: """
        geoq export -o restaurants.geojson
        geoq export --bbox -96.9,32.9,-96.8,33.0 -o map.csv
        geoq export -f geojsonseq | gzip > restaurants.geojsons.gz

      GeoJSON unless -f or the ending of -o says otherwise. The order is by id; GeoJSON written \
      here imports again as it was.
      """
  )

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only what lies in this box, longitude first.", valueName: "w,s,e,n")
  )
  var bbox: String?

  @OptionGroup var filters: FilterOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    _ = try region()
  }

  func run() throws {
    try QueryRun(globals: globals, output: output).answer(
      Query(try region(), matching: try filters.filter()),
      filters: filters,
      whenUnsaid: .geojson
    )
  }

  private func region() throws -> Query.Region {
    guard let bbox else { return .everywhere }
    return try named("--bbox") { .box(try parseBox(bbox)) }
  }
}
