import ArgumentParser
import GeoIndex
import GeoQuery

/// Writes an answer to the file, and in the format, that the options choose.
struct AnswerOutput {
  private let options: OutputOptions
  private let terminal: Terminal
  private let isForPeople: Bool
  private let isExport: Bool
  private let isQuiet: Bool

  /// The format, chosen once: the layout depends on where the answer goes, the data never does.
  let format: OutputFormat

  /// The credits of the restaurants' sources, which GeoJSON has.
  var credits = Credits.none

  /// What the detail view tells of corrections, by id.
  var notes: [UTF8Key: [String]] = [:]

  /// The default number of rows of a table.
  static let tableLimit = 100

  /// Chooses the format: `whenUnsaid` if no option does.
  ///
  /// With `isBatch`, `--columns` may name columns of points.
  ///
  /// - Throws: `ValidationError` if the options do not go together.
  init(
    _ options: OutputOptions,
    _ globals: GlobalOptions,
    whenUnsaid: OutputFormat? = nil,
    isBatch: Bool = false
  ) throws {
    if !isBatch { _ = try options.fields() }
    self.options = options
    terminal = Terminal(descriptor: CommandContext.current.output, color: globals.color)
    isForPeople = terminal.isTTY && options.file == nil
    isExport = whenUnsaid == .geojson
    isQuiet = globals.quiet
    format = options.chosenFormat ?? whenUnsaid ?? (isForPeople ? .table : .tsv)
    if let file = options.file { try globals.checkOutput(file) }
    if options.format == nil, options.tileFile != nil {
      throw ValidationError(
        "-o: only geoq export writes .pmtiles and .mbtiles; see geoq help formats, or give -f"
      )
    }
    if options.null, format != .ids { throw ValidationError("-0 goes with -f ids") }
    if options.jsonFields != nil, format != .json {
      throw ValidationError("--json=FIELDS goes with the format json")
    }
    if options.columns != nil, !format.hasColumns {
      throw ValidationError(
        "--columns goes with the formats table, tsv, csv, json and jsonl, not \(format.rawValue)"
      )
    }
    if options.raw, format != .csv { throw ValidationError("--raw goes with the format csv") }
  }

  /// Runs a query and writes its answer.
  ///
  /// - Returns: The number of restaurants written, the index statistics if the query asks for them,
  ///   and the cursor of the next page.
  func write(
    _ query: Query,
    from engine: QueryEngine
  ) throws -> (count: Int, statistics: SearchStatistics?, next: String?) {
    try send { sink in
      switch AnswerFormat(rawValue: format.rawValue) {
      case let format?:
        let page = try engine.page(query)
        try page.write(with: try writer(format), to: sink.write)
        return (page.count, page.statistics, page.next)
      case nil where format == .count:
        let (total, statistics) = try engine.count(query)
        let count = min(total, query.limit ?? .max)
        try sink.write(Array("\(count)\n".utf8))
        return (count, statistics, nil)
      case nil:
        let page = try writeTable(query, from: engine, to: sink.write)
        return (page.count, page.statistics, page.next)
      }
    }
  }

  /// Writes matches in memory, with all their keys.
  func write(_ matches: [Match]) throws {
    let fields = try options.fields()
    try write(matches) {
      DetailView(style: terminal.style, fields: fields, notes: notes)
        .lines(for: matches.map(\.restaurant))
    }
  }

  func bytes(of table: BatchTable) -> [UInt8] {
    Self.bytes(of: table.lines(width: terminal.tableWidth, style: terminal.style))
  }

  /// Writes favorites, one per line.
  func write(favorites list: FavoriteList) throws {
    let fields = try options.fields()
    try write(list.matches, asFavorites: true, next: list.next) {
      if let fields {
        let summary = AnswerSummary(
          count: list.matches.count,
          total: list.total,
          extent: nil,
          hasDistance: false,
          next: list.next
        )
        return AnswerTable(matches: list.matches, summary: summary, fields: fields)
          .lines(width: terminal.tableWidth, style: terminal.style)
      }
      return FavoriteTable.lines(for: list, width: terminal.tableWidth, style: terminal.style)
    }
  }

