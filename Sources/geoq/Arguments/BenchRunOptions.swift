import ArgumentParser

/// How many rounds and threads a benchmark has, and which files it writes.
struct BenchRunOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Maximum number of queries.", valueName: "n"))
  var count: Int?

  @Option(help: ArgumentHelp("Number of rounds; the median is reported.", valueName: "n"))
  var rounds = 1

  @Option(
    help: ArgumentHelp(
      "Number of threads; more than one implies --batch. (default: 1)",
      valueName: "n"
    )
  )
  var threads: Int?

  @Flag(help: "Run all queries in one call (nearest only), on all cores unless --threads is given.")
  var batch = false

  @Option(
    help: ArgumentHelp(
      "Write the answers to this file, one JSON object per query.",
      valueName: "file"
    ),
    completion: .file()
  )
  var answers: String?

  @Flag(help: "Overwrite an existing --answers file.")
  var force = false

  @Flag(help: "Print JSON (schema geoq.bench/1).")
  var json = false

  func validate() throws {
    let numbers = [(count, "--count"), (rounds, "--rounds"), (threads, "--threads")]
    for (number, option) in numbers { try atLeastOne(number, option) }
  }

  /// Whether all queries are answered by one call.
  var isBatch: Bool { batch || (threads ?? 1) > 1 }
}
