import ArgumentParser

/// The number of results, and where they start.
struct PageOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Maximum number of results; see geoq help filters.", valueName: "n")
  )
  var limit: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Continue after the page that printed this cursor; repeat the other options unchanged.",
      valueName: "cursor"
    )
  )
  var cursor: String?

  /// Rejects a cursor for many points.
  func checkBatch(_ option: String) throws {
    if cursor != nil {
      throw ValidationError("--cursor continues the results of one point; \(option) has many")
    }
  }

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit must be 0 or more, got \(limit)") }
  }
}