  func write(_ report: PlanReport) throws {
    let fields = try options.fields()
    try write(count: report.text.matches.count) {
      report.table(fields, terminal.tableWidth, terminal.style)
    } others: { format in
      report.text.bytes(
        in: format,
        fields: fields,
        terminator: options.null ? "\0" : "\n",
        isRaw: options.raw,
        credits: credits
      )
    }
  }

  /// Writes counts of some restaurants by a field.
  func write(_ facets: [Facet], by field: String, of count: Int) throws {
    if options.columns != nil { throw ValidationError("--columns does not go with counts") }
    try write(count: facets.count) {
      guard !facets.isEmpty else { return ["no restaurants found"] }
      let columns = [
        TableColumn(title: field, minimumWidth: 30, priority: 10),
        TableColumn(title: "count", alignment: .right, priority: 9),
      ]
      let rows = facets.map { [$0.value ?? "(none)", grouped($0.count)] }
      let table = TableWriter(columns: columns, style: terminal.style)
      return table.lines(for: rows, width: terminal.tableWidth)
        + [terminal.style.dim(restaurants(count))]
    } others: { format in
      if format == .json { return facets.json(by: field, of: count) }
      if let bytes = facets.delimited(format, by: field) { return bytes }
      throw ValidationError("counts need -f table, tsv, csv, json or count")
    }
  }

  /// Writes counts by area, as those of a field or as outlines with their counts.
  func write(_ counts: [AreaCount], of count: Int) throws {
    guard format == .geojson else { return try write(counts.facets, by: "area", of: count) }
    try send { try $0.write(counts.geoJSON) }
  }

  private static func bytes(of lines: [String]) -> [UInt8] {
    Array(lines.map { $0 + "\n" }.joined().utf8)
  }

  private func write(
    _ matches: [Match],
    asFavorites: Bool = false,
    next: String? = nil,
    table: () -> [String]
  ) throws {
    try write(count: matches.count, table: table) { format in
      var writer = try writer(format)
      writer.begin(
        AnswerSummary(
          count: matches.count,
          total: matches.count,
          extent: BoundingBox(enclosing: matches.map(\.restaurant.coordinate)),
          hasDistance: false,
          hasFavorites: asFavorites,
          next: next
        )
      )
      for match in matches { writer.write(match) }
      writer.end()
      return writer.takeBytes()
    }
  }

  /// Writes an answer as a table for people, as its number, or in a format for programs.
  private func write(
    count: Int,
    table: () throws -> [String],
    others: (AnswerFormat) throws -> [UInt8]
  ) throws {
    try send { sink in
      switch AnswerFormat(rawValue: format.rawValue) {
      case let format?: try sink.write(others(format))
      case nil where format == .count: try sink.write(Array("\(count)\n".utf8))
      case nil: try sink.write(Self.bytes(of: table()))
      }
    }
  }

  /// Opens the output, lets the body write, and renames a file only when it is complete.
  func send<Result>(_ body: (AnswerSink) throws -> Result) throws -> Result {
    // on a terminal the answer itself shows the progress
    let bar = ProgressBar(isQuiet: isQuiet || isForPeople, "writing")
    defer { bar.clear() }
    var count = 0
    func note(_ bytes: [UInt8]) {
      count += bytes.count
      let written = count
      bar.show { ProgressBar.line("\(grouped(written >> 20)) MiB written", seconds: $0) }
    }
    let file = try options.file.map { try OutputFile(path: $0, force: options.force) }
    let writer = OutputWriter(descriptor: CommandContext.current.output, path: "standard output")
    let sink = AnswerSink(
      write: {
        note($0)
        if let file { try file.write($0) } else { try writer.write(shown($0)) }
      },
      flush: { try writer.flush() }
    )
    let result = try body(sink)
    try file?.commit()
    try writer.flush()
    return result
  }

