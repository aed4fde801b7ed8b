import ArgumentParser
import GeoFeed
import GeoQuery

/// The columns for the keys of the record, if their names do not tell: those of positions, and any by its
/// key.
struct PositionColumnOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The column of a key, such as rating=Score; may be repeated.",
      valueName: "key=name"
    ),
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

  /// The names for the reader.
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
      let hint = closest(to: asked, among: keys).map { "; did you mean \"\($0)\"?" }
      throw ValidationError(
        "--col: no key \"\(terminalSafe(asked))\"\(hint ?? "; keys are \(keys.joined(separator: ", "))")"
      )
    }
    return (key, String(pair[pair.index(after: sign)...]))
  }

  static func help(_ what: String) -> ArgumentHelp {
    ArgumentHelp("The column with \(what).", valueName: "name")
  }
}

/// The columns for the keys of restaurants.
struct ColumnOptions: ParsableArguments {
  @OptionGroup var position: PositionColumnOptions

  @Option(help: PositionColumnOptions.help("ids")) var idCol: String?
  @Option(help: PositionColumnOptions.help("names")) var nameCol: String?
  @Option(help: PositionColumnOptions.help("categories")) var categoryCol: String?
  @Option(help: PositionColumnOptions.help("streets and numbers")) var addressCol: String?
  @Option(help: PositionColumnOptions.help("cities")) var cityCol: String?
  @Option(help: PositionColumnOptions.help("states or regions")) var stateCol: String?
  @Option(help: PositionColumnOptions.help("postal codes")) var postalCodeCol: String?
  @Option(help: PositionColumnOptions.help("telephone numbers")) var phoneCol: String?
  @Option(help: PositionColumnOptions.help("web addresses")) var websiteCol: String?

  /// The names for the reader.
  func names() throws -> ChosenColumns {
    var columns = try position.names()
    let chosen: [(RestaurantField, String?)] = [
      (.id, idCol), (.name, nameCol), (.category, categoryCol), (.address, addressCol),
      (.city, cityCol), (.state, stateCol), (.postalCode, postalCodeCol), (.phone, phoneCol),
      (.website, websiteCol),
    ]
    for (field, name) in chosen where columns.names[field] == nil { columns.names[field] = name }
    return columns
  }
}
