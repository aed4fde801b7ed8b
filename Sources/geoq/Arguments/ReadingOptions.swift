import ArgumentParser
import GeoFeed
import GeoQuery

/// The options for reading a feed or a file of points whose text does not show how.
struct ReadingOptions: ParsableArguments {
  @Option(
    help: "The separator of a table's cells, a character or tab (default: detected)."
      .value("character")
  )
  var delimiter: String?

  @Flag(help: "The table has no header line; --name-col and the like take column numbers.")
  var noHeader = false

  @Option(
    help: "Column names, separated by commas, for a table without a header line.".value("names")
  )
  var header: String?

  @Option(
    help: "The feed's character encoding: \(encodingNames.joined(separator: ", "))."
      .value("encoding"),
    completion: .list(encodingNames)
  )
  var encoding: String?

  @Option(
    help: "The order of two numbers in one cell or list (default: detected)."
      .value("lat,lon|lon,lat"),
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
    throw unexpected("--order", order, "lat,lon or lon,lat")
  }

  private func delimiterByte() throws -> UInt8? {
    guard let delimiter else { return nil }
    if let byte = Self.delimiters[delimiter.lowercased()] { return byte }
    guard delimiter.utf8.count == 1, let byte = delimiter.utf8.first, byte < 0x80, byte != 0x22
    else {
      throw unexpected("--delimiter", delimiter, "one character or tab")
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
struct PointReading {
  let columns: PositionColumnOptions
  let options: ReadingOptions

  /// The title of both groups in the help of commands with `--at -`.
  static let title = "How --at-file and --at - are read"

  /// Whether any option says how a table is read.
  var isGiven: Bool {
    get throws {
      let names = try columns.names()
      return !names.isEmpty || options.delimiter != nil || options.noHeader || options.header != nil
        || options.encoding != nil || options.order != nil
    }
  }

  func reader(name: String) throws -> FeedReader {
    var reader = FeedReader(source: name)
    reader.columns = try columns.names()
    try options.apply(to: &reader)
    reader.allowsPart = true
    return reader
  }
}

/// The columns for the keys of the record, if their names do not tell: those of positions, and any by its
/// key.
struct PositionColumnOptions: ParsableArguments {
  @Option(
    help: "The column of a key, such as rating=Score; may be repeated.".value("key=name"),
    completion: .list(keys.map { $0 + "=" })
  )
  var col: [String] = []

  @Option(help: Self.help("degrees north")) var latCol: String?
  @Option(help: Self.help("degrees east")) var lonCol: String?
  @Option(help: Self.help("positions: POINT(LON LAT) or (LAT, LON)")) var pointCol: String?

  /// The keys for which a column can be named.
  static let keys: [String] =
    RestaurantField.allCases
    .filter { !RestaurantField.ofAnswers.contains($0) && ![.source, .extra].contains($0) }
    .map(\.rawValue) + ["point"]

  func names() throws -> ChosenColumns {
    var columns = ChosenColumns()
    columns.point = pointCol
    columns.names[.latitude] = latCol
    columns.names[.longitude] = lonCol
    for pair in col {
      let (key, name) = try Self.parts(of: pair)
      switch key {
      case "point": columns.point = name
      default: columns.names[RestaurantField(rawValue: key) ?? .extra] = name
      }
    }
    return columns
  }

  func validate() throws {
    let columns = try names()
    let hasLatitude = columns.names[.latitude] != nil
    guard hasLatitude == (columns.names[.longitude] != nil) else {
      throw ValidationError("give both --lat-col and --lon-col")
    }
    if columns.point != nil, hasLatitude {
      throw ValidationError("--point-col stands for --lat-col and --lon-col; give one or the other")
    }
  }

  private static func parts(of pair: String) throws -> (key: String, name: String) {
    guard let sign = pair.firstIndex(of: "="), pair.index(after: sign) < pair.endIndex else {
      throw ValidationError("--col: expected KEY=COLUMN, got \"\(terminalSafe(pair))\"")
    }
    let asked = String(pair[..<sign])
    let bare = { (name: String) in name.lowercased().filter { $0 != "_" && $0 != "-" } }
    guard let key = keys.first(where: { bare($0) == bare(asked) }) else {
      let hint = guess(at: asked, among: keys, else: "keys are \(keys.joined(separator: ", "))")
      throw ValidationError("--col: no key \"\(terminalSafe(asked))\"; \(hint)")
    }
    return (key, String(pair[pair.index(after: sign)...]))
  }

  static func help(_ what: String) -> ArgumentHelp {
    "The column with \(what).".value("name")
  }
}

/// The columns for the keys of restaurants other than those of positions.
struct ColumnOptions: ParsableArguments {
  @Option(help: PositionColumnOptions.help("ids")) var idCol: String?
  @Option(help: PositionColumnOptions.help("names")) var nameCol: String?
  @Option(help: PositionColumnOptions.help("categories")) var categoryCol: String?
  @Option(help: PositionColumnOptions.help("streets and numbers")) var addressCol: String?
  @Option(help: PositionColumnOptions.help("cities")) var cityCol: String?
  @Option(help: PositionColumnOptions.help("states or regions")) var stateCol: String?
  @Option(help: PositionColumnOptions.help("postal codes")) var postalCodeCol: String?
  @Option(help: PositionColumnOptions.help("telephone numbers")) var phoneCol: String?
  @Option(help: PositionColumnOptions.help("web addresses")) var websiteCol: String?

  /// Those of positions with those of the other keys.
  func names(with positions: PositionColumnOptions) throws -> ChosenColumns {
    var columns = try positions.names()
    let chosen: [(RestaurantField, String?)] = [
      (.id, idCol), (.name, nameCol), (.category, categoryCol), (.address, addressCol),
      (.city, cityCol), (.state, stateCol), (.postalCode, postalCodeCol), (.phone, phoneCol),
      (.website, websiteCol),
    ]
    for (field, name) in chosen where columns.names[field] == nil { columns.names[field] = name }
    return columns
  }
}