  /// The output for a terminal, which a feed's text must not control.
  ///
  /// Tables are made safe elsewhere.
  private func shown(_ bytes: [UInt8]) -> [UInt8] {
    guard terminal.isTTY, format != .table else { return bytes }
    let text = String(decoding: bytes, as: UTF8.self)
    return Array((format.isJSON ? terminalSafeJSON(text) : terminalSafeLines(text)).utf8)
  }

  private func writer(_ format: AnswerFormat) throws -> MatchWriter {
    var writer = format.writer(
      fields: try options.fields(),
      terminator: options.null ? "\0" : "\n",
      isRaw: options.raw
    )
    writer.credits = credits
    return writer
  }

  private func writeTable(
    _ query: Query,
    from engine: QueryEngine,
    to sink: ([UInt8]) throws -> Void
  ) throws -> Page {
    var query = query
    // a terminal shows at most 100 rows; exports and explicit limits are complete
    if case .nearest = query.region {
    } else if isForPeople, !isExport {
      query.limit = query.limit ?? Self.tableLimit
    }
    let page = try engine.page(query)
    let table = AnswerTable(
      matches: try page.matches,
      summary: page.summary,
      fields: try options.fields(),
      subjects: query.subjects
    )
    try sink(Self.bytes(of: table.lines(width: terminal.tableWidth, style: terminal.style)))
    return page
  }
}

/// Receives an answer's bytes.
struct AnswerSink {
  /// Adds bytes, which may be buffered.
  let write: ([UInt8]) throws -> Void

  /// Writes the buffered bytes, for a reader that waits for them.
  let flush: () throws -> Void
}

/// A hint for people whose query found nothing, or only restaurants far away.
struct AnswerHint {
  private let engine: QueryEngine
  private let query: Query

  /// Beyond this distance, a wrong sign is more likely than a long way to lunch.
  private static let farAway = 500_000.0

  init(_ engine: QueryEngine, _ query: Query) {
    self.engine = engine
    self.query = query
  }

  /// A hint after an empty answer; nil if there is none.
  func forNothing() throws -> String? {
    if engine.snapshot.count == 0 { return "the database is empty; geoq import FEED fills it" }
    if query.cursor != nil || query.limit == 0 { return nil }
    if let hint = try unknownCategory() ?? unknownValue() ?? unknownWord() { return hint }
    switch query.region {
    case .nearest(_, 0, _), .everywhere: return nil
    case .nearest(let center, _, let radius), .radius(let radius, let center):
      return try nothing(within: radius, of: center)
    case .box(let box): return try nothing(in: box)
    }
  }

  /// A question after an answer whose first restaurant is very far away; nil if it is near.
  func forDistantAnswer() throws -> String? {
    guard let center = query.center, query.cursor == nil,
      let distance = try nearest(to: center), distance > Self.farAway,
      let question = try signQuestion(center)
    else { return nil }
    return "the nearest is \(Self.text(distance)) away: \(question)"
  }

  // MARK: - Filters

  private func unknownCategory() throws -> String? {
    guard !query.filter.categories.isEmpty else { return nil }
    let unknown = try query.filter.categories.first { name in
      try engine.count(Query(.everywhere, matching: Filter(categories: [name]))).total == 0
    }
    guard let unknown else { return nil }
    let advice = "geoq list --facets category lists them"
    let hint = guess(at: unknown, among: try values(of: .category), else: advice)
    return "no category \"\(unknown)\"; \(hint)"
  }

  private func unknownValue() throws -> String? {
    for condition in query.filter.conditions
    where condition.comparison == .equal && condition.alternatives.isEmpty {
      guard case .text(let wanted) = condition.operand, Facet.fields.contains(condition.field)
      else { continue }
      let isKnown = Query(.everywhere, matching: Filter(conditions: [condition]))
      if try engine.count(isKnown).total > 0 { continue }
      let name = condition.field.rawValue
      let advice = "geoq list --facets \(name) lists what there is"
      let hint = guess(at: wanted, among: try values(of: condition.field), else: advice)
      return "no restaurant has the \(name) \"\(wanted)\"; \(hint)"
    }
    return nil
  }

