public import ArgumentParser
import GeoFeed
public import GeoIndex
public import GeoQuery
import GeoStore

struct CoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cover",
    abstract: "Find a few places that together meet all wants.",
    discussion: """
        geoq cover --at 32.95,-96.82 --want Thai --want 'Wing Joint' --want Mexican
        geoq cover --at 32.95,-96.82 --want Thai --want 'rating >= 4' --by walk
        geoq cover --at 32.95,-96.82 --want Thai --want text:patio --rank 5

      A want is a category (Thai, category:Thai), words (text:craft beer), a condition (rating >= 4) or an \
      offer (offer:7533). The answer is the best group of at most --places places: the most wants met, \
      then the fewest places, then the lowest cost; of equal ones the nearest places, by the sum of their \
      distances (except with --by walk), then by id. A want that is not met is listed with the reason. \
      An offer that has ended is not met, except with --expired. \
      With --rank, single places are listed instead; those that meet the most wants come first.
      """
  )

  @Option(
    parsing: .unconditional,
    help: "The point to measure from: LAT,LON, id:ID or name:NAME.".value("lat,lon")
  )
  var at: String

  @Option(
    parsing: .unconditionalSingleValue,
    help:
      "A category, text:WORDS, a condition or offer:ID; may be repeated, up to \(CoverQuery.maximumWants) wants."
      .value("want"),
    completion: .custom { words, _, prefix in StoreCompletions(words).categories(prefix) }
  )
  var want: [String] = []

  @Option(
    name: .customLong("max"),
    parsing: .unconditional,
    help: "Maximum distance in meters, or with a unit: m, km, mi, ft.".value("dist")
  )
  var maximumDistance: String?

  @Option(
    parsing: .unconditional,
    help:
      "Maximum number of places, 1 to \(CoverQuery.maximumPlaces) (default: \(CoverQuery.defaultPlaces))."
      .value("p")
  )
  var places: Int?

  @Option(
    help:
      "The cost of a group: the largest distance from the point, the shortest walk from it through all places, or the largest distance between two places (default: farthest). The last, spread, looks within 50 km of the point unless --max is given."
  )
  var by: CoverQuery.Cost?

  @Option(help: "Maximize the wants met, or the sum of their offers' amounts.")
  var prefer: CoverQuery.Preference = .count

  @Option(
    parsing: .unconditional,
    help: "List up to n single places instead of a group.".value("n")
  )
  var rank: Int?

  @Flag(help: "List single places: for each number of wants met, the nearest.")
  var frontier = false

  @Option(
    parsing: .unconditional,
    help: "Stop after this many seconds and print the best group found.".value("seconds")
  )
  var timeout: String?

  @OptionGroup var ends: OfferEndOptions
  @OptionGroup var filters: FilterOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if RestaurantReference(at) == nil { _ = try query() }
    _ = try seconds()
  }

  func run() throws {
    var query = try query()
    query.filter = try filters.filter(globals)
    query.deadline = try seconds().map { Deadline(in: .seconds($0)) }
    try QueryRun(globals: globals, output: output).answer { [query] store, engine in
      let found: CoverAnswer
      do {
        found = try engine.answer(query, offers: try lookup(store, engine, query))
      } catch is QueryTimeout {
        throw CommandFailure.other("--timeout: nothing was found in this time; allow more")
      }
      let text = try found.text
      return PlanReport(
        text: text,
        table: { fields, width, style in
          CoverTable(answer: found, text: text, fields: fields).lines(width: width, style: style)
        },
        hints: { try hints(on: found, engine) }
      )
    }
  }

  /// Finds the places of offers; reads offers only if there is a want for one.
  private func lookup(
    _ store: any Store,
    _ engine: QueryEngine,
    _ query: CoverQuery
  ) throws -> OfferLookup {
    let isWanted = query.wants.contains { if case .offer = $0.places { true } else { false } }
    guard isWanted else { return { _ in nil } }
    let day = ends.expired ? nil : try ends.day()
    return OfferPlaces(engine, try store.offerBook()).lookup(on: day, until: query.deadline)
  }

  /// Hints about wants that no restaurant has, and about places that are all far away.
  private func hints(on answer: CoverAnswer, _ engine: QueryEngine) throws -> [String] {
    guard case .group(let cover) = answer.result else { return [] }
    if engine.snapshot.count == 0 {
      return try [AnswerHint(engine, Query(.everywhere)).forNothing()].compactMap(\.self)
    }
    var hints: [String] = []
    for (want, outcome) in zip(answer.query.wants, cover.wants) where outcome.unmet == .nowhere {
      guard hints.count < 3, case .filter(let filter) = want.places else { continue }
      let hint = try AnswerHint(engine, Query(.everywhere, matching: filter)).forNothing()
      if let hint { hints.append(hint) }
    }
    let nearest = Query(.nearest(to: answer.query.center, count: 1))
    return hints + [try AnswerHint(engine, nearest).forDistantAnswer()].compactMap(\.self)
  }

  private func query() throws -> CoverQuery {
    try namingOption {
      var query = CoverQuery(
        near: try globals.point(at),
        wants: try Want.list(want),
        preferring: prefer
      )
      if let places {
        try CoverQuery.checkCount(ofPlaces: places)
        query.places = places
      }
      if let maximumDistance {
        query.maximumDistance = try named("--max") { try parseDistance(maximumDistance) }
      }
      if let by { query.cost = by }
      query.ranking = try ranking()
      return query
    }
  }

  private func ranking() throws -> CoverQuery.Ranking? {
    guard rank != nil || frontier else { return nil }
    if let rank, rank < 1 { throw ValidationError("--rank must be 1 or more, got \(rank)") }
    if places != nil || by != nil {
      throw ValidationError(
        "--places and --by are for a group of places; \(rank == nil ? "--frontier" : "--rank") lists single ones"
      )
    }
    return CoverQuery.Ranking(count: rank ?? .max, onlyNearest: frontier)
  }

  private func seconds() throws -> Double? {
    guard let timeout else { return nil }
    guard let seconds = parseDecimal(timeout), seconds > 0, seconds <= 86_400 else {
      throw ValidationError(
        "--timeout must be more than 0 and at most 86400 seconds, got \"\(terminalSafe(timeout))\""
      )
    }
    return seconds
  }
}

