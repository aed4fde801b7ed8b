import GeoQuery

/// Standard output for data, standard error for everything else.
enum StandardStreams {
  /// Whether standard output is a terminal.
  static var isOutputTerminal: Bool { Terminal.isTTY(CommandContext.current.output) }

  /// Writes JSON to standard output; on a terminal, control characters are escaped.
  ///
  /// - Throws: `OutputError.closed` if its reader is gone.
  static func printJSON(_ text: String) throws {
    try print(isOutputTerminal ? terminalSafeJSON(text) : text)
  }

  /// Writes text to standard output.
  ///
  /// - Throws: `OutputError.closed` if its reader is gone.
  static func print(_ text: String) throws { try print(Array(text.utf8)) }

  /// Writes bytes to standard output.
  ///
  /// - Throws: `OutputError.closed` if its reader is gone.
  static func print(_ bytes: [UInt8]) throws {
    let writer = OutputWriter(descriptor: CommandContext.current.output, path: "standard output")
    try writer.write(bytes)
    try writer.flush()
  }

  /// Writes a line to standard error, with the names of options in the libraries' messages; a failure is ignored, because it cannot be reported.
  static func complain(_ line: String) {
    let writer = OutputWriter(descriptor: CommandContext.current.error, path: "standard error")
    try? writer.write(Remedy.naming(line) + "\n")
    try? writer.flush()
  }
}

extension Remedy {
  /// A message of the libraries, with the names of options and commands.
  static func naming(_ message: String) -> String {
    var message = message
    for remedy in allCases where message.contains(remedy.rawValue) {
      message = message.replacing(remedy.rawValue, with: remedy.words)
    }
    return message
  }

  /// What the user of the tool does.
  private var words: String {
    switch self {
    case .allowNullIsland: "use --allow-null-island to accept it"
    case .asFormat: "or read it with -i"
    case .asGeoJSON: "write it with -f geojson to import it"
    case .checkDatabase: "run geoq doctor"
    case .chooseDatabase: "choose another file with --db"
    case .chooseFolder: "choose another folder with --cache"
    case .chooseNameColumn: "choose one with --name-col"
    case .createDatabase: "create it with: geoq import FEED"
    case .delimiter: "--delimiter gives another character"
    case .fillDatabase: "fill it with: geoq import FEED"
    case .filterByHours: "--open (open= over HTTP)"
    case .headerNames:
      "give the names with --header a,b,c, or use --no-header and numbers: "
        + "--name-col 2 --lat-col 3 --lon-col 4"
    case .keepMissing:
      "use --keep-missing to remove nothing, or --allow-partial to take it as the whole"
    case .makeTables: "make it with: geoq init --db ADDRESS"
    case .nameColumn: "give its column with --name-col"
    case .noPositionColumns: "omit --lat-col, --lon-col and --point-col"
    case .omitEncoding: "omit --encoding"
    case .positionAndNameColumns:
      "give the columns with --lat-col and --lon-col (or --point-col for WKT) and --name-col"
    case .positionColumns:
      "give the columns with --lat-col and --lon-col (or --point-col for WKT)"
    case .pairOrder: "--order decides"
    case .ratingScale: "--rating-scale sets the scale"
    case .verifyStore: "run geoq verify"
    case .windows1252: "use --encoding windows-1252"
    }
  }
}
