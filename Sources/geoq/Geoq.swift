import ArgumentParser
import GeoFeed
import GeoQuery
import GeoService
import GeoStore

/// The command-line tool.
struct Geoq: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "geoq",
    abstract: "Find the nearest restaurants, with exact distances.",
    usage: "geoq [--db FILE] [-q|-v] [--color auto|always|never] COMMAND …",
    discussion: """
      Imports restaurant feeds, and finds the nearest restaurants, those within a radius or in a box, \
      and a few that together have everything you want. Distances are exact on the WGS84 ellipsoid.

        geoq import Data/restaurants.json
        geoq nearest --at 32.95,-96.82 -k 5
        geoq cover --at 32.95,-96.82 --want Thai --want Mexican
        geoq export -o restaurants.geojson

      Points are LAT,LON; bbox and GeoJSON are LON first. More: geoq help \
      formats|filters|coordinates|environment|exit-codes
      """,
    // only --version needs SpatiaLite's version, and loading it is slow
    version: CommandLine.arguments.contains("--version") ? longVersion : "geoq \(version)",
    subcommands: [],
    groupedSubcommands: [
      CommandGroup(
        name: "Feed",
        subcommands: [ImportCommand.self, SourceCommand.self, RemoveCommand.self]
      ),
      CommandGroup(
        name: "Query",
        subcommands: [
          NearestCommand.self, RadiusCommand.self, BoxCommand.self, SearchCommand.self,
          ListCommand.self, ShowCommand.self, WhyCommand.self, CountCommand.self,
          ExportCommand.self, HeatmapCommand.self, AreaCommand.self, FavoriteCommand.self,
          OffersCommand.self,
        ]
      ),
      CommandGroup(
        name: "Correct",
        subcommands: [
          AddCommand.self, EditCommand.self, HideCommand.self, DuplicatesCommand.self,
        ]
      ),
      CommandGroup(name: "Planning", subcommands: [CoverCommand.self, MeetCommand.self]),
      CommandGroup(name: "Service", subcommands: [ServeCommand.self]),
      CommandGroup(
        name: "Tool",
        subcommands: [
          InitCommand.self, InfoCommand.self, VerifyCommand.self, BackupCommand.self,
          CompactCommand.self, DoctorCommand.self, BenchCommand.self, GenerateCommand.self,
          CompletionsCommand.self,
        ]
      ),
    ]
  )

  @OptionGroup var globals: GlobalOptions

  @Flag(help: "Show the licenses of what is built in.")
  var licenses = false

  func run() throws {
    guard licenses else { throw CleanExit.helpRequest(self) }
    try StandardStreams.print(Notices.text + "\n")
  }

  private static var longVersion: String {
    let versions = Diagnosis.versions
    return "geoq \(version) (\(swiftVersion), sqlite \(versions.sqlite), "
      + "spatialite \(versions.spatialite))"
  }

  private static var swiftVersion: String {
    #if compiler(>=6.3)
    "swift 6.3"
    #else
    "swift 6.2"
    #endif
  }
}