  private func unknownWord() throws -> String? {
    let words = query.filter.text.split { $0 == " " }.map(String.init)
    for word in words {
      let found = try engine.count(Query(.everywhere, matching: Filter(text: word))).total
      if found == 0 { return "no restaurant has a word that begins with \"\(word)\"" }
    }
    guard words.count > 1 else { return nil }
    let together = Query(.everywhere, matching: Filter(text: query.filter.text))
    guard try engine.count(together).total == 0 else { return nil }
    return "there are restaurants with each of these words, but none with all of them"
  }

  private func values(of field: Condition.Field) throws -> [String] {
    try engine.facets(by: field, of: Query(.everywhere)).compactMap(\.value)
  }

  // MARK: - Places

  private func nothing(within radius: Double, of center: Coordinate) throws -> String? {
    let isFiltered = query.filter != .all
    guard let distance = try nearest(to: center) else {
      return isFiltered ? "no restaurant matches the filter, at any distance" : nil
    }
    let there = try engine.count(Query(.radius(radius, of: center))).total
    let start =
      isFiltered && there > 0
      ? "of the \(restaurants(there)) within \(Self.text(radius)) none matches the filter; the nearest that does"
      : "nothing within \(Self.text(radius)); the nearest"
    let question = distance > Self.farAway ? try signQuestion(center) : nil
    return "\(start) is \(Self.text(distance)) away\(question.map { ": " + $0 } ?? "")"
  }

  private func nothing(in box: BoundingBox) throws -> String? {
    let there = try engine.count(Query(.box(box))).total
    if there > 0 { return "of the \(restaurants(there)) in the box none matches the filter" }
    let turned = BoundingBox(
      west: box.south,
      south: box.west,
      east: box.north,
      north: box.east
    )
    if let turned, try engine.count(Query(.box(turned), matching: query.filter)).total > 0 {
      return "nothing in the box; a box is W,S,E,N: did you mean "
        + "--bbox \(box.south),\(box.west),\(box.north),\(box.east)?"
    }
    let width = box.east - box.west + (box.west > box.east ? 360 : 0)
    let middle = Coordinate(
      latitude: (box.south + box.north) / 2,
      longitude: (box.west + width / 2).remainder(dividingBy: 360)
    )
    guard let middle, let distance = try nearest(to: middle) else { return nil }
    return "nothing in the box; the nearest is \(Self.text(distance)) from its middle"
  }

  /// The distance to the nearest restaurant that matches the filter; nil if there is none.
  private func nearest(to center: Coordinate) throws -> Double? {
    try engine.nearest(to: center, count: 1, matching: query.filter).first?.distance
  }

  /// A question about the signs of a point; nil if no other signs give a near restaurant.
  private func signQuestion(_ center: Coordinate) throws -> String? {
    let (latitude, longitude) = (center.latitude, center.longitude)
    let readings = [
      (latitude, -longitude, "is a minus sign missing, or one too many?"),
      (-latitude, longitude, "is a minus sign missing, or one too many?"),
      (-latitude, -longitude, "are minus signs missing, or too many?"),
      (longitude, latitude, "are latitude and longitude swapped?"),
    ]
    for (north, east, question) in readings {
      guard let other = Coordinate(latitude: north, longitude: east),
        let distance = try nearest(to: other), distance < Self.farAway / 5
      else { continue }
      return "\(question) --at \(north),\(east) has one \(Self.text(distance)) away"
    }
    return nil
  }

  private static func text(_ meters: Double) -> String {
    meters < 1e9 ? formatDistance(meters).replacing(".0 km", with: " km") : "any distance"
  }
}
