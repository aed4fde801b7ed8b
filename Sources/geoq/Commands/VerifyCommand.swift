import ArgumentParser
import GeoStore

/// `geoq verify`.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check the database and its snapshot in full.",
    discussion: """
        geoq verify
        geoq verify --json
        geoq verify --db other.db

      Reads every page, row and point: SQLite's own check, rows against spatial index and snapshot. \
      Nothing is changed. The exit code is 1 if something is wrong.
      """
  )

  @Flag(help: "As JSON, geoq.verify/1.")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let bar = ProgressBar(isQuiet: globals.quiet, "opening the database")
    let findings = Verification.examine(path: globals.databasePath) { bar.show("checking: \($0)") }
    bar.clear()
    try FindingsOutput(findings).print(schema: "geoq.verify/1", asJSON: json)
  }
}
