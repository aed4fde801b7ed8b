public import ArgumentParser
import GeoFeed
public import GeoIndex
import GeoQuery

/// `geoq meet`.
struct MeetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "meet",
    abstract: "Find fair places for several people to meet.",
    discussion: """
        geoq meet --at 32.95,-96.82 --at 32.99,-96.85
        geoq meet --at 32.95,-96.82 --at 32.99,-96.85 --by max -k 3 --category Thai

      Sorted by the sum of the distances from all points, or with --by max by the largest of them, then by \
      id. Points are LAT,LON. Each result lists the distances from all points, in the order in which the \
      points were given.
      """
  )

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The position of one person, LAT,LON or geo:LAT,LON; repeat for 2 to \(Meeting.maximumPoints) people.",
      valueName: "lat,lon"
    )
  )
  var at: [String] = []

  @Option(
    help: ArgumentHelp(
      "The positions of the people, in any format of geoq import, or one LAT,LON per line; - is standard input.",
      valueName: "file"
    ),
    completion: .file(extensions: ["csv", "tsv", "txt", "geojson", "json"])
  )
  var atFile: String?

  @Option(help: "What to minimize: the sum of the distances, or the largest one.")
  var by: GroupCost = .sum

  @Option(
    name: [.customShort("k", allowingJoined: true), .customLong("count")],
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Number of places (default: \(Self.defaultCount)).", valueName: "n")
  )
  var count: [Int] = []

  private static let defaultCount = 10

  @OptionGroup(title: "How --at-file is read") var reading: PointReadingOptions
  @OptionGroup var filters: FilterOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if count.count > 1 {
      throw ValidationError("--count is given twice; -k is another name for it")
    }
    if let count = count.first, count < 0 {
      throw ValidationError("--count must be 0 or more, got \(count)")
    }
    if atFile == nil {
      if try reading.isGiven {
        throw ValidationError("the options for reading points go with --at-file only")
      }
      _ = try points()
    } else if !at.isEmpty {
      throw ValidationError("give --at or --at-file, not both")
    }
  }

  func run() throws {
    let points = try points()
    let filter = try filters.filter(globals)
    try QueryRun(globals: globals, output: output).answer { _, engine in
      let count = count.first ?? Self.defaultCount
      let meeting = try engine.meet(points, by: by, count: count, matching: filter)
      let text = try meeting.text(by: by)
      return PlanReport(
        text: text,
        table: { fields, width, style in
          MeetTable(meeting: meeting, text: text, filter: filter, fields: fields)
            .lines(width: width, style: style)
        },
        hints: {
          guard meeting.items.isEmpty, count > 0 else { return [] }
          let query = Query(.everywhere, matching: filter)
          return [try AnswerHint(engine, query).forNothing()].compactMap(\.self)
        }
      )
    }
  }

  private func points() throws -> [Coordinate] {
    var points = try at.map { text in try named("--at") { try parsePoint(text) } }
    if let atFile {
      var input = try BatchInput(atFile, idCol: nil, reading)
      for warning in input.warnings { globals.say("warning: " + warning) }
      points = try input.all()
    }
    do {
      try Meeting.checkCount(ofPoints: points.count)
    } catch {
      throw ValidationError("--\(error.description)")
    }
    return points
  }
}

extension GroupCost: ExpressibleByArgument {}
