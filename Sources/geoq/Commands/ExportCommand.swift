import ArgumentParser
import GeoIndex
import GeoQuery

/// `geoq export`.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract:
      "Export restaurants as GeoJSON, map tiles or another format.",
    discussion: """
        geoq export -o restaurants.geojson
        geoq export --bbox -96.9,32.9,-96.8,33.0 -o map.csv
        geoq export -f geojsonseq | gzip > restaurants.geojsons.gz
        geoq export --max-zoom 12 -o restaurants.pmtiles

      The format is GeoJSON unless -f or the extension of -o selects another. Restaurants are sorted by \
      id. geoq imports its own exports in geojson, geojsonseq, jsonl, csv and tsv without loss, unless \
      --columns omits keys. With the extension .pmtiles or .mbtiles, the file has map tiles with \
      exact counts, from zoom 0 to the first zoom without clusters, at most 14.
      """
  )

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only restaurants in this box, longitude first.", valueName: "w,s,e,n")
  )
  var bbox: String?

  @OptionGroup var filters: FilterOptions
  @OptionGroup var zooms: ZoomOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    _ = try box()
    try zooms.check(output)
  }

  func run() throws {
    let run = QueryRun(globals: globals, output: output)
    let (box, filter) = (try box(), try filters.filter(globals))
    let query = Query(box.map(Query.Region.box) ?? .everywhere, matching: filter)
    guard let file = output.tileFile else {
      return try run.answer(query, filters: filters, whenUnsaid: .geojson)
    }
    var wanted = TilesToFile()
    wanted.filter = filter
    wanted.box = box
    wanted.minZoom = zooms.minZoom ?? 0
    wanted.maxZoom = zooms.maxZoom
    try run.writeTiles(wanted, to: file) { engine in
      try run.finish(after: query, engine, filters)
    }
  }

  private func box() throws -> BoundingBox? {
    try bbox.map { bbox in try named("--bbox") { try parseBox(bbox) } }
  }
}
