public import ArgumentParser
import GeoIndex
public import GeoQuery
import GeoStore

/// `geoq cover`.
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
      With --rank, single places are listed instead; those that meet the most wants come first.
      """
  )

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The point to measure from, LAT,LON or geo:LAT,LON.",
      valueName: "lat,lon"
    )
  )
  var at: String

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A category, text:WORDS, a condition or offer:ID; may be repeated, up to \(CoverQuery.maximumWants) wants.",
      valueName: "want"
    ),
    completion: .custom { words, _, prefix in StoreCompletions(words).categories(prefix) }
  )
  var want: [String] = []

  @Option(
    name: .customLong("max"),
    parsing: .unconditional,
    help: ArgumentHelp(
      "Maximum distance in meters, or with a unit: m, km, mi, ft.",
      valueName: "dist"
    )
  )
  var maximumDistance: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Maximum number of places, 1 to \(CoverQuery.maximumPlaces) (default: \(CoverQuery.defaultPlaces)).",
      valueName: "p"
    )
  )
  var places: Int?

  @Option(
    help: ArgumentHelp(
      "The cost of a group: the largest distance from the point, the shortest walk from it through all places, or the largest distance between two places (default: farthest). The last, spread, looks within 50 km of the point unless --max is given."
    )
  )
  var by: CoverQuery.Cost?

  @Option(help: "Maximize the wants met, or the sum of their offers' amounts.")
  var prefer: CoverQuery.Preference = .count

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("List up to n single places instead of a group.", valueName: "n")
  )
  var rank: Int?

  @Flag(help: "List single places: for each number of wants met, the nearest.")
  var frontier = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Stop after this many seconds and print the best group found.",
      valueName: "seconds"
    )
  )
  var timeout: String?

  @OptionGroup var filters: FilterOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    _ = try query()
    _ = try seconds()
  }

  func run() throws {
    var query = try query()
    query.filter = try filters.filter(globals)
    query.deadline = try seconds().map { Deadline(in: .seconds($0)) }
    try QueryRun(globals: globals, output: output).answer { [query] store, engine in
      let found: CoverAnswer
      do {
        found = try engine.answer(query, offers: try Self.lookup(store, engine, query))
      } catch is QueryTimeout {
        throw CommandFailure("--timeout: nothing was found in this time; allow more", exitCode: 1)
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
  private static func lookup(
    _ store: any Store,
    _ engine: QueryEngine,
    _ query: CoverQuery
  ) throws -> OfferLookup {
    let isWanted = query.wants.contains { if case .offer = $0.places { true } else { false } }
    guard isWanted else { return { _ in nil } }
    return OfferPlaces(engine, try store.offerBook()).lookup(until: query.deadline)
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
    do {
      var query = CoverQuery(
        near: try named("--at") { try parsePoint(at) },
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
    } catch let error as QueryError {
      throw ValidationError(complaint(about: "--\(error.parameter)", terminalSafe(error.reason)))
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
