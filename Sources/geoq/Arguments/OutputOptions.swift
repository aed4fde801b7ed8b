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

  /// Whether its answers have keys to choose from.
  var hasColumns: Bool { [.table, .tsv, .csv, .json, .jsonl].contains(self) }

  /// The format that a file's name asks for, whether or not it ends in .gz.
  init?(fileName: String) {
    let endings: [(String, OutputFormat)] = [
      (".geojson", .geojson), (".geojsonseq", .geojsonseq), (".geojsons", .geojsonseq),
      (".geojsonl", .geojsonseq), (".jsonl", .jsonl), (".ndjson", .jsonl), (".json", .json),
      (".csv", .csv), (".tsv", .tsv),
    ]
    var name = fileName.lowercased()
    if GzipStream.isNamed(by: name) { name.removeLast(3) }
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

  @Option(
    help: ArgumentHelp(
      "Only these keys, in this order, as in name,rating,distance; see geoq help formats.",
      valueName: "keys"
    ),
    completion: .list(RestaurantField.allCases.map(\.rawValue))
  )
  var columns: String?

  @Flag(help: "With -f csv: texts as they are, without the apostrophe before a formula.")
  var raw = false

  @Flag(help: "Short for -f geojson.")
  var geojson = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write to this file; its ending chooses the format, and .gz after it compresses.",
      valueName: "file"
    ),
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

  /// The file, if its ending asks for tiles; `geoq export` alone writes them.
  var tileFile: String? { file.flatMap { $0.lowercased().hasSuffix(".pmtiles") ? $0 : nil } }

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
      ".zip", ".bz2", ".zst", ".xlsx", ".ods", ".shp", ".kml", ".kmz", ".gpx", ".gpkg",
      ".fgb", ".parquet", ".html", ".xml", ".yaml", ".yml", ".pmtiles.gz", ".mbtiles",
    ].first { fileName.lowercased().hasSuffix($0) }
  }

  /// The keys of `--columns` or `--json=FIELDS`; nil for all.
  ///
  /// - Throws: `ValidationError` for a key that there is not, or that is given twice.
  func fields() throws -> [RestaurantField]? {
    let option = columns == nil ? "--json" : "--columns"
    var seen: Set<RestaurantField> = []
    return try (columns ?? jsonFields).map(commaSeparated)?.map { name in
      let lower = ByteKey(name.lowercased())
      let found = RestaurantField.allCases.first { ByteKey($0.rawValue.lowercased()) == lower }
      guard let field = found else { throw Self.unknown(name, option) }
      guard seen.insert(field).inserted else {
        throw ValidationError("\(option): the key \"\(field.rawValue)\" is given twice")
      }
      return field
    }
  }

  private static func unknown(_ name: String, _ option: String) -> ValidationError {
    let known = RestaurantField.allCases.map(\.rawValue)
    let hint = closest(to: name, among: known).map { "; did you mean \"\($0)\"?" }
    return ValidationError(
      "\(option): unknown key \"\(terminalSafe(name))\""
        + (hint ?? "; known are \(known.joined(separator: ", "))")
    )
  }

  func validate() throws {
    if columns != nil, jsonFields != nil {
      throw ValidationError("--columns and --json=FIELDS say the same; give one of them")
    }
    let choices = [format != nil, json, geojson].filter { $0 }.count
    if choices > 1 { throw ValidationError("give one of -f, --json and --geojson") }
    if format == nil, let ending = file.flatMap(Self.foreignEnding) {
      throw ValidationError("-o: geoq does not write \(ending); see geoq help formats, or give -f")
    }
    if output?.isEmpty == true { throw ValidationError("-o: expected the name of a file, or -") }
    _ = try fields()
  }
}
