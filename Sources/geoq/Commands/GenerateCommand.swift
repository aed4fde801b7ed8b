import ArgumentParser
import GeoQuery

/// `geoq generate`.
struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Generate a restaurant feed of any size.",
    discussion: """
        geoq generate --size 1000000 --seed 1 -o million.geojsonseq
        geoq generate --size 1000000 --seed 1 --changed 1 -o next.geojsonseq

      The same size and seed always give the same bytes. Restaurants are clustered in cities all over \
      the world; names, addresses and ratings are fictitious. --changed simulates the next version of \
      the feed, in which that percentage of the records differs.
      """
  )

  /// The formats that a feed is written in.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case geojsonseq
    case geojson
    case csv
  }

  @Option(parsing: .unconditional, help: "Number of restaurants.")
  var size: Int

  @Option(parsing: .unconditional, help: "Seed of the random numbers.")
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp("Percentage of records to change, 0 to 100.", valueName: "percent")
  )
  var changed: Double = 0

  @Option(
    name: .shortAndLong,
    help: "Output format (default: by the file's extension, otherwise geojsonseq)."
  )
  var format: Format?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this file; - for standard output.", valueName: "file"),
    completion: .file()
  )
  var output = "-"

  @Flag(help: "Overwrite an existing -o file.")
  var force = false

  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if size < 0 { throw ValidationError("--size: expected a number of 0 or more, got \(size)") }
    if !(0...100).contains(changed) { throw ValidationError("--changed: expected 0 to 100") }
  }

  func run() throws {
    let file = try OutputFile(path: output == "-" ? "/dev/stdout" : output, force: force)
    let restaurants = MadeUpRestaurants(size: size, seed: seed, changedPercent: changed)
    var writer = answerFormat.feedWriter()
    writer.begin(AnswerSummary(count: size, total: size, extent: nil, hasDistance: false))
    let isShown = output != "-" || !StandardStreams.isOutputTerminal
    let bar = ProgressBar(isQuiet: globals.quiet || !isShown, "writing")
    defer { bar.clear() }
    for number in 0..<size {
      writer.write(Match(restaurant: restaurants.restaurant(number)))
      guard writer.pendingCount >= 1 << 16 else { continue }
      try file.write(writer.takeBytes())
      let (count, size) = (number + 1, size)
      bar.show {
        ProgressBar.line(count, "restaurants", share: Double(count) / Double(size), seconds: $0)
      }
    }
    writer.end()
    try file.write(writer.takeBytes())
    try file.commit()
    bar.clear()
    if output != "-" { sayDone() }
  }

  private func sayDone() {
    globals.say("\(terminalSafe(output)): \(restaurants(size))")
  }

  private var answerFormat: AnswerFormat {
    switch format ?? OutputFormat(fileName: output).flatMap({ Format(rawValue: $0.rawValue) }) {
    case .geojson: .geojson
    case .csv: .csv
    case .geojsonseq, nil: .geojsonseq
    }
  }
}
