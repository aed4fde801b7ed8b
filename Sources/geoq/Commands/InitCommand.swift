import ArgumentParser
import GeoStore

/// `geoq init`.
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create a store in PostgreSQL.",
    discussion: """
        geoq init --db postgresql://geoq@db.example/lunch
        geoq init --db 'postgresql://db.example/lunch?schema=dallas'

      Creates the schema geoq, or the one in ?schema=, with its tables. The database must have the \
      encoding UTF8 and PostGIS 3.0 or later. The user must be allowed to create schemas, or tables in the \
      schema if it exists and is empty. An existing store is not changed. Passwords belong in PGPASSWORD \
      or ~/.pgpass. A database file needs no init: the first import creates it.
      """
  )

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    guard case .postgres(let address, _) = try globals.place() else {
      throw CommandFailure(
        "geoq init creates a store in PostgreSQL: give --db postgresql://…; "
          + "the first import creates a database file",
        exitCode: CommandFailure.usage
      )
    }
    let isNew = try PostgresCreation.run(address)
    globals.say(
      "\(terminalSafe(address.shown)): "
        + (isNew ? "created; fill it with: geoq import FEED" : "exists; nothing was changed")
    )
  }
}
