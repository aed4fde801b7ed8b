import ArgumentParser
import GeoQuery

/// What the query commands have in common: open, ask, write, close.
struct QueryRun {
  let globals: GlobalOptions
  let output: OutputOptions

  /// Answers one query.
  ///
  /// - Throws: `CommandFailure` with exit code 4 where `-e` was given and nothing was found.
  func answer(
    _ query: Query,
    filters: FilterOptions? = nil,
    whenUnsaid: OutputFormat? = nil
  ) throws {
    let answer = try AnswerOutput(output, globals, whenUnsaid: whenUnsaid)
    if query.cursor != nil, answer.format == .count {
      throw ValidationError("--cursor does not go with -f count, which counts all pages")
    }
    try withStore { store in
      let clock = ContinuousClock()
      let start = clock.now
      let (count, statistics, next) = try answer.write(query, from: globals.engine(store))
      if globals.verbose {
        StandardStreams.complain("\(restaurants(count)) in \(milliseconds(clock.now - start)) ms")
      }
      if let file = output.file {
        globals.say("\(terminalSafe(file)): \(restaurants(count))")
      }
      // the document of json has the counts already
      var explanation = Explanation()
      if answer.format != .json { explanation.add(statistics) }
      explanation.lines.forEach(StandardStreams.complain)
      if let next, query.limit != nil, answer.format != .json {
        globals.say("next: --cursor \(next)")
      }
      guard count == 0 else { return }
      if let hint = try filters?.hint(from: store) { globals.say(terminalSafe(hint)) }
      try finish(foundSomething: false)
    }
  }

  /// Ends with 4 where `-e` asks for it.
  func finish(foundSomething: Bool) throws {
    if output.exitStatus, !foundSomething {
      throw CommandFailure("", exitCode: CommandFailure.nothingFound)
    }
  }

  /// Opens the database and closes it again, whatever happens: the last one out removes SQLite's
  /// side files.
  func withStore(_ body: (RestaurantStore) throws -> Void) throws {
    let store = try RestaurantStore(path: globals.databasePath)
    defer { try? store.close() }
    if globals.verbose { StandardStreams.complain("database: \(terminalSafe(store.path))") }
    try body(store)
  }
}

/// A duration for people: milliseconds with one decimal.
private func milliseconds(_ duration: Duration) -> Double {
  ((duration / .milliseconds(1)) * 10).rounded() / 10
}
