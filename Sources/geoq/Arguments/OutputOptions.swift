import ArgumentParser
import GeoQuery

/// The formats of an answer on the command line.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  case table
  case tsv
  case csv
  case json
  case jsonl
  case geojson
  case geojsonseq
  case ids
  case count

  /// Whether controls in a text can be written as JSON's escapes.
  var isJSON: Bool { [.json, .jsonl, .geojson, .geojsonseq].contains(self) }

  /// The format that a file's name asks for.
  init?(fileName: String) {
    let endings: [(String, OutputFormat)] = [
      (".geojson", .geojson), (".geojsonseq", .geojsonseq), (".geojsons", .geojsonseq),
      (".geojsonl", .geojsonseq), (".jsonl", .jsonl), (".ndjson", .jsonl), (".json", .json),
      (".csv", .csv), (".tsv", .tsv),
    ]
    let name = fileName.lowercased()
    guard let found = endings.first(where: { name.hasSuffix($0.0) }) else { return nil }
    self = found.1
  }
}

/// Where an answer goes, and in which form.
struct OutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: "The form of the answer; a table on a terminal, else tsv."
  )
  var format: OutputFormat?

  @Flag(help: "Short for -f json; --json=id,name keeps only these keys.")
  var json = false

  @Option(name: .customLong("json-fields"), help: .hidden)
  var jsonFields: String?

  @Flag(help: "Short for -f geojson.")
  var geojson = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this file; its ending chooses the format.", valueName: "file"),
    completion: .file()
  )
  var output: String?

  @Flag(help: "Overwrite the file of -o.")
  var force = false

  @Flag(name: [.customShort("0"), .customLong("null")], help: "End each of -f ids with NUL.")
  var null = false

  @Flag(name: .shortAndLong, help: "Exit with 4 when nothing was found.")
  var exitStatus = false

  /// The file, or nil for standard output.
  var file: String? { output == "-" ? nil : output }

  /// The format asked for by an option or by the file's name.
  var chosenFormat: OutputFormat? {
    if let format { return format }
    if json { return .json }
    if geojson { return .geojson }
    return file.flatMap(OutputFormat.init(fileName:))
  }

  /// The ending of a file that promises what geoq does not write; unknown ones promise nothing.
  private static func foreignEnding(of fileName: String) -> String? {
    [
      ".gz", ".zip", ".bz2", ".zst", ".xlsx", ".ods", ".shp", ".kml", ".kmz", ".gpx", ".gpkg",
      ".fgb", ".parquet", ".html", ".xml", ".yaml", ".yml", ".pmtiles", ".mbtiles",
    ].first { fileName.lowercased().hasSuffix($0) }
  }

  /// The keys of `--json=FIELDS`; nil for all.
  func fields() throws -> [RestaurantField]? {
    var seen: Set<Substring> = []
    return try jsonFields?.split(separator: ",", omittingEmptySubsequences: false).map { name in
      guard seen.insert(name).inserted else {
        throw ValidationError("--json: the key \"\(terminalSafe(String(name)))\" is given twice")
      }
      if let field = RestaurantField(rawValue: String(name)) { return field }
      let known = RestaurantField.allCases.map(\.rawValue)
      let hint = closest(to: String(name), among: known).map { "; did you mean \"\($0)\"?" }
      throw ValidationError(
        "--json: unknown key \"\(terminalSafe(String(name)))\""
          + (hint ?? "; known are \(known.joined(separator: ", "))")
      )
    }
  }

  func validate() throws {
    let choices = [format != nil, json, geojson].filter { $0 }.count
    if choices > 1 { throw ValidationError("give one of -f, --json and --geojson") }
    if format == nil, let ending = file.flatMap(Self.foreignEnding) {
      throw ValidationError("-o: geoq does not write \(ending); see geoq help formats, or give -f")
    }
    if output?.isEmpty == true { throw ValidationError("-o: expected the name of a file, or -") }
    _ = try fields()
  }
}
