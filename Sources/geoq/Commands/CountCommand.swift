import ArgumentParser
import GeoIndex
import GeoQuery
import GeoStore

/// `geoq count`.
struct CountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Count restaurants: all, or by a field or by areas.",
    discussion: """
        geoq count --where 'rating >= 4'
        geoq count --at 32.95,-96.82 --radius 2km --by category
        geoq count --by-area districts.geojson --name-key district
        geoq count --by-area saved -f geojson > map.geojson

      A restaurant in two areas counts in both; those that are in none have a row of their own. With \
      -f geojson, each area has its outline and the property count.
      """
  )

  @OptionGroup var place: RegionOptions

  @Option(help: ArgumentHelp("Count by this field; extra.NAME too.", valueName: "field"))
  var by: Facet.Key?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Count by areas: a file with polygons, GeoJSON or WKT itself, or saved for all saved areas.",
      valueName: "areas"
    ),
    completion: .file()
  )
  var byArea: String?

  @Option(
    help: "With --by-area: the property of features that is the name of each (default: name)."
  )
  var nameKey: String?

  @Option(help: "With --by-area: the layer of a file that GDAL reads, if several have polygons.")
  var layer: String?

  @OptionGroup var filters: FilterOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    _ = try region()
    if by != nil, byArea != nil { throw ValidationError("give --by or --by-area, not both") }
    for (name, value) in [("--name-key", nameKey), ("--layer", layer)]
    where value != nil && byArea == nil {
      throw ValidationError("\(name) goes with --by-area")
    }
  }

  func run() throws {
    let query = Query(try region(), matching: try filters.filter(globals))
    let run = QueryRun(globals: globals, output: output)
    if let by { return try run.count(query, filters: filters, by: by) }
    if let byArea { return try count(query, byArea, run) }
    let known: [OutputFormat?] = [nil, .count, .table, .tsv]
    guard known.contains(output.chosenFormat) else {
      throw ValidationError("a number has no other format; count --by a field or --by-area")
    }
    try run.answer(query, filters: filters, whenUnsaid: .count)
  }

  private func count(_ query: Query, _ areas: String, _ run: QueryRun) throws {
    let answer = try AnswerOutput(output, globals)
    try run.withStore { store in
      let list = try AreaArgument.naming(areas) {
        let isSaved = areas.isUTF8Equal(to: "saved")
        return isSaved
          ? try store.areaBook().map { NamedArea($0.saved.name, try $0.area().area) }
          : try AreaArgument.list(areas, nameKey: nameKey ?? "name", layer: layer).areas
      }
      guard !list.isEmpty else {
        throw CommandFailure(
          "--by-area: there are no saved areas; geoq area add FILE saves some",
          exitCode: CommandFailure.noInput
        )
      }
      let engine = try globals.engine(store)
      try answer.write(engine.counts(by: list, of: query), of: engine.count(query).total)
    }
  }

  private func region() throws -> Query.Region {
    if let region = try place.region() { return region }
    throw ValidationError("--at and --radius go together")
  }
}
