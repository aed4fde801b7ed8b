public import ArgumentParser
import GeoIndex
public import GeoQuery
import GeoStore

/// `geoq cover`.
struct CoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cover",
    abstract: "Find the few places that together have all that is wanted.",
    discussion: """
        geoq cover --at 32.95,-96.82 --want Thai --want 'Wing Joint' --want Mexican
        geoq cover --at 32.95,-96.82 --want Thai --want 'rating >= 4' --by walk
        geoq cover --at 32.95,-96.82 --want Thai --want text:patio --rank 5

      A want is a category (Thai, category:Thai), words (text:craft beer), a condition (rating >= 4) \
      or an offer (offer:7533). Of all groups of at most --places places the first one in this order is \
      the answer: the most wants met, the fewest places, the least cost, ids first. A want that is not \
      met is named with its reason. With --rank single places are listed instead, those that meet most \
      first.
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
      "What is wanted: a category, text:WORDS, a condition or offer:ID; repeat for each, at most \(CoverQuery.mostWants).",
      valueName: "want"
    ),
    completion: .custom { words, _, prefix in StoreCompletions(words).categories(prefix) }
  )
  var want: [String] = []

  @Option(
    name: .customLong("max"),
    parsing: .unconditional,
    help: ArgumentHelp(
      "No place farther than this: metres, or with m, km, mi, ft.",
      valueName: "dist"
    )
  )
  var maximumDistance: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "At most so many places, 1 to \(CoverQuery.mostPlaces) (default: \(CoverQuestion.usualPlaces)).",
      valueName: "p"
    )
  )
  var places: Int?

  @Option(
    help: ArgumentHelp(
      "What places cost: the largest distance from the point, the shortest way from it through all of them, or the largest distance between two (default: farthest)."
    )
  )
  var by: CoverQuery.Cost?

  @Option(help: "What counts most: how many wants are met, or their total amount.")
  var prefer: CoverQuery.Preference = .count

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("List single places instead, at most so many.", valueName: "n")
  )
  var rank: Int?

  @Flag(help: "List single places, only the nearest for each number of wants met.")
  var frontier = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Give up after so many seconds, with the best that was found.",
      valueName: "seconds"
    )
  )
  var timeout: String?

  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    _ = try question()
    _ = try seconds()
  }

  func run() throws {
    let question = try question()
    let deadline = try seconds().map { Deadline(in: .seconds($0)) }
    try QueryRun(globals: globals, output: output).answer { store, engine in
      let found: CoverAnswer
      do {
        found = try engine.answer(
          question,
          offers: try Self.lookup(store, engine, question, until: deadline),
          until: deadline
        )
      } catch is QueryTimeout {
        throw CommandFailure("--timeout: over before anything was found; give more", exitCode: 1)
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

  /// Finds where offers are had; they are read only if there is a want for one.
  private static func lookup(
    _ store: RestaurantStore,
    _ engine: QueryEngine,
    _ question: CoverQuestion,
    until deadline: Deadline?
  ) throws -> OfferLookup {
    let isWanted = question.wants.contains { if case .offer = $0.meaning { true } else { false } }
    guard isWanted else { return { _ in nil } }
    return OfferPlaces(engine, try store.offerBook()).lookup(until: deadline)
  }

  /// What would help with wants that no restaurant has, or if all of them are far away.
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

  private func question() throws -> CoverQuestion {
    do {
      var question = CoverQuestion(
        near: try named("--at") { try parsePoint(at) },
        wants: try WantText.list(want)
      )
      if let places {
        try CoverQuery.checkCount(ofPlaces: places)
        question.places = places
      }
      if let maximumDistance {
        question.maximumDistance = try named("--max") { try parseDistance(maximumDistance) }
      }
      if let by { question.cost = by }
      question.preference = prefer
      question.ranking = try ranking()
      return question
    } catch let error as QueryError {
      throw ValidationError("--\(error.parameter): \(terminalSafe(error.reason))")
    }
  }

  private func ranking() throws -> CoverQuestion.Ranking? {
    guard rank != nil || frontier else { return nil }
    if let rank, rank < 1 { throw ValidationError("--rank: must be 1 or more, got \(rank)") }
    if places != nil || by != nil {
      throw ValidationError(
        "--places and --by are for a group of places; \(rank == nil ? "--frontier" : "--rank") lists single ones"
      )
    }
    return CoverQuestion.Ranking(count: rank ?? .max, onlyNearest: frontier)
  }

  private func seconds() throws -> Double? {
    guard let timeout else { return nil }
    guard let seconds = parseDecimal(timeout), seconds > 0, seconds <= 86_400 else {
      throw ValidationError(
        "--timeout: must be more than 0 and at most 86400 seconds, got \"\(terminalSafe(timeout))\""
      )
    }
    return seconds
  }
}

extension CoverQuery.Cost: ExpressibleByArgument {}
extension CoverQuery.Preference: ExpressibleByArgument {}
