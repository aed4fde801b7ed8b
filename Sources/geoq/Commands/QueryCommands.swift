import ArgumentParser
import GeoIndex
import GeoQuery
import GeoStore

struct NearestCommand: PointCommand {
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
  @OptionGroup(title: PointReading.title) var columns: PositionColumnOptions
  @OptionGroup(title: PointReading.title) var reading: ReadingOptions

  @Option(
    name: [.customShort("k", allowingJoined: true), .customLong("count")],
    parsing: .unconditional,
    help: "Number of restaurants.".value("n")
  )
  var count = 10

  @Option(
    name: .customLong("max"),
    parsing: .unconditional,
    help: "Maximum distance in meters, or with a unit: m, km, mi, ft.".value("dist")
  )
  var maximumDistance: String?

  @OptionGroup var filters: FilterOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var counts: CountOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var explanation: ExplainOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    try checkReading()
    if count < 0 { throw ValidationError("--count must be 0 or more, got \(count)") }
    _ = try meters()
  }

  func run() throws {
    let meters = try meters()
    let filter = try filters.filter(globals)
    if !center.isBatch, let limit = page.limit, limit > count {
      globals.say(
        "note: --limit pages through the \(count) nearest; -k \(limit) asks for more of them"
      )
    }
    try answer(hasRank: count > 1) { coordinate in
      try page.query(
        in: .nearest(to: coordinate, count: count, within: meters),
        matching: filter,
        explained: explanation.explain
      )
    }
  }

  private func meters() throws -> Double {
    guard let maximumDistance else { return .infinity }
    return try named("--max") { try parseDistance(maximumDistance) }
  }
}

struct RadiusCommand: PointCommand {
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
  @OptionGroup(title: PointReading.title) var columns: PositionColumnOptions
  @OptionGroup(title: PointReading.title) var reading: ReadingOptions

  @Option(
    name: .shortAndLong,
    parsing: .unconditional,
    help: "Distance in meters, or with a unit: m, km, mi, ft.".value("dist")
  )
  var radius: String

  @OptionGroup var filters: FilterOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var counts: CountOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var explanation: ExplainOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    try checkReading()
    _ = try meters()
  }

  func run() throws {
    let meters = try meters()
    let filter = try filters.filter(globals)
    try answer { coordinate in
      try page.query(
        in: .radius(meters, of: coordinate),
        matching: filter,
        explained: explanation.explain
      )
    }
  }

  private func meters() throws -> Double {
    try named("--radius") { try parseDistance(radius) }
  }
}

struct BoxCommand: ListingCommand {
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

  @Option(parsing: .unconditional, help: "The box, longitude first.".value("w,s,e,n"))
  var bbox: String

  @OptionGroup var filters: FilterOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var counts: CountOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var explanation: ExplainOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    _ = try box()
  }

  func run() throws {
    try answer(
      page.query(
        in: .box(box()),
        matching: filters.filter(globals),
        explained: explanation.explain
      )
    )
  }

  private func box() throws -> BoundingBox {
    try named("--bbox") { try parseBox(bbox) }
  }
}

struct SearchCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find restaurants by words in name, category, address or city.",
    discussion: """
        geoq search glorias
        geoq search thai dal --at 32.95,-96.82 --limit 10
        geoq search burger --where 'rating >= 4' --sort rating --desc

      Each search word must start a word in name, category, address or city. Case, accents and \
      apostrophes are ignored: gloria finds Gloria's, cafe finds Café. With --at, results are sorted by \
      distance, then by id; otherwise by id.
      """
  )

  @Argument(help: "The words; write -- before them if one starts with a hyphen.")
  var words: [String]

  @Option(
    parsing: .unconditional,
    help: "Sort by the distance from this point: LAT,LON, id:ID or name:NAME.".value("lat,lon")
  )
  var at: String?

  @OptionGroup var filters: FilterOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var counts: CountOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if let at { try checkPoint(at) }
    if words.allSatisfy(\.trimmingBlanks.isEmpty) {
      throw ValidationError("expected words to search for; geoq list lists all restaurants")
    }
  }

  func run() throws {
    var filter = try filters.filter(globals)
    filter.text = (words + [filter.text]).joined(separator: " ")
    try answer(page.query(in: region(), matching: filter))
  }

  private func region() throws -> Query.Region {
    guard let at else { return .everywhere }
    return .radius(.infinity, of: try globals.point(at))
  }
}

