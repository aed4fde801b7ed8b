import ArgumentParser
import GeoQuery
import GeoService

/// The output formats of the command line.
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

  /// Whether control characters in a text can be written as JSON escapes.
  var isJSON: Bool { [.json, .jsonl, .geojson, .geojsonseq].contains(self) }

  /// Whether the keys to print can be chosen.
  var hasColumns: Bool { [.table, .tsv, .csv, .json, .jsonl].contains(self) }

  /// The format for a file name, with or without .gz.
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

enum TileFileKind: String {
  case pmtiles
  case mbtiles

  /// The kind for a file name; nil for other extensions.
  init?(fileName: String) {
    let name = fileName.lowercased()
    guard let kind = [Self.pmtiles, .mbtiles].first(where: { name.hasSuffix(".\($0.rawValue)") })
    else { return nil }
    self = kind
  }
}

/// The options of the output: file and format.
struct OutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: "Output format (default: table on a terminal, otherwise tsv; for export geojson)."
  )
  var format: OutputFormat?

  @Flag(help: "Same as -f json; --json=id,name prints only these keys.")
  var json = false

  @Option(name: .customLong("json-fields"), help: .hidden)
  var jsonFields: String?

  @Option(
    help:
      "Print only these keys, in this order, such as name,rating,distance; see geoq help formats."
      .value("keys"),
    completion: .list(RestaurantField.allCases.map(\.rawValue))
  )
  var columns: String?

  @Flag(help: "With -f csv: do not put an apostrophe before values that look like formulas.")
  var raw = false

  @Flag(help: "Same as -f geojson.")
  var geojson = false

  @Option(
    name: .shortAndLong,
    help: "Write to this file; the extension selects the format; add .gz to compress."
      .value("file"),
    completion: .file()
  )
  var output: String?

  @Flag(help: "Overwrite an existing -o file.")
  var force = false

  @Option(
    help: "Unit of distances in tables and messages (default: $GEOQ_UNITS, then m and km)."
  )
  var unit: DistanceUnit?

  @Flag(name: [.customShort("0"), .customLong("null")], help: "With -f ids: end each id with NUL.")
  var null = false

  @Flag(name: .shortAndLong, help: "Exit with 4 if nothing was found.")
  var exitStatus = false

  /// The file, or nil for standard output.
  var file: String? { output == "-" ? nil : output }

  /// The file if its extension is one for tiles, which only `geoq export` writes.
  var tileFile: String? { file.flatMap { TileFileKind(fileName: $0) == nil ? nil : $0 } }

  /// The format chosen by an option or by the file's extension.
  var chosenFormat: OutputFormat? {
    if let format { return format }
    if json { return .json }
    if geojson { return .geojson }
    return file.flatMap(OutputFormat.init(fileName:))
  }

  /// The extension of a file in a format that geoq does not write; nil for unknown extensions.
  private static func foreignEnding(of fileName: String) -> String? {
    [
      ".zip", ".bz2", ".zst", ".xlsx", ".ods", ".shp", ".kml", ".kmz", ".gpx", ".gpkg",
      ".fgb", ".parquet", ".html", ".xml", ".yaml", ".yml", ".pmtiles.gz",
      ".mbtiles.gz",
    ].first { fileName.lowercased().hasSuffix($0) }
  }

  /// The keys of `--columns` or `--json=FIELDS`; nil for all.
  ///
  /// - Throws: `ValidationError` for an unknown key, or one given twice.
  func fields() throws -> [RestaurantField]? { try fields { _ in [] }.fields }

  /// The columns of points and the keys of restaurants that `--columns` names.
  ///
  /// - Parameter leading: The names of the points' columns next to these keys.
  /// - Returns: Both in their order; nil for all columns of the points if none of them is named.
  /// - Throws: `ValidationError` for an unknown name, or one given twice.
  func fields(
    among leading: ([RestaurantField]?) -> [String]
  ) throws -> (leading: [String]?, fields: [RestaurantField]?) {
    let option = columns == nil ? "--json" : "--columns"
    guard let words = (columns ?? jsonFields).map(commaSeparated) else { return (nil, nil) }
    let known = Dictionary(
      RestaurantField.allCases.map { (UTF8Key($0.rawValue.lowercased()), $0) },
      uniquingKeysWith: { first, _ in first }
    )
    let fields = words.compactMap { known[UTF8Key($0.lowercased())] }
    let names = leading(fields)
    var (seen, shown): (Set<UTF8Key>, [String]) = ([], [])
    for word in words {
      let key = UTF8Key(word.lowercased())
      let name = known[key]?.rawValue ?? names.first { UTF8Key($0.lowercased()) == key }
      guard let name else { throw Self.unknown(word, option) }
      guard seen.insert(UTF8Key(name)).inserted else {
        throw ValidationError("\(option): the key \"\(name)\" is given twice")
      }
      if known[key] == nil { shown.append(name) }
    }
    return (shown.isEmpty ? nil : shown, fields)
  }

  private static func unknown(_ name: String, _ option: String) -> ValidationError {
    let known = RestaurantField.allCases.map(\.rawValue)
    let hint = guess(at: name, among: known, else: "known: \(known.joined(separator: ", "))")
    return ValidationError("\(option): unknown key \"\(terminalSafe(name))\"; \(hint)")
  }

  func validate() throws {
    if columns != nil, jsonFields != nil {
      throw ValidationError("--columns and --json=FIELDS cannot be combined")
    }
    let choices = [format != nil, json, geojson].filter { $0 }.count
    if choices > 1 { throw ValidationError("give one of -f, --json and --geojson") }
    if format == nil, let ending = file.flatMap(Self.foreignEnding) {
      throw ValidationError("-o: geoq does not write \(ending); see geoq help formats, or give -f")
    }
    if output?.isEmpty == true { throw ValidationError("-o: expected the name of a file, or -") }
  }
}

/// Splits `--json=FIELDS`, because `--json` may have no value.
///
/// An option with an optional value would consume the next word (`geoq show --json ID`), so the
/// form with fields is split before ArgumentParser sees it.
enum JSONOption {
  static let fieldsOption = "--json-fields"

  /// Replaces `--json=a,b` by `--json --json-fields=a,b`.
  static func expanded(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.count
    return arguments.enumerated().flatMap { position, argument in
      guard position < end, argument.hasPrefix("--json=") else { return [argument] }
      return ["--json", fieldsOption + argument.dropFirst("--json".count)]
    }
  }
}

/// Names the option, or a subject, in an error about a part of the query.
func namingOption<Result>(
  or subject: String? = nil,
  _ body: () throws -> Result
) throws -> Result {
  do {
    return try body()
  } catch let error as QueryError {
    let subject = subject ?? "--\(error.parameter)"
    throw ValidationError(complaint(about: subject, terminalSafe(error.reason)))
  }
}

/// Prefixes errors in an option's value with its name.
func named<Value>(_ option: String, _ body: () throws -> Value) throws -> Value {
  do {
    return try body()
  } catch let problem as ArgumentProblem {
    throw ValidationError("\(option): \(problem.description)")
  }
}
