import ArgumentParser

/// How many answers, and from where on.
struct PageOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("At most so many; see geoq help filters.", valueName: "n")
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

  /// Refuses a cursor if many points are asked.
  func checkBatch(_ option: String) throws {
    if cursor != nil {
      throw ValidationError("--cursor belongs to one point, and \(option) asks for many")
    }
  }

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit: must be 0 or more, got \(limit)") }
  }
}
