import ArgumentParser
import GeoStore

/// `geoq compact`.
struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Give the room that changes have left in the database back to the disk.",
    discussion: """
        geoq compact
        geoq compact --json
        geoq compact --db other.db

      Restaurants, ids and answers stay as they are; queries go on meanwhile, imports wait. While it \
      works it needs room for another copy of the database.
      """
  )

  @Flag(help: "As JSON, geoq.compact/1.")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let path = globals.databasePath
    let bar = ProgressBar(isQuiet: globals.quiet, "writing the database anew")
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
