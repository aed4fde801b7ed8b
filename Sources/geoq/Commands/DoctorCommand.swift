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

      Changes nothing. The exit code is 1 if something is wrong. It works on database files only.
      """
  )

  @Flag(help: "Print JSON (schema geoq.doctor/1).")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let path = try globals.databaseFile(for: "geoq doctor")
    let bar = ProgressBar(isQuiet: globals.quiet, "checking the libraries and the database")
    let findings = Diagnosis.examine(path: path)
    bar.clear()
    try FindingsOutput(findings).print(schema: "geoq.doctor/1", asJSON: json)
  }
}
