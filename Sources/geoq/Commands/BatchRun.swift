import ArgumentParser
import GeoFeed
import GeoIndex
import GeoQuery

/// `--at -` and `--at-file`: answers many points, in the order of the input.
struct BatchRun {
  let run: QueryRun
  let center: CenterOptions
  /// Whether a point may have several results in an order.
  var hasRank = false

  /// The counts so far.
  private struct Tally {
    var bad = 0
    var found = 0
    var indexWork = StatisticsText()
  }

  /// Answers every point; reports a bad one on standard error and continues, unless strict.
  ///
  /// - Throws: `CommandFailure` with exit code 65 at the end if a point was bad.
  func answer(_ query: (Coordinate) throws -> Query) throws {
    let output = try AnswerOutput(run.output, run.globals, isBatch: true)
    var input = try BatchInput(center.atFile, idCol: center.idCol, center.points)
    for warning in input.warnings { run.globals.say("warning: " + warning) }
    let names = { fields in
      BatchWriter.leadingNames(
        idName: input.idName,
        columns: input.columns,
        fields: fields,
        hasRank: hasRank
      )
    }
    let (leading, fields) = try run.output.fields(among: names)
    try run.withStore { store in
      let engine = try run.globals.engine(store)
      var tally = Tally()
      try output.send { sink in
        switch AnswerFormat(rawValue: output.format.rawValue) {
        case nil:
          var table = BatchTable(
            isCount: output.format == .count,
            fields: fields,
            names: names(fields),
            shown: leading,
            hasRank: hasRank,
            keepsUnmatched: center.keepUnmatched
          )
          try eachPoint(of: &input, sink, engine, query, &tally) { point, answer in
            guard case .success(let page) = answer else { return }
            try table.add(point, page)
          }
          try sink.write(output.bytes(of: table))
        case let format?:
          var writer = BatchWriter(
            format,
            idName: input.idName,
            columns: input.columns,
            fields: fields,
            isRaw: run.output.raw,
            leading: leading,
            hasRank: hasRank,
            keepsUnmatched: center.keepUnmatched
          )
          try eachPoint(of: &input, sink, engine, query, &tally) { point, answer in
            switch answer {
            case .success(let page):
              writer.write(point, try page.matches, statistics: page.statistics)
            case .failure(let problem): writer.write(point, error: problem.problem)
            }
            try sink.write(writer.takeBytes())
          }
          writer.end()
          try sink.write(writer.takeBytes())
        }
      }
      // in json the objects already have the counts
      if ![.json, .jsonl].contains(output.format) {
        tally.indexWork.lines.forEach(StandardStreams.complain)
      }
      if tally.bad > 0 { throw failure(tally.bad) }
      try run.finish(foundSomething: tally.found > 0)
    }
  }

  private func eachPoint(
    of input: inout BatchInput,
    _ sink: AnswerSink,
    _ engine: QueryEngine,
    _ query: (Coordinate) throws -> Query,
    _ tally: inout Tally,
    _ body: (BatchPoint, Result<Page, FeedError>) throws -> Void
  ) throws {
    while !(center.strict && tally.bad > 0) {
      // flushes if the input is interactive, so that each answer arrives at once
      if input.mayWait { try sink.flush() }
      guard let (point, coordinate) = try input.next() else { return }
      switch coordinate {
      case .success(let coordinate):
        let page = try engine.page(query(coordinate))
        tally.found += page.count
        tally.indexWork.add(page.statistics)
        try body(point, .success(page))
      case .failure(let problem):
        tally.bad += 1
        StandardStreams.complain(terminalSafe(problem.description))
        try body(point, .failure(problem))
      }
    }
  }

  private func failure(_ bad: Int) -> CommandFailure {
    let what = center.atFile == nil ? "line" : "point"
    return CommandFailure(
      "\(grouped(bad)) \(what)\(bad == 1 ? "" : "s") could not be read"
        + (center.strict ? "; --strict stopped there" : ""),
      exitCode: CommandFailure.badData
    )
  }
}

/// The answers of a batch in the formats for people: a table, or one count per line.
struct BatchTable {
  let isCount: Bool
  let fields: [RestaurantField]?
  /// The columns before those of the restaurants.
  let names: [String]
  /// Those of them to show; nil for all.
  let shown: [String]?
  let hasRank: Bool
  let keepsUnmatched: Bool
  private var values: [[String]] = []
  private var matches: [Match] = []
  private var unmatched: [String] = []
  private var counts: [Int] = []

  init(
    isCount: Bool,
    fields: [RestaurantField]?,
    names: [String],
    shown: [String]?,
    hasRank: Bool,
    keepsUnmatched: Bool
  ) {
    self.isCount = isCount
    self.fields = fields
    self.names = names
    self.shown = shown
    self.hasRank = hasRank
    self.keepsUnmatched = keepsUnmatched
  }

  /// Adds the answer to a point.
  mutating func add(_ point: BatchPoint, _ page: Page) throws {
    counts.append(page.count)
    if isCount { return }
    let row = [point.id ?? "\(point.line)"] + point.columns.map { $0.value.asText ?? "" }
    if page.count == 0, keepsUnmatched { unmatched.append(row[0]) }
    for rank in 0..<page.count { values.append(hasRank ? row + ["\(rank + 1)"] : row) }
    matches += try page.matches
  }

  /// The lines.
  func lines(width: Int, style: Style) -> [String] {
    if isCount { return counts.map(String.init) }
    // on a terminal only the point's name and the rank; the other formats have all its columns
    let few = hasRank ? [0, names.count - 1] : [0]
    let places =
      shown?.compactMap(names.firstIndex) ?? (width == .max ? Array(names.indices) : few)
    let lines = AnswerTable(
      matches: matches,
      summary: AnswerSummary(
        count: matches.count,
        total: matches.count,
        extent: nil,
        hasDistance: true
      ),
      fields: fields,
      leadingNames: places.map { names[$0] },
      leadingValues: values.map { row in places.map { row[$0] } }
    ).lines(width: width, style: style)
    guard !unmatched.isEmpty else { return lines }
    return lines + ["without a result: " + unmatched.map(terminalSafe).joined(separator: ", ")]
  }
}