extension CoverQuery.Cost: ExpressibleByArgument {}
extension CoverQuery.Preference: ExpressibleByArgument {}

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
    help:
      "The position of one person, LAT,LON or geo:LAT,LON; repeat for 2 to \(Meeting.maximumPoints) people."
      .value("lat,lon")
  )
  var at: [String] = []

  @Option(
    help:
      "The positions of the people, in any format of geoq import, or one LAT,LON per line; - is standard input."
      .value("file"),
    completion: .file(extensions: ["csv", "tsv", "txt", "geojson", "json"])
  )
  var atFile: String?

  @Option(help: "What to minimize: the sum of the distances, or the largest one.")
  var by: GroupCost = .sum

  @Option(
    name: [.customShort("k", allowingJoined: true), .customLong("count")],
    parsing: .unconditionalSingleValue,
    help: "Number of places (default: \(Self.defaultCount)).".value("n")
  )
  var count: [Int] = []

  private static let defaultCount = 10
  private static let readingTitle = "How --at-file is read"

  @OptionGroup(title: Self.readingTitle) var columns: PositionColumnOptions
  @OptionGroup(title: Self.readingTitle) var reading: ReadingOptions
  @OptionGroup var filters: FilterOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if count.count > 1 {
      throw ValidationError("--count is given twice; -k is another name for it")
    }
    try require(count.first, in: 0..., "--count must be 0 or more")
    if atFile == nil {
      if try pointReading.isGiven {
        throw ValidationError("the options for reading points go with --at-file only")
      }
      if !at.contains(where: { RestaurantReference($0) != nil }) { _ = try points() }
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
          AnswerTable(
            matches: text.matches,
            summary: text.summary,
            fields: fields,
            subjects: Query(.everywhere, matching: filter).subjects,
            leadingNames: ["cost", "distances"],
            leadingValues: meeting.items.map { item in
              [
                formatDistance(item.cost),
                item.distances.map(formatDistance).joined(separator: ", "),
              ]
            },
            leadingMinimumWidth: 24
          ).lines(width: width, style: style)
        },
        hints: {
          guard meeting.items.isEmpty, count > 0 else { return [] }
          let query = Query(.everywhere, matching: filter)
          return [try AnswerHint(engine, query).forNothing()].compactMap(\.self)
        }
      )
    }
  }

  private var pointReading: PointReading { PointReading(columns: columns, options: reading) }

  private func points() throws -> [Coordinate] {
    var points = try at.map(globals.point)
    if let atFile {
      var input = try BatchInput(atFile, idCol: nil, pointReading)
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

/// What a few places have of the wants, as a receipt for people.
///
/// It has the total, each place with what it has, and what is missing.
struct CoverTable {
  let answer: CoverAnswer
  let text: PlanWriter

  func lines(width: Int, style: Style) -> [String] {
    guard case .group(let cover) = answer.result else { return places(width, style) }
    return total(cover).map(style.bold) + (cover.places.isEmpty ? [] : places(width, style))
      + missing(cover, width, style)
  }

  private func total(_ cover: Cover) -> [String] {
    var parts = ["\(cover.met) of \(cover.of)"]
    if answer.query.preference == .value {
      parts.append("worth \(withoutZeros(cover.value.description))")
    }
    if !cover.places.isEmpty {
      parts.append("\(formatDistance(cover.cost)) by \(answer.query.cost.rawValue)")
    }
    guard let bounds = cover.bounds else { return [parts.joined(separator: ", ")] }
    let most =
      answer.query.preference == .count
      ? "\(Int(bounds.met)) of \(cover.of)" : "worth \(withoutZeros(bounds.met.description))"
    return [
      parts.joined(separator: ", "),
      "cut short: no group has more than \(most), as much with fewer than "
        + "\(counted(bounds.places, "place")), or costs less than \(formatDistance(bounds.cost))",
    ]
  }

  private func places(_ width: Int, _ style: Style) -> [String] {
    AnswerTable(
      matches: text.matches,
      summary: text.summary,
      fields: fields,
      leadingNames: ["meets"],
      leadingValues: answer.places.map { place in
        [place.meets.map { answer.query.wants[$0].title }.joined(separator: ", ")]
      },
      leadingMinimumWidth: 16
    ).lines(width: width, style: style)
  }

  /// The keys to show; nil shows the usual ones.
  var fields: [RestaurantField]?

  private func missing(_ cover: Cover, _ width: Int, _ style: Style) -> [String] {
    let rows = zip(answer.query.wants, cover.wants).compactMap { asked, want in
      want.unmet.map { reason in
        [
          asked.title, text(of: reason), want.nearest == nil ? "" : grouped(want.places),
          want.nearest.map { formatDistance($0.distance) } ?? "",
          want.nearest.map { answer.id(at: $0.index) } ?? "",
        ]
      }
    }
    if rows.isEmpty { return [] }
    let columns = [
      TableColumn(title: "missing", minimumWidth: 12, priority: 5),
      TableColumn(title: "why", priority: 4),
      TableColumn(title: "places", alignment: .right, priority: 1),
      TableColumn(title: "distance", alignment: .right, priority: 3),
      TableColumn(title: "nearest", minimumWidth: 12, priority: 2),
    ]
    return [""] + TableWriter(columns: columns, style: style).lines(for: rows, width: width)
  }

  private func text(of reason: Cover.Outcome.Reason) -> String {
    switch reason {
    case .expired: "has ended"
    case .nowhere: "nowhere"
    case .beyond: "beyond \(formatDistance(min(answer.query.maximumDistance, 1e9)))"
    case .places: "not in the best group"
    }
  }
}

/// The result of a planning command, before it is written.
struct PlanReport {
  /// The answer for programs.
  let text: PlanWriter

  /// The lines for people, with the given keys or the usual ones, in a width.
  let table: (_ fields: [RestaurantField]?, _ width: Int, Style) -> [String]

  let hints: () throws -> [String]
}
