import ArgumentParser
import GeoQuery

/// How many answers, and from where on.
struct PageOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "At most so many; a table on a terminal shows 100 unless told.",
      valueName: "n"
    )
  )
  var limit: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Go on where the page ended that gave this cursor: the same command, with it.",
      valueName: "cursor"
    )
  )
  var cursor: String?

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit: must be 0 or more, got \(limit)") }
  }
}
