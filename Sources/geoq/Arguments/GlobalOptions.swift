import ArgumentParser
import GeoQuery
import GeoStore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What every command takes, before or after its name.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The database; else the variable GEOQ_DB, else geoq.db.",
      valueName: "file"
    ),
    completion: .file(extensions: ["db"])
  )
  var db: String?

  @Flag(name: .shortAndLong, help: "Say nothing but answers and errors.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Say which database is asked, and how long a query took.")
  var verbose = false

  @Option(help: "Colour on a terminal.")
  var color: ColorChoice = .auto

  /// The database file to use.
  var databasePath: String {
    if let db { return db }
    if let variable = getenv("GEOQ_DB"), variable.pointee != 0 { return String(cString: variable) }
    return "geoq.db"
  }

  func validate() throws {
    if db?.isEmpty == true { throw ValidationError("--db: expected the name of a file") }
    if quiet && verbose { throw ValidationError("-q and -v contradict each other; give one") }
  }

  /// Says something on standard error unless `-q` was given.
  func say(_ line: String) {
    if !quiet { StandardStreams.complain(line) }
  }
}

extension GlobalOptions {
  /// An engine on the store's snapshot; says on standard error if that had to be made again.
  func engine(_ store: RestaurantStore) throws -> QueryEngine {
    QueryEngine(try store.snapshot { say("warning: " + terminalSafe($0)) })
  }
}

extension ColorChoice: ExpressibleByArgument {}
