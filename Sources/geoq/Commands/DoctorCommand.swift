import ArgumentParser
import GeoStore

/// `geoq doctor`.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check the libraries and the database.",
    discussion: """
        geoq doctor
        geoq doctor --json
        geoq doctor --db other.db

      Nothing is changed. The exit code is 1 where something is wrong.
      """
  )

  @Flag(help: "As JSON, geoq.doctor/1.")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let bar = ProgressBar(isQuiet: globals.quiet, "checking the libraries and the database")
    let findings = Diagnosis.examine(path: globals.databasePath)
    bar.clear()
    try FindingsOutput(findings).print(schema: "geoq.doctor/1", asJSON: json)
  }
}