struct ListCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List all restaurants, or those matching a filter.",
    discussion: """
        geoq list
        geoq list --category "Tap House"
        geoq list --text glorias -f ids
        geoq list --where 'city = Dallas' --sort name --limit 20
        geoq list --where 'rating >= 4' --facets category

      Results are sorted by id. With --limit, the cursor of the next page is printed on standard \
      error, or as next in JSON.
      """
  )

  @OptionGroup var filters: FilterOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var counts: CountOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try answer(page.query(in: .everywhere, matching: filters.filter(globals)))
  }
}

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show restaurants in full, by id.",
    discussion: """
        geoq show thai-star-d04b783c
        geoq list --text thai -f ids -0 | xargs -0 geoq show --
        geoq show --json node/123 node/456

      Unknown ids are reported on standard error; the exit code is then 1, or with -e 4 if all are unknown.
      """
  )

  @Argument(
    help: "Ids, as listed by -f ids; write -- before them if one starts with a hyphen.",
    completion: .custom { words, _, prefix in StoreCompletions(words).ids(prefix) }
  )
  var ids: [String]

  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    var answer = try AnswerOutput(output, globals)
    let run = QueryRun(globals: globals, output: output)
    try run.withStore { store in
      let snapshot = try globals.engine(store).snapshot
      var matches: [Match] = []
      var missing: [String] = []
      for id in ids {
        if let restaurant = try snapshot.restaurant(id: id) {
          matches.append(Match(restaurant: restaurant))
        } else {
          missing.append(id)
        }
      }
      let corrections = try store.corrections(of: ids)
      answer.notes = Dictionary(
        corrections.map { (UTF8Key($0.id), $0.changes.map($0.sentence)) },
        uniquingKeysWith: { first, _ in first }
      )
      if answer.format == .geojson { answer.credits = try store.credits() }
      if !matches.isEmpty { try answer.write(matches) }
      if let file = output.file, !matches.isEmpty {
        globals.say("\(terminalSafe(file)): \(restaurants(matches.count))")
      }
      guard let first = missing.first else { return }
      throw try CommandFailure(
        unknownIDs: missing,
        in: store,
        similar: snapshot.ids(similarTo: first),
        foundNothing: output.exitStatus && matches.isEmpty
      )
    }
  }
}

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

  @Option(help: "Count by this field; extra.NAME too.".value("field"))
  var by: Facet.Key?

  @Option(
    parsing: .unconditional,
    help:
      "Count by areas: a file with polygons, GeoJSON or WKT itself, or saved for all saved areas."
      .value("areas"),
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
    if !place.isReference { _ = try region() }
    if by != nil, byArea != nil { throw ValidationError("give --by or --by-area, not both") }
    for (name, value) in [("--name-key", nameKey), ("--layer", layer)]
    where value != nil && byArea == nil {
      throw ValidationError("\(name) goes with --by-area")
    }
  }

  func run() throws {
    let query = Query(try region(), matching: try filters.filter(globals))
    let run = QueryRun(globals: globals, output: output)
    if let by { return try run.count(query, by: by) }
    if let byArea { return try count(query, byArea, run) }
    guard [nil, .count].contains(output.chosenFormat) else {
      throw ValidationError("a number has no other format; count --by a field or --by-area")
    }
    try run.answer(query, whenUnsaid: .count)
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
        throw CommandFailure.noInput(
          "--by-area: there are no saved areas; geoq area add FILE saves some"
        )
      }
      let engine = try globals.engine(store)
      try answer.write(engine.counts(by: list, of: query), of: engine.count(query).total)
    }
  }

  private func region() throws -> Query.Region {
    if let region = try place.region(globals) { return region }
    throw ValidationError("--at and --radius go together")
  }
}
