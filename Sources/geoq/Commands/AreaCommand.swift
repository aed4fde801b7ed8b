import ArgumentParser
import GeoIndex
import GeoQuery
import GeoStore

struct AreaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "area",
    abstract: "Save areas, such as districts, for --within.",
    discussion: """
        geoq area add districts.geojson --name-key district
        geoq area add delivery.kml --name delivery
        geoq area list
        geoq nearest --at 32.95,-96.82 --within delivery

      Imports do not change saved areas. Outlines are polygons whose edges are straight in longitude and \
      latitude (RFC 7946); their boundary belongs to them.
      """,
    subcommands: [Add.self, List.self, Show.self, Remove.self],
    aliases: ["areas"]
  )

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Save areas; one with the name of another replaces it.",
      discussion: """
          geoq area add districts.geojson --name-key district
          geoq area add delivery.kml --name delivery
          geoq area add 'POLYGON ((-97 32, -96 32, -96 33, -97 32))' --name triangle

        Each feature of GeoJSON is an area of its own, named by its property name or that of --name-key. \
        With --name, all of them are one area.
        """
    )

    @Argument(
      help: "A file with polygons (GeoJSON, WKT, or what GDAL reads), or GeoJSON or WKT itself.",
      completion: .file()
    )
    var area: String

    @Option(help: "The name of all polygons as one area.") var name: String?

    @Option(help: "The property of features that is the name of each (default: name).")
    var nameKey: String?

    @Option(help: "The layer of a file that GDAL reads, if several have polygons.")
    var layer: String?

    @OptionGroup var globals: GlobalOptions

    func validate() throws {
      if name != nil, nameKey != nil {
        throw ValidationError("--name names one area, --name-key each; give one of them")
      }
      if let name, let problem = SavedArea.problem(ofName: name) {
        throw ValidationError("--name \(problem)")
      }
    }

    func run() throws {
      let areas = try AreaArgument.naming(area) { () throws -> [NamedArea] in
        let list = try AreaArgument.list(area, nameKey: nameKey ?? "name", layer: layer)
        if let name { return [NamedArea(name, try list.joined())] }
        let areas: [NamedArea]
        do {
          areas = try list.named(by: nameKey ?? "name")
        } catch let error as QueryError {
          let advice = "; choose one with --name-key, or name all as one with --name"
          throw QueryError(error.parameter, error.reason + advice)
        }
        for area in areas {
          guard let name = area.name, let problem = SavedArea.problem(ofName: name) else {
            continue
          }
          throw QueryError("name", "the name of an area, \"\(shortened(name))\", \(problem)")
        }
        return areas
      }
      let (replaced, added) = try globals.withStore { try $0.saveAreas(areas) }
      let unchanged = areas.count - replaced.count - added.count
      let parts = [
        added.isEmpty ? nil : "saved \(Self.names(added))",
        replaced.isEmpty ? nil : "replaced the outline of \(Self.names(replaced))",
        unchanged == 0 ? nil : "\(grouped(unchanged)) unchanged",
      ]
      globals.say(parts.compactMap(\.self).joined(separator: ", "))
    }

    /// A few names, or their number.
    private static func names(_ names: [String]) -> String {
      names.count > 5
        ? "\(grouped(names.count)) areas"
        : names.map { "\"\(terminalSafe($0))\"" }.joined(separator: ", ")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the saved areas.",
      discussion: """
          geoq area list
          geoq area list --json
        """
    )

    @Flag(help: "Print JSON (schema geoq.areas/1).")
    var json = false

    @OptionGroup var globals: GlobalOptions

    func run() throws {
      let areas = try globals.withStore { try $0.areas() }
      guard !json else {
        let text = JSONReport.text(of: areas, database: try globals.place().shown)
        return try StandardStreams.printJSON(text)
      }
      if areas.isEmpty { globals.say("no saved areas; geoq area add FILE saves some") }
      try TableWriter.print(
        [
          TableColumn(title: "area", minimumWidth: 20, priority: 10),
          TableColumn(title: "positions", alignment: .right, priority: 9),
          TableColumn(title: "saved", priority: 8),
        ],
        areas.map { [$0.name, "\($0.vertexCount)", $0.since] },
        color: globals.color
      )
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print saved areas as GeoJSON.",
      discussion: """
          geoq area show delivery > delivery.geojson
          geoq area show > areas.geojson

        Without a name it prints all areas. geoq area add reads the file again.
        """
    )

    @Argument(help: "The names of areas.") var names: [String] = []

    @OptionGroup var globals: GlobalOptions

    func run() throws {
      let areas = try globals.withStore { store in
        let chosen = names.isEmpty ? try store.areas().map(\.name) : names
        return try chosen.map { NamedArea($0, try store.area(named: $0)) }
      }
      try StandardStreams.print(JSONWriter.featureCollection(areas.map { ($0, []) }))
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove saved areas.",
      discussion: """
          geoq area remove delivery

        Removes all of them, or none if a name is unknown.
        """
    )

    @Argument(help: "The names of areas.") var names: [String]

    @OptionGroup var globals: GlobalOptions

    func run() throws {
      try globals.withStore { try $0.removeAreas(names) }
      globals.say("\(counted(Set(names.map(UTF8Key.init)).count, "area")) removed")
    }
  }
}
