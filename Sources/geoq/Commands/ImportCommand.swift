public import ArgumentParser
import GeoFeed
import GeoQuery
public import GeoStore

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import feeds of restaurants, chains or offers.",
    discussion: """
        geoq import Data/restaurants.json Data/offers.json
        geoq import north.csv south.csv
        geoq import https://example.com/restaurants.json --source lunch
        curl -s https://example.com/places.geojson | geoq import - --source places
        geoq import city.csv.gz --lat-col north --lon-col east

      Each feed replaces what its source had; other sources stay. If another source already uses an id, \
      the new restaurant gets the id SOURCE:ID. Chains are imported first and offers last, whatever their \
      order. Re-importing an export updates the sources recorded in it and removes nothing, unless \
      --source is given. An import is completed, or it changes nothing. A bad record is skipped and \
      reported. A feed that looks wrong is refused; the error says how to import it anyway. Feeds may be \
      compressed with gzip. geoq help formats lists the formats.
      """
  )

  @Argument(
    help: "Files, http(s) addresses, or - for standard input.".value("feed"),
    completion: .file(
      extensions: [
        "json", "geojson", "geojsons", "geojsonl", "jsonl", "ndjson", "geojsonseq", "csv", "tsv",
        "txt", "tab", "psv", "gz",
      ]
    )
  )
  var feeds: [String] = []

  @Option(
    name: .shortAndLong,
    help:
      "The feed's format (default: detected by content): \(formatNames.joined(separator: ", "))."
      .value("format"),
    completion: .list(formatNames)
  )
  var inputFormat: String?

  private static let columnsTitle = "Columns of tables and JSON lines"
  private static let formatNames = FeedFormat.allCases.map(\.rawValue)

  @Option(
    help: "The name of the records' source (default: the file's name, the address, or stdin)."
      .value("name")
  )
  var source: String?

  @Option(
    help:
      "The attribution to show with the source's data; \"\" removes it (default: as before, or the format's own)."
      .value("text")
  )
  var attribution: String?

  @Option(
    help: "The source's license: an SPDX identifier, a name or an address; \"\" removes it."
      .value("license")
  )
  var license: String?

  @Option(
    help:
      "The layer or sheet to read of a file that GDAL reads (default: the only one with points)."
      .value("name")
  )
  var layer: String?

  @OptionGroup(title: Self.columnsTitle) var positions: PositionColumnOptions
  @OptionGroup(title: Self.columnsTitle) var columns: ColumnOptions

  @OptionGroup(title: "How the feed is read") var reading: ReadingOptions

  @Option(help: "The highest possible rating, if the feed does not give it.".value("number"))
  var ratingScale: Double?

  @Option(help: "The maximum time in seconds for fetching an address.".value("seconds"))
  var timeout = FeedDownload.Limits().seconds

  @Option(
    help: "Write rejected records to this file, one JSON object per line, each with the reason."
      .value("file"),
    completion: .file()
  )
  var rejectFile: String?

  @Flag(help: "Overwrite an existing --reject-file.")
  var force = false

  @Flag(help: "Reject the whole feed if any record is bad.")
  var strict = false

  @Flag(help: "Show what would change, without changing anything.")
  var dryRun = false

  @Flag(help: "Keep records that the feed no longer lists.")
  var keepMissing = false

  @Flag(help: "Import a feed that says it is only a part as if it were the whole.")
  var allowPartial = false

  @Flag(help: "Import a feed even if it has no records or 90% fewer than before.")
  var allowShrink = false

  @Flag(help: "Import a feed even if it has hardly any of its source's restaurants.")
  var allowReplace = false

  @Flag(help: "Import a feed even if most of its records are the same as another source's.")
  var allowDuplicates = false

  @Flag(help: "Import a feed even if it moves most of its source by more than a kilometer.")
  var allowMoved = false

  @Flag(help: "Import a feed even if it empties a field that most of its source has.")
  var allowLoss = false

  @Option(
    help: "If ids repeat: use the first or last and ignore the rest, or reject all later ones."
  )
  var duplicates = ImportOptions.Duplicates.reject

  @Option(
    help: "Fail and change nothing if more than this number or percentage of records is rejected."
      .value("n|p%")
  )
  var maxRejects: ImportOptions.RejectLimit?

  @Option(
    parsing: .unconditional,
    help: "Read only the first n records, and remove nothing.".value("n")
  )
  var stopAfter: Int?

  @Flag(help: "Hide progress on a terminal.")
  var noProgress = false

  @Flag(help: "Print JSON (schema geoq.import/1).")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    _ = try format()
    try require(stopAfter, in: 1..., "--stop-after must be 1 or more")
    if let ratingScale, !(ratingScale > 0 && ratingScale.isFinite) {
      throw ValidationError("--rating-scale must be above 0, got \(ratingScale)")
    }
    try require(timeout, in: 1...86_400, "--timeout must be 1 to 86400 seconds")
    if rejectFile == "-", json {
      throw ValidationError("--reject-file - and --json both use standard output; name a file")
    }
    for (option, text) in [("--attribution", attribution), ("--license", license)] {
      if let text, !Credit.isValid(text) {
        throw ValidationError(
          "\(option): expected one line of plain text, at most \(Credit.maximumLength) bytes"
        )
      }
    }
    if source?.isEmpty == true { throw ValidationError("--source: expected a name") }
    if feeds.isEmpty, Terminal.isTTY(CommandContext.current.input) {
      throw ValidationError("name a feed: a file, an address, or - for standard input")
    }
    if feeds.count > 1, source != nil {
      throw ValidationError("--source names one source; import one feed at a time")
    }
    var names: [UTF8Key: String] = [:]
    for feed in feeds {
      let name = input(feed).sourceName
      if let other = names.updateValue(feed, forKey: UTF8Key(name)) {
        throw ValidationError(
          "\(terminalSafe(other)) and \(terminalSafe(feed)) would both be the source "
            + "\"\(terminalSafe(name))\"; import them one at a time, each with its --source NAME"
        )
      }
    }
  }

  func run() throws {
    let rejects = try openRejectFile()
    let names = feeds.isEmpty ? ["-"] : feeds
    guard names.count > 1 else {
      _ = try importRun(names[0], rejects) { try rejects?.commit() }.run()
      return
    }
    var sum = ImportReport()
    var failure: CommandFailure?
    var imported = 0
    let order = ImportOrder(names) { importRun($0, rejects) {} }
    for (number, feed) in order.feeds.enumerated() {
      let name = feed.name
      do {
        sum.add(try importRun(name, rejects) {}.run(feed.opened))
        imported += 1
      } catch {
        guard let problem = CommandFailure(error) else { throw error }
        // the path of the database is the same for all feeds
        let feed = error is StoreError ? terminalSafe(name) + ": " : ""
        StandardStreams.complain("Error: \(feed)\(problem.message)")
        failure = failure ?? problem
        if let error = error as? StoreError, !error.isOfFeed {
          if number < names.count - 1 {
            StandardStreams.complain("the remaining feeds were not read")
          }
          break
        }
      }
    }
    try rejects?.commit()
    let what = imported == names.count ? "all" : "\(imported) of"
    globals.say("\(what) \(names.count) feeds: \(ImportRun.counts(sum))")
    if let failure { throw CommandFailure(message: "", exitCode: failure.exitCode) }
  }

  private func input(_ feed: String) -> FeedInput { FeedInput(name: feed, source: source) }

  private func importRun(
    _ feed: String,
    _ rejects: OutputFile?,
    _ endOfFeed: @escaping () throws -> Void
  ) -> ImportRun {
    ImportRun(command: self, input: input(feed), rejects: rejects, endOfFeed: endOfFeed)
  }

  private func openRejectFile() throws -> OutputFile? {
    guard let rejectFile else { return nil }
    if rejectFile == "-" { return try OutputFile(path: "/dev/stdout", force: false) }
    for (other, what) in [(globals.databasePath, "database")] + feeds.map({ ($0, "feed") })
    where isSameFile(rejectFile, other) {
      throw ValidationError(
        "--reject-file: \(terminalSafe(rejectFile)) is the \(what) itself; name another file"
      )
    }
    return try OutputFile(path: rejectFile, force: force)
  }

  /// Whether the credit of the source is given, which has to be written even if the feed is unchanged.
  var setsCredit: Bool { attribution != nil || license != nil }

  func format() throws -> FeedFormat? {
    try inputFormat.map { name in
      if let format = FeedFormat(rawValue: name.lowercased()) { return format }
      let list = "known: \(Self.formatNames.joined(separator: ", "))"
      let hint = guess(at: name, among: Self.formatNames, else: list)
      throw ValidationError("-i: unknown format \"\(terminalSafe(name))\"; \(hint)")
    }
  }
}

