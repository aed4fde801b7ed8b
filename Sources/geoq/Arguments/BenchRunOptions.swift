import ArgumentParser

/// How often a benchmark runs, on how many threads, and what it leaves behind.
struct BenchRunOptions: ParsableArguments {
  @Option(help: ArgumentHelp("At most so many queries.", valueName: "n"))
  var count: Int?

  @Option(help: ArgumentHelp("Measure so often, and report the median round.", valueName: "n"))
  var rounds = 1

  @Option(
    help: ArgumentHelp(
      "Answer on so many threads; more than one is --batch. (default: 1)",
      valueName: "n"
    )
  )
  var threads: Int?

  @Flag(help: "Ask all queries in one call, on all cores unless --threads says otherwise.")
  var batch = false

  @Option(
    help: ArgumentHelp("Write the answers: a JSON object a query.", valueName: "file"),
    completion: .file()
  )
  var answers: String?

  @Flag(help: "Overwrite the file of --answers.")
  var force = false

  @Flag(help: "Report as JSON, geoq.bench/1.")
  var json = false

  func validate() throws {
    let numbers = [(count, "--count"), (rounds, "--rounds"), (threads, "--threads")]
    for (number, option) in numbers { try atLeastOne(number, option) }
  }

  /// Whether one call asks all queries.
  var isBatch: Bool { batch || (threads ?? 1) > 1 }
}
