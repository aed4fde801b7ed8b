import ArgumentParser
import GeoStore

/// `geoq verify`.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check every page, row and index entry of the database and its snapshot.",
    discussion: """
        geoq verify
        geoq verify --json
        geoq verify --db other.db

      Runs SQLite's own check, and compares every row with the spatial index and the snapshot. In a store \
      in PostgreSQL, rows are compared with their hashes and the snapshot. Changes nothing. The exit code \
      is 1 if something is wrong.
      """
  )

  @Flag(help: "Print JSON (schema geoq.verify/1).")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let bar = ProgressBar(isQuiet: globals.quiet, "opening the database")
    defer { bar.clear() }
    let findings = try globals.place().verify { bar.show("checking: \($0)") }
    bar.clear()
    try FindingsOutput(findings).print(schema: "geoq.verify/1", asJSON: json)
  }
}
