import ArgumentParser
import GeoQuery
import GeoStore

/// A command that lists restaurants: which of a region, in which order, and how they are written.
///
/// The groups of options are the command's own. In a group of groups, a debug build of ArgumentParser checks
/// each option five times as often, and the tests of the tool take twice as long.
protocol ListingCommand: ParsableCommand {
  var filters: FilterOptions { get }
  var page: PageOptions { get }
  var counts: CountOptions { get }
  var output: OutputOptions { get }
  var globals: GlobalOptions { get }
}

extension ListingCommand {
  var queryRun: QueryRun { QueryRun(globals: globals, output: output) }

  func answer(_ query: Query) throws { try queryRun.answer(query, counts.facets) }
}

/// What the query commands have in common: open, query, write, close.
///
/// If `-e` was given and nothing was found, it throws a `CommandFailure` with exit code 4.
struct QueryRun {
  let globals: GlobalOptions
  let output: OutputOptions

  /// Answers one query: with a page, or with counts by a field.
  func answer(_ query: Query, _ facets: Facet.Key?) throws {
    guard let facets else { return try answer(query) }
    if query.order != nil || query.limit != nil || query.cursor != nil {
      throw ValidationError("--facets does not go with --sort, --limit and --cursor")
    }
    try count(query, by: facets)
  }

  /// Answers one query with counts by a field.
  func count(_ query: Query, by key: Facet.Key) throws {
    let answer = try AnswerOutput(output, globals)
    try withStore { store in
      let engine = try globals.engine(store)
      let counts = try engine.facets(by: key, of: query)
      try answer.write(counts, by: key.description, of: engine.count(query).total)
      if let file = output.file {
        globals.say("\(terminalSafe(file)): \(counted(counts.count, "value"))")
      }
      guard counts.isEmpty else { return }
      try finish(after: query, engine)
    }
  }

  /// Answers one query with a page.
  func answer(_ query: Query, whenUnsaid: OutputFormat? = nil) throws {
    var answer = try AnswerOutput(output, globals, whenUnsaid: whenUnsaid)
    if query.cursor != nil, answer.format == .count {
      throw ValidationError("--cursor does not go with -f count, which counts all pages")
    }
    try withStore { store in
      let start = ContinuousClock.now
      let engine = try globals.engine(store)
      if answer.format == .geojson { answer.credits = try store.credits() }
      let (count, statistics, next) = try answer.write(query, from: engine)
      sayWritten(count, since: start)
      // in json the document already has the counts
      var indexWork = StatisticsText()
      if answer.format != .json { indexWork.add(statistics) }
      indexWork.lines.forEach(StandardStreams.complain)
      sayNext(next, of: query.limit, answer.format)
      try sayUnknownHours(query, engine)
      guard count == 0 else {
        if !globals.quiet, let hint = try AnswerHint(engine, query).forDistantAnswer() {
          globals.say(hint)
        }
        return
      }
      try finish(after: query, engine)
    }
  }

  /// Answers with a plan: queries, writes, and prints hints.
  func answer(_ ask: (any Store, QueryEngine) throws -> PlanReport) throws {
    var answer = try AnswerOutput(output, globals)
    try withStore { store in
      let start = ContinuousClock.now
      let engine = try globals.engine(store)
      let report = try ask(store, engine)
      let count = report.text.matches.count
      if answer.format == .geojson { answer.credits = try store.credits() }
      try answer.write(report)
      sayWritten(count, since: start)
      if !globals.quiet { for hint in try report.hints() { globals.say(terminalSafe(hint)) } }
      try finish(foundSomething: count > 0)
    }
  }

  /// Prints how long an answer took, and which file has it.
  private func sayWritten(_ count: Int, since start: ContinuousClock.Instant) {
    if globals.verbose {
      let tenths = ((ContinuousClock.now - start) / .milliseconds(1) * 10).rounded()
      StandardStreams.complain("\(restaurants(count)) in \(tenths / 10) ms")
    }
    if let file = output.file { globals.say("\(terminalSafe(file)): \(restaurants(count))") }
  }

  /// Prints how to continue after a page that is not the last; json has the cursor in its document.
  func sayNext(_ next: String?, of limit: Int?, _ format: OutputFormat) {
    if let next, limit != nil, format != .json { globals.say("next: --cursor \(next)") }
  }

  /// Tells how many more there may be, whose hours are not known.
  private func sayUnknownHours(_ query: Query, _ engine: QueryEngine) throws {
    guard !globals.quiet, let open = query.filter.open, !open.includesUnknown,
      let unknown = query.filter.unknownHours
    else { return }
    var region = query.region
    // all of them, whatever the maximum number of answers
    if case .nearest(let center, _, let maximum) = region {
      region = maximum.isFinite ? .radius(maximum, of: center) : .everywhere
    }
    let count = try engine.count(Query(region, matching: unknown)).total
    guard count > 0 else { return }
    globals.say(
      "\(restaurants(count)) with unknown hours omitted at \(open.time); --open-unknown includes them"
    )
  }

  /// Ends a command, with a hint if nothing was found.
  func finish(after query: Query, _ engine: QueryEngine) throws {
    if !globals.quiet, let hint = try AnswerHint(engine, query).forNothing() {
      globals.say(terminalSafe(hint))
    }
    try finish(foundSomething: false)
  }

  /// Ends with exit code 4 if `-e` was given and nothing was found.
  func finish(foundSomething: Bool) throws {
    if output.exitStatus, !foundSomething {
      throw CommandFailure.nothingFound()
    }
  }

  /// Opens the database, and names it if asked to.
  func withStore(_ body: (any Store) throws -> Void) throws {
    try globals.withStore { store in
      if globals.verbose { StandardStreams.complain("database: \(terminalSafe(store.path))") }
      try body(store)
    }
  }
}
