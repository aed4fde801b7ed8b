import ArgumentParser
import GeoFeed
import GeoStore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `geoq import`.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Take a restaurant feed into the database.",
    discussion: """
        geoq import Data/restaurants.json
        geoq import https://example.com/restaurants.json --source lunch
        curl -s https://example.com/places.geojson | geoq import - --source places
        geoq import city.csv.gz --lat-col north --lon-col east

      The feed replaces what its source had; other sources stay. What geoq exported goes back to the \
      sources it names, and removes nothing, unless --source says otherwise. One transaction: the \
      database has the feed entirely or is as it was. A bad record is left out and named, the others \
      go in. A feed may be packed with gzip, whatever its name. geoq help formats tells the formats.
      """
  )

  @Argument(
    help: ArgumentHelp("A file, an http(s) address, or - for standard input.", valueName: "feed"),
    completion: .file(
      extensions: ["json", "geojson", "geojsons", "geojsonl", "jsonl", "csv", "tsv", "gz"]
    )
  )
  var feed: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The feed's format; recognised by content unless given: \(formatNames.joined(separator: ", ")).",
      valueName: "format"
    ),
    completion: .list(formatNames)
  )
  var inputFormat: String?

  private static let formatNames = FeedFormat.allCases.map(\.rawValue)

  @Option(
    help: ArgumentHelp(
      "The name under which the records are kept; else the file's name or the address.",
      valueName: "name"
    )
  )
  var source: String?

  @OptionGroup(title: "Columns of tables and JSON lines") var columns: ColumnOptions

  @Option(
    help: ArgumentHelp(
      "Write the records left out here, one JSON object a line, each with the reason.",
      valueName: "file"
    ),
    completion: .file()
  )
  var rejectFile: String?

  @Flag(help: "Replace the file of --reject-file where there is one.")
  var force = false

  @Flag(help: "Refuse the whole feed where a record is bad.")
  var strict = false

  @Flag(help: "Report what would happen to the database, and leave it alone.")
  var dryRun = false

  @Flag(help: "Keep records that the feed no longer lists.")
  var keepMissing = false

  @Flag(help: "Take a feed that is empty or 90 % smaller than what its source had.")
  var allowShrink = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Read only so many records of the feed; then nothing is removed.",
      valueName: "n"
    )
  )
  var stopAfter: Int?

  @Flag(help: "Show no progress on a terminal.")
  var noProgress = false

  @Flag(help: "Report as JSON, geoq.import/1.")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    _ = try format()
    if let stopAfter, stopAfter < 1 {
      throw ValidationError("--stop-after: must be 1 or more, got \(stopAfter)")
    }
    if rejectFile == "-", json {
      throw ValidationError("--reject-file - and --json both want standard output; name a file")
    }
    if source?.isEmpty == true { throw ValidationError("--source: expected a name") }
    if feed == nil, Terminal.isTTY(STDIN_FILENO) {
      throw ValidationError("name a feed: a file, an address, or - for standard input")
    }
  }

  func run() throws {
    let path = globals.databasePath
    let input = FeedInput(name: feed ?? "-", source: source)
    guard let (bytes, origin) = try input.open(database: path, always: strict) else {
      try reportNotModified(input, path)
      return
    }
    var reader = FeedReader(
      source: input.sourceName,
      format: try format(),
      overridesSource: source != nil,
      name: input.shownName
    )
    reader.columns = columns.names
    reader.recordLimit = stopAfter
    var options = ImportOptions()
    // what a part of a feed does not list may be in the rest
    options.keepsMissing = keepMissing || stopAfter != nil
    options.allowsShrinking = allowShrink
    options.isDryRun = dryRun
    options.isStrict = strict
    // nor is a part the version that the server has
    options.origin = stopAfter == nil ? origin : origin.map { FeedOrigin(address: $0.address) }
    let size = (bytes as? FeedFile)?.textByteCount
    let stream = try reader.stream(bytes)
    try publish(try take(stream, options, size: size), input, path)
  }

  /// Imports the feed, and keeps the records left out where that is asked for.
  private func take(
    _ stream: FeedStream,
    _ options: ImportOptions,
    size: Int?
  ) throws -> ImportReport {
    let rejects = try openRejectFile()
    var problems: [FeedError] = []
    var problemCount = 0
    let bar = ProgressBar(isQuiet: globals.quiet || noProgress, "reading the feed")
    var observer = ImportObserver()
    observer.wantsTexts = rejects != nil
    observer.reject = { error, text in
      problemCount += 1
      if problems.count < 10_000 { problems.append(error) }
      try rejects?.add(error, text)
    }
    var isRead = false
    observer.end = {
      isRead = true
      bar.show("writing the database and its index")
      try rejects?.commit()
    }
    observer.progress = { progress in
      bar.show { progress.line(size: size, seconds: $0) }
    }
    observer.notice = { globals.say("warning: " + terminalSafe($0)) }
    do {
      defer { bar.clear() }
      return try RestaurantStore.importFeed(
        from: stream,
        into: globals.databasePath,
        options: options,
        observer: observer
      )
    } catch let error as FeedError where strict {
      throw CommandFailure(
        terminalSafe("\(error) (--strict refused the feed, nothing was changed)"),
        exitCode: CommandFailure.badData
      )
    } catch let error where error is FeedError || (error as? StoreError)?.kind == .shrinks {
      // a feed is refused for its bad records: say why each was bad
      if isRead {
        FeedProblems(problems, count: problemCount).lines.forEach(StandardStreams.complain)
      }
      throw error
    }
  }

  private func openRejectFile() throws -> RejectFile? {
    guard let rejectFile else { return nil }
    if rejectFile == "-" { return try RejectFile(path: rejectFile, force: false) }
    for (other, what) in [(globals.databasePath, "database"), (feed ?? "-", "feed")]
    where AnswerOutput.isSameFile(rejectFile, other) {
      throw ValidationError(
        "--reject-file: \(terminalSafe(rejectFile)) is the \(what) itself; name another file"
      )
    }
    return try RejectFile(path: rejectFile, force: force)
  }

  private func format() throws -> FeedFormat? {
    try inputFormat.map { name in
      if let format = FeedFormat(rawValue: name.lowercased()) { return format }
      let hint = closest(to: name, among: Self.formatNames).map { "; did you mean \"\($0)\"?" }
      throw ValidationError(
        "-i: unknown format \"\(terminalSafe(name))\""
          + (hint ?? "; known are \(Self.formatNames.joined(separator: ", "))")
      )
    }
  }

  private func publish(_ report: ImportReport, _ input: FeedInput, _ path: String) throws {
    let source = input.sourceName
    for line in FeedProblems(report.rejected, count: report.rejectedCount).lines {
      StandardStreams.complain(line)
    }
    for line in FeedProblems(report.warnings, count: report.warningCount).lines
      + ImportAdvice(report, input).lines
    {
      globals.say("warning: " + line)
    }
    globals.say(
      "\(terminalSafe(source)): \(grouped(report.read)) read, \(grouped(report.inserted)) inserted, "
        + "\(grouped(report.updated)) updated, \(grouped(report.unchanged)) unchanged, "
        + "\(grouped(report.removed)) removed, \(grouped(report.rejectedCount)) rejected"
        + (dryRun ? " (dry run, nothing was written)" : " → \(terminalSafe(path))")
    )
    if json {
      try StandardStreams.printJSON(
        JSONReport.text(of: report, source: source, database: path, isDryRun: dryRun)
      )
    }
  }

  private func reportNotModified(_ input: FeedInput, _ path: String) throws {
    let source = input.sourceName
    let store = try RestaurantStore(path: path)
    defer { try? store.close() }
    var report = ImportReport()
    report.unchanged = try store.count(of: source)
    report.read = report.unchanged
    report.generation = try store.info().generation
    globals.say("\(terminalSafe(source)): not modified since the last import")
    try publish(report, input, path)
  }
}
