import ArgumentParser
import GeoIndex
import GeoQuery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Sends an answer where the options say, in the form they say.
struct AnswerOutput {
  private let options: OutputOptions
  private let terminal: Terminal

  /// The format, chosen once: layout depends on where the answer goes, its data never.
  let format: OutputFormat

  /// How many rows a table shows unless told.
  static let tableLimit = 100

  init(_ options: OutputOptions, _ globals: GlobalOptions, whenUnsaid: OutputFormat? = nil) throws {
    self.options = options
    terminal = Terminal(descriptor: STDOUT_FILENO, color: globals.color)
    let isForPeople = terminal.isTTY && options.file == nil
    format = options.chosenFormat ?? whenUnsaid ?? (isForPeople ? .table : .tsv)
    if options.null, format != .ids { throw ValidationError("-0 goes with -f ids") }
    if options.jsonFields != nil, format != .json {
      throw ValidationError("--json=FIELDS goes with the format json")
    }
  }

  /// Runs a query and writes its answer.
  ///
  /// - Returns: How many restaurants were written.
  func write(_ query: Query, from engine: QueryEngine) throws -> Int {
    try send { sink in
      switch format {
      case .table: return try writeTable(query, from: engine, to: sink)
      case .count:
        let count = min(try engine.count(query), query.limit ?? .max)
        try sink(Array("\(count)\n".utf8))
        return count
      default:
        return try engine.write(query, with: try writer(), to: sink)?.count ?? 0
      }
    }
  }

  /// Writes matches that are at hand.
  func write(_ matches: [Match]) throws {
    try send { sink in
      switch format {
      case .table:
        let lines = DetailView(style: terminal.style).lines(for: matches.map(\.restaurant))
        try sink(Array(lines.map { $0 + "\n" }.joined().utf8))
      case .count: try sink(Array("\(matches.count)\n".utf8))
      default:
        var writer = try writer()
        let extent = BoundingBox(enclosing: matches.map(\.restaurant.coordinate))
        writer.begin(
          AnswerSummary(
            count: matches.count,
            total: matches.count,
            extent: extent,
            hasDistance: false
          )
        )
        for match in matches { writer.write(match) }
        writer.end()
        try sink(writer.takeBytes())
      }
    }
  }

  /// Opens the output, lets the body write, and puts a file in place only when all is written.
  func send<Result>(_ body: (([UInt8]) throws -> Void) throws -> Result) throws -> Result {
    if let path = options.file {
      let file = try OutputFile(path: path, force: options.force)
      let result = try body { try file.writer.write($0) }
      try file.commit()
      return result
    }
    let writer = OutputWriter(descriptor: STDOUT_FILENO, path: "standard output")
    let isRaw = !terminal.isTTY || format == .table
    let result = try body { bytes in
      // a feed's text must not steer the terminal; a table has seen to that itself
      try writer.write(isRaw ? bytes : Array(terminalSafeLines(bytes).utf8))
    }
    try writer.flush()
    return result
  }

  private func writer() throws -> any MatchWriter {
    guard let answerFormat = AnswerFormat(rawValue: format.rawValue) else {
      throw ValidationError("the format \(format.rawValue) is not for this command")
    }
    return answerFormat.writer(fields: try options.fields(), terminator: options.null ? "\0" : "\n")
  }

  private func writeTable(
    _ query: Query,
    from engine: QueryEngine,
    to sink: ([UInt8]) throws -> Void
  ) throws -> Int {
    var query = query
    if case .nearest = query.region {} else { query.limit = query.limit ?? Self.tableLimit }
    var table = AnswerTable()
    try engine.answer(query, begin: { table.summary = $0 }, each: { table.add($0) })
    let lines = table.lines(width: terminal.tableWidth, style: terminal.style)
    try sink(Array(lines.map { $0 + "\n" }.joined().utf8))
    return table.count
  }
}
