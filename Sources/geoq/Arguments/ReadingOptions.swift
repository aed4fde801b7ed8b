import ArgumentParser
import GeoFeed

/// The options for reading a feed or a file of points whose text does not show how.
struct ReadingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The separator of a table's cells, a character or tab (default: detected).",
      valueName: "character"
    )
  )
  var delimiter: String?

  @Flag(help: "The table has no header line; --name-col and the like take column numbers.")
  var noHeader = false

  @Option(
    help: ArgumentHelp(
      "Column names, separated by commas, for a table without a header line.",
      valueName: "names"
    )
  )
  var header: String?

  @Option(
    help: ArgumentHelp(
      "The feed's character encoding: \(encodingNames.joined(separator: ", ")).",
      valueName: "encoding"
    ),
    completion: .list(encodingNames)
  )
  var encoding: String?

  @Option(
    help: ArgumentHelp(
      "The order of two numbers in one cell or list (default: detected).",
      valueName: "lat,lon|lon,lat"
    ),
    completion: .list(PairOrder.allCases.map(\.rawValue))
  )
  var order: String?

  @Flag(help: "Accept records at latitude 0, longitude 0.")
  var allowNullIsland = false

  private static let encodingNames = TextEncoding.allCases.map(\.rawValue)

  /// Other names of the encodings.
  private static let encodings: [String: TextEncoding] = [
    "utf8": .utf8, "cp1252": .windows1252, "windows1252": .windows1252, "latin1": .latin1,
    "latin-1": .latin1, "iso8859-1": .latin1, "iso-8859-15": .windows1252,
  ]

  private static let delimiters: [String: UInt8] = [
    "tab": 0x09, "\\t": 0x09, "comma": 0x2C, "semicolon": 0x3B, "pipe": 0x7C, "space": 0x20,
  ]

  /// Sets the options of a reader.
  func apply(to reader: inout FeedReader) throws {
    reader.table.delimiter = try delimiterByte()
    if let header {
      reader.table.header = .names(Self.names(header))
    } else if noHeader {
      reader.table.header = .missing
    }
    reader.encoding = try textEncoding()
    reader.pairOrder = try pairOrder()
    reader.allowsNullIsland = allowNullIsland
  }

  func validate() throws {
    _ = try (delimiterByte(), textEncoding(), pairOrder())
    if let header, Self.names(header).contains("") {
      throw ValidationError("--header: expected names separated by commas")
    }
  }

  private static func names(_ header: String) -> [String] {
    header.split(separator: ",", omittingEmptySubsequences: false).map { name in
      String(name.drop { $0 == " " })
    }
  }

  private func pairOrder() throws -> PairOrder? {
    guard let order else { return nil }
    let bare = order.lowercased().filter { $0 != " " }
    if let found = PairOrder(rawValue: bare.replacing("lng", with: "lon")) { return found }
    throw ValidationError(
      "--order: expected lat,lon or lon,lat, got \"\(terminalSafe(order))\""
    )
  }

  private func delimiterByte() throws -> UInt8? {
    guard let delimiter else { return nil }
    if let byte = Self.delimiters[delimiter.lowercased()] { return byte }
    guard delimiter.utf8.count == 1, let byte = delimiter.utf8.first, byte < 0x80, byte != 0x22
    else {
      throw ValidationError(
        "--delimiter: expected one character or tab, got \"\(terminalSafe(delimiter))\""
      )
    }
    return byte
  }

  private func textEncoding() throws -> TextEncoding {
    guard let encoding else { return .utf8 }
    let name = encoding.lowercased()
    if let found = TextEncoding(rawValue: name) ?? Self.encodings[name] { return found }
    throw ValidationError(
      "--encoding: \"\(terminalSafe(encoding))\" is not supported; convert the feed with "
        + "iconv -f \(terminalSafe(encoding)) -t UTF-8 (supported: "
        + Self.encodingNames.joined(separator: ", ") + ")"
    )
  }
}

/// How `--at-file` and `--at -` are read: like a feed, but points need no names.
struct PointReadingOptions: ParsableArguments {
  @OptionGroup var columns: PositionColumnOptions
  @OptionGroup var reading: ReadingOptions

  /// Whether any option says how a table is read.
  var isGiven: Bool {
    get throws {
      let names = try columns.names()
      return !names.isEmpty || reading.delimiter != nil || reading.noHeader || reading.header != nil
        || reading.encoding != nil || reading.order != nil
    }
  }

  /// The reader of points.
  func reader(name: String) throws -> FeedReader {
    var reader = FeedReader(source: name)
    reader.columns = try columns.names()
    try reading.apply(to: &reader)
    reader.allowsPart = true
    return reader
  }
}
