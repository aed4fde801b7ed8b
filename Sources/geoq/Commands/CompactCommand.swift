import ArgumentParser
import GeoStore

/// `geoq compact`.
struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Return free space in the database file to the disk.",
    discussion: """
        geoq compact
        geoq compact --json
        geoq compact --db other.db

      Restaurants, ids and answers do not change. Queries can run meanwhile; imports wait. It needs disk \
      space for another copy of the database while it runs. It works on database files only.
      """
  )

  @Flag(help: "Print JSON (schema geoq.compact/1).")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let path = try globals.databaseFile(for: "geoq compact")
    let bar = ProgressBar(isQuiet: globals.quiet, "rewriting the database")
    defer { bar.clear() }
    let report = try RestaurantStore.compact(path: path)
    bar.clear()
    globals.say(
      "\(terminalSafe(path)): \(grouped(report.bytesBefore)) bytes before, "
        + "\(grouped(report.bytesAfter)) after"
    )
    if json { try StandardStreams.printJSON(JSONReport.text(of: report, database: path)) }
  }
}
