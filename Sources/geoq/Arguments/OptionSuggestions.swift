import GeoQuery

/// Names that users of other tools, or of geoq's own service, are likely to type, and geoq's names
/// for them.
enum OptionSuggestions {
  /// The names of HTTP parameters that the tool accepts for its own options.
  private static let parameters = [
    "--filter": "--where", "--sortby": "--sort", "--q": "--text", "--k": "--count",
  ]

  private static let commands = [
    "version": "geoq --version shows it",
    "delete": "geoq remove ID removes a restaurant, "
      + "geoq source remove NAME removes everything from a feed",
    "rm": "geoq remove ID removes a restaurant, geoq source remove NAME a feed's restaurants",
    "ls": "geoq list lists the restaurants", "find": "use geoq search TEXT",
    "query": "use geoq list --where 'rating >= 4', geoq nearest or geoq search",
    "plan": "use geoq cover --want WANT, or geoq meet", "group": "use geoq cover --want WANT",
    "between": "use geoq meet --at A --at B", "middle": "use geoq meet --at A --at B",
    "near": "use geoq nearest --at LAT,LON", "within": "use geoq radius --at LAT,LON -r 1km",
    "box": "use geoq bbox --bbox W,S,E,N", "map": "geoq serve --open shows a map",
    "load": "use geoq import FEED", "insert": "use geoq import FEED, or geoq add NAME --at LAT,LON",
    "update": "geoq import FEED again updates a feed",
    "refresh": "geoq import FEED again updates a feed",
    "create": "geoq import FEED makes the database", "get": "use geoq show ID",
    "explain": "use geoq why ID", "sources": "use geoq source list", "areas": "use geoq area list",
    "polygon": "use --within AREA with any query", "district": "use geoq count --by-area FILE",
    "merge":
      "geoq duplicates lists pairs that may be one place, and geoq hide leaves one of each out",
    "dedupe":
      "geoq duplicates lists pairs that may be one place, and geoq hide leaves one of each out",
    "dedup":
      "geoq duplicates lists pairs that may be one place, and geoq hide leaves one of each out",
    "undo": "geoq edit ID --undo takes a correction back; geoq backup FILE keeps a state",
    "restore": "a file of geoq backup is a database: use it with --db, or copy it back",
    "copy": "use geoq backup FILE", "set": "use geoq edit ID KEY=VALUE",
    "correct": "use geoq edit ID KEY=VALUE", "unhide": "use geoq edit ID --undo",
    "show-hidden": "use geoq edit --list", "join": "use geoq nearest --at-file FILE",
    "open": "use --open now with any query", "tiles": "use geoq export -o FILE.pmtiles",
    "rename": "use geoq source rename OLD NEW", "stats": "use geoq info", "status": "use geoq info",
    "web": "use geoq serve --open",
    "server": "use geoq serve", "start": "use geoq serve", "convert": "use geoq export -o FILE",
    "dump": "use geoq export", "save": "use geoq export -o FILE", "check": "use geoq verify",
    "categories": "use geoq count --by category", "vacuum": "use geoq compact",
  ]

  private static let options = [
    "--map": "geoq serve --open shows a map; -o FILE.geojson is for other programs",
    "--lat": "a point is --at LAT,LON", "--lon": "a point is --at LAT,LON",
    "--lng": "a point is --at LAT,LON", "--near": "a point is --at LAT,LON",
    "--point": "a point is --at LAT,LON", "--location": "a point is --at LAT,LON",
    "--center": "a point is --at LAT,LON", "--from": "a point is --at LAT,LON",
    "--points": "many points are --at-file FILE",
    "--distance": "use --max DIST, or geoq radius -r DIST",
    "--max-distance": "use --max DIST, or geoq radius -r DIST",
    "--n": "how many is -k N", "--num": "how many is -k N", "--top": "how many is -k N",
    "--first": "at most N are --limit N", "--head": "at most N are --limit N",
    "--max-results": "at most N are --limit N",
    "--order": "use --sort KEY", "--order-by": "use --sort KEY", "--sort-by": "use --sort KEY",
    "--reverse": "use --sort -KEY", "--descending": "use --sort -KEY", "--asc": "omit it",
    "--fields": "use --columns name,rating", "--select": "use --columns name,rating",
    "--query": "use --text TEXT", "--search": "use --text TEXT", "--out": "use -o FILE",
    "--file": "use -o FILE for the answer", "--database": "use --db FILE",
    "--csv": "use -f csv", "--tsv": "use -f tsv", "--table": "use -f table",
    "--jsonl": "use -f jsonl", "--ids": "use -f ids", "--box": "use --bbox W,S,E,N",
    "--offset": "--cursor continues after a page", "--page": "--cursor continues after a page",
    "--overwrite": "use --force", "--facet": "use --facets FIELD",
    "--group-by": "use geoq count --by FIELD",
    "--open-now": "use --open now", "--polygon": "use --within AREA", "--area": "use --within AREA",
    "--units": "use --unit m, km, mi or ft", "--miles": "use --unit mi", "--km": "use --unit km",
    "--id": "a restaurant's position is --at id:ID",
    "--name": "a restaurant's position is --at name:NAME",
    "--gzip": "use a file name that ends in .gz",
  ]

  /// Replaces the names of HTTP parameters by those of options, and `--sort -KEY`
  /// as `--sort=-KEY`: the parser would read -KEY as short options.
  static func expanded(_ arguments: [String]) -> [String] {
    // `bench` has its own --k
    guard !arguments.contains("bench") else { return arguments }
    let end = arguments.firstIndex(of: "--") ?? arguments.count
    var expanded: [String] = []
    for (position, argument) in arguments.enumerated() {
      let name = argument.prefix { $0 != "=" }
      if position < end, expanded.last == "--sort", argument.hasPrefix("-") {
        expanded[expanded.count - 1] = "--sort=" + argument
      } else if position < end, let own = parameters[String(name)] {
        expanded.append(own + argument.dropFirst(name.count))
      } else {
        expanded.append(argument)
      }
    }
    return expanded
  }

  /// Advice about an unknown command; nil if there is none.
  static func advice(onCommand name: String) -> String? {
    commands[name.lowercased()]
  }

  /// Advice about an option that ArgumentParser calls unknown; nil for any other message.
  static func advice(onMessage message: String) -> String? {
    let parts = message.split(separator: "'")
    guard parts.count > 1, parts[0].hasSuffix("Unknown option ") else { return nil }
    let option = String(parts[1].prefix { $0 != "=" })
    if let advice = options[option.lowercased()] { return "unknown option \(option); \(advice)" }
    guard let field = Condition.Field(name: String(option.drop { $0 == "-" })) else { return nil }
    return "unknown option \(option); use --where '\(field.usage) = …'"
  }
}
