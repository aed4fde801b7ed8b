import ArgumentParser
import GeoFeed
import GeoQuery

/// Which columns hold what, where their names do not say it.
struct ColumnOptions: ParsableArguments {
  @Option(help: Self.help("degrees north")) var latCol: String?
  @Option(help: Self.help("degrees east")) var lonCol: String?
  @Option(help: Self.help("positions as WKT, POINT(LON LAT)")) var pointCol: String?
  @Option(help: Self.help("ids")) var idCol: String?
  @Option(help: Self.help("names")) var nameCol: String?
  @Option(help: Self.help("categories")) var categoryCol: String?
  @Option(help: Self.help("streets and numbers")) var addressCol: String?
  @Option(help: Self.help("cities")) var cityCol: String?
  @Option(help: Self.help("states or regions")) var stateCol: String?
  @Option(help: Self.help("postal codes")) var postalCodeCol: String?
  @Option(help: Self.help("telephone numbers")) var phoneCol: String?
  @Option(help: Self.help("web addresses")) var websiteCol: String?

  /// The names as the reader takes them.
  var names: ColumnNames {
    var columns = ColumnNames()
    columns.point = pointCol
    let chosen: [(RestaurantField, String?)] = [
      (.latitude, latCol), (.longitude, lonCol), (.id, idCol), (.name, nameCol),
      (.category, categoryCol), (.address, addressCol), (.city, cityCol), (.state, stateCol),
      (.postalCode, postalCodeCol), (.phone, phoneCol), (.website, websiteCol),
    ]
    for (field, name) in chosen { columns.names[field] = name }
    return columns
  }

  func validate() throws {
    guard (latCol == nil) == (lonCol == nil) else {
      throw ValidationError("--lat-col and --lon-col are given together")
    }
    if pointCol != nil, latCol != nil {
      throw ValidationError("--point-col stands for --lat-col and --lon-col; give one or the other")
    }
  }

  private static func help(_ what: String) -> ArgumentHelp {
    ArgumentHelp("The column with \(what).", valueName: "name")
  }
}
