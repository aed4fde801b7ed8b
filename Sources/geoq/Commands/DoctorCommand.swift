import ArgumentParser
import GeoQuery

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
    let findings = Diagnosis.examine(path: globals.databasePath)
    if json {
      try StandardStreams.printJSON(JSONReport.text(of: findings))
    } else {
      let width = findings.map(\.subject.count).max() ?? 0
      let lines = findings.map { finding in
        let mark = finding.isGood ? "ok   " : "WRONG"
        return
          "\(mark)  \(finding.subject.padded(toWidth: width))  \(terminalSafe(finding.detail))\n"
      }
      try StandardStreams.print(lines.joined())
    }
    guard findings.allSatisfy(\.isGood) else { throw CommandFailure("", exitCode: 1) }
  }
}