extension ImportOptions.Duplicates: ExpressibleByArgument {}

extension StoreError {
  /// Whether the import of further feeds can continue after this error.
  fileprivate var isOfFeed: Bool {
    [.shrinks, .replaces, .duplicates, .moves, .empties].contains(kind)
  }
}

extension ImportOptions.RejectLimit: ExpressibleByArgument {
  /// Reads a number of records, or a percentage.
  public init?(argument: String) {
    if argument.hasSuffix("%") {
      guard let percent = Double(argument.dropLast()), (0...100).contains(percent) else {
        return nil
      }
      self = .percent(percent)
    } else {
      guard let count = Int(argument), count >= 0 else { return nil }
      self = .count(count)
    }
  }
}

/// The feeds of one command in the order of their import: chains first, because the others refer to
/// them; then restaurants; then offers.
///
/// Feeds are opened to find out what they contain. A file is closed again until its turn; an
/// address and standard input stay open. A named pipe is only opened at its turn, because its
/// writer may wait until another pipe is read; standard input then waits too. Both count as feeds of
/// restaurants.
struct ImportOrder {
  /// A feed by its name on the command line; opened or the error, nil if it is opened at its turn.
  typealias Feed = (name: String, opened: Result<ImportRun.Opened?, any Error>?)

  /// The feeds, in order; feeds of one kind in the order of the command line.
  let feeds: [Feed]

  init(_ names: [String], _ run: (String) -> ImportRun) {
    let hasPipe = names.contains { run($0).input.kind == .pipe }
    var ranked: [(rank: Int, feed: Feed)] = []
    for name in names {
      let feed = run(name)
      let kind = feed.input.kind
      if kind == .pipe || kind == .standardInput && hasPipe {
        ranked.append((1, (name, nil)))
        continue
      }
      let opened = Result { try feed.open() }
      let rank = Self.rank(of: try? opened.get()?.stream.format.content)
      ranked.append((rank, (name, kind == .file ? nil : opened)))
    }
    feeds = (0...2).flatMap { rank in ranked.filter { $0.rank == rank }.map(\.feed) }
  }

  /// A feed that cannot be opened, or has not changed, counts as one of restaurants.
  private static func rank(of content: FeedContent?) -> Int {
    switch content {
    case .chains: 0
    case .restaurants, nil: 1
    case .offers: 2
    }
  }
}
