import ArgumentParser
import GeoFeed
import GeoIndex
import GeoQuery

/// A command that lists restaurants at the point of `--at`, or at many (`--at -` and `--at-file`).
protocol PointCommand: ListingCommand {
  var center: CenterOptions { get }
  var columns: PositionColumnOptions { get }
  var reading: ReadingOptions { get }
}

extension PointCommand {
  private var pointReading: PointReading { PointReading(columns: columns, options: reading) }

  /// Refuses options for many points if there is only one.
  func checkReading() throws {
    guard !center.isBatch, try center.keepUnmatched || pointReading.isGiven else { return }
    throw ValidationError(
      "--keep-unmatched and the options for reading points go with --at-file and --at - only"
    )
  }

  /// Answers the point, or every point in the order of the input.
  ///
  /// `hasRank` if a point may have several results in an order.
  ///
  /// - Throws: `ValidationError` if there are many, and options for the pages or counts of one answer.
  func answer(hasRank: Bool = false, _ query: (Coordinate) throws -> Query) throws {
    if !center.isBatch, let at = center.at {
      return try answer(query(globals.point(at)))
    }
    let option = center.batchOption
    if page.cursor != nil {
      throw ValidationError("--cursor continues the results of one point; \(option) has many")
    }
    if counts.facets != nil {
      throw ValidationError("--facets does not go with \(option)")
    }
    try BatchRun(run: queryRun, center: center, reading: pointReading, hasRank: hasRank)
      .answer(query)
  }
}

/// Answers at many points in the order of the input.
private struct BatchRun {
  let run: QueryRun
  let center: CenterOptions
  let reading: PointReading
  let hasRank: Bool

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
    var input = try BatchInput(center.atFile, idCol: center.idCol, reading)
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
      if tally.bad > 0 {
        let what = center.atFile == nil ? "line" : "point"
        throw CommandFailure.badData(
          "\(counted(tally.bad, what)) could not be read"
            + (center.strict ? "; --strict stopped there" : "")
        )
      }
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
  fileprivate var values: [[String]] = []
  fileprivate var matches: [Match] = []
  fileprivate var unmatched: [String] = []
  fileprivate var counts: [Int] = []

  mutating func add(_ point: BatchPoint, _ page: Page) throws {
    counts.append(page.count)
    if isCount { return }
    let row = [point.id ?? "\(point.line)"] + point.columns.map { $0.value.asText ?? "" }
    if page.count == 0, keepsUnmatched { unmatched.append(row[0]) }
    for rank in 0..<page.count { values.append(hasRank ? row + ["\(rank + 1)"] : row) }
    matches += try page.matches
  }

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

/// The points of `--at -`, one per line of standard input, or of `--at-file`.
struct BatchInput {
  /// The name of the input in messages.
  let name: String

  /// The column with the names of the points; nil if they have none.
  let idName: String?

  /// The other columns of the points.
  let columns: [String]

  private var lines: LineReader?
  private var lineNumber = 0
  private var rows: [PointTable.Row] = []
  private var position = 0
  private let idColumn: Int?

  /// Warnings about points that are read.
  let warnings: [String]

  /// The maximum size of a file of points, in bytes.
  private static let maximumBytes = 256 << 20

  /// Opens the file of `--at-file`, or without a path the input of `--at -`.
  ///
  /// Lines that begin like a point are read as points, one by one; anything else is read like a feed.
  ///
  /// - Throws: `CommandFailure` if the file cannot be read; `FeedError` if it has no points;
  ///   `ValidationError`.
  init(_ path: String?, idCol: String?, _ reading: PointReading) throws {
    let file = try FeedFile(pathOrInput: path ?? "-")
    name = file.name
    var reader = LineReader(file)
    var first = try reader.peekLine()
    var bytes: [UInt8]?
    if path != nil {
      let all = try Self.rest(of: &reader)
      reader = LineReader(MemoryBytes(all))
      first = Self.firstLine(of: all)
      bytes = all
    }
    let isTable = try idCol != nil || reading.isGiven
    guard isTable || Self.isFeed(first, isFile: path != nil) else {
      (idName, columns, idColumn, warnings) = (nil, [], nil, [])
      lines = reader
      return
    }
    let table = try PointTable(
      MemoryBytes(try bytes ?? Self.rest(of: &reader)),
      try reading.reader(name: name)
    )
    idColumn = try idCol.map { try Self.column($0, of: table) }
    let id = idColumn
    idName = id.map { table.columns[$0] }
    columns = table.columns.enumerated().filter { $0.offset != id }.map(\.element)
    rows = table.rows
    warnings = [table.notice].compactMap(\.self).map(terminalSafe) + table.warnings.lines
  }

