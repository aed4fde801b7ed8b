import ArgumentParser
import GeoQuery
import GeoStore

/// The options of every command, before or after its name.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Database: a file or postgresql://… (default: $GEOQ_DB, then geoq.db).",
      valueName: "file"
    ),
    completion: .file(extensions: ["db"])
  )
  var db: String?

  @Option(
    help: ArgumentHelp(
      "Folder for snapshots of a PostgreSQL store (default: $XDG_CACHE_HOME/geoq, then ~/.cache/geoq).",
      valueName: "folder"
    ),
    completion: .directory
  )
  var cache: String?

  @Flag(name: .shortAndLong, help: "Print only results and errors.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Show the database and the time of most queries.")
  var verbose = false

  @Option(help: "When to use color.")
  var color: ColorChoice = .auto

  /// The database, as it was given.
  var databasePath: String {
    if let db { return db }
    if let variable = CommandContext.variable("GEOQ_DB"), !variable.isEmpty { return variable }
    return "geoq.db"
  }

  func validate() throws {
    if db?.isEmpty == true { throw ValidationError("--db: expected the name of a file") }
    if cache?.isEmpty == true { throw ValidationError("--cache: expected the name of a folder") }
    if PostgresAddress.isAddress(databasePath) {
      // the address is not repeated, because it may contain a password
      do throws(PostgresAddress.Problem) {
        _ = try PostgresAddress(databasePath)
      } catch {
        throw ValidationError("--db: \(error)")
      }
    }
    if quiet && verbose { throw ValidationError("-q and -v cannot be combined") }
  }

  /// Prints a line on standard error unless `-q` was given.
  func say(_ line: String) {
    if !quiet { StandardStreams.complain(line) }
  }
}

extension GlobalOptions {
  /// The location of the store.
  func place() throws -> StorePlace {
    try StorePlace(database: databasePath, cache: cache)
  }

  /// Opens the store.
  func openStore() throws -> any Store { try place().open() }

  /// The database file, for commands that do not work on a store in PostgreSQL.
  ///
  /// - Throws: `CommandFailure` if the store is in PostgreSQL.
  func databaseFile(for command: String) throws -> String {
    guard PostgresAddress.isAddress(databasePath) else { return databasePath }
    throw CommandFailure(
      "\(command) works on a database file, not yet on a store in PostgreSQL",
      exitCode: CommandFailure.usage
    )
  }

  /// An engine for the store's snapshot; reports on standard error if that had to be rebuilt.
  func engine(_ store: any Store) throws -> QueryEngine {
    QueryEngine(try store.snapshot { say("warning: " + terminalSafe($0)) }) {
      try store.favorites().filter { $0.favorite?.isGone == false }.map(\.restaurant.id)
    }
  }
}

extension ColorChoice: ExpressibleByArgument {}