  private static func rest(of reader: inout LineReader) throws -> [UInt8] {
    try reader.takeRest(of: "points; give one LAT,LON per line to --at -", atMost: maximumBytes)
  }

  /// The first line that is neither blank nor a comment.
  private static func firstLine(of bytes: [UInt8]) -> [UInt8] {
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let line = bytes[start...].prefix(4_096).prefix { $0 != 0x0A }
      let text = line.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      if let byte = text.first, byte != UInt8(ascii: "#") { return Array(line) }
      start = (bytes[start...].firstIndex(of: 0x0A) ?? bytes.endIndex - 1) + 1
    }
    return []
  }

  /// Whether an input with this line is a feed, not a point on each line.
  private static func isFeed(_ line: [UInt8], isFile: Bool) -> Bool {
    let text = String(decoding: line, as: UTF8.self).trimmingBlanks
    guard let byte = text.utf8.first, byte != UInt8(ascii: "#") else { return false }
    if (try? parsePoint(text)) != nil || text.lowercased().begins(with: "geo:") { return false }
    let isNumber = byte < 0x3A && byte > 0x2A
    if isNumber { return false }
    if isFile || [UInt8(ascii: "{"), UInt8(ascii: "["), 0x1E].contains(byte) { return true }
    return line.starts(with: [0x1F, 0x8B]) || line.contains { ",;\t|".utf8.contains($0) }
  }

  private static func column(_ name: String, of table: PointTable) throws -> Int {
    let found = table.columns.firstIndex { $0.lowercased() == name.lowercased() }
    if let found { return found }
    throw ValidationError(
      "--id-col: no column \"\(terminalSafe(name))\"; columns are "
        + table.columns.prefix(20).map(terminalSafe).joined(separator: ", ")
    )
  }

  /// Whether reading the next point may block.
  var mayWait: Bool { lines.map { !$0.hasWholeLine } ?? false }

  /// The next point, with its coordinate or its error; nil after the last.
  ///
  /// Blank lines and comments (#) are not points.
  mutating func next() throws -> (BatchPoint, Result<Coordinate, FeedError>)? {
    guard lines != nil else { return nextRow() }
    while let line = try lines?.next() {
      lineNumber += 1
      let text = line.trimmingBlanks
      if text.isEmpty || text.begins(with: "#") { continue }
      let point = Result { () throws(ArgumentProblem) in try parsePoint(text) }
      return (
        BatchPoint(line: lineNumber),
        point.mapError {
          FeedError(source: name, line: lineNumber, problem: $0.description)
        }
      )
    }
    return nil
  }

  private mutating func nextRow() -> (BatchPoint, Result<Coordinate, FeedError>)? {
    guard position < rows.count else { return nil }
    let row = rows[position]
    position += 1
    var values = row.values
    let id = idColumn.map { values.remove(at: $0).asText ?? "\(row.number)" }
    let point = BatchPoint(
      line: row.number,
      id: id,
      columns: zip(columns, values).map { JSONMember(name: $0, value: $1) }
    )
    return (point, row.position)
  }

  /// All points, of which none may be bad.
  ///
  /// - Throws: `FeedError` of the first bad one.
  mutating func all() throws -> [Coordinate] {
    var points: [Coordinate] = []
    while let (_, point) = try next() { points.append(try point.get()) }
    return points
  }
}
