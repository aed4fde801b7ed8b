import ArgumentParser
import GeoFeed
import GeoQuery
import GeoStore

struct SourceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "source",
    abstract: "List, rename and remove the sources of restaurants, chains and offers.",
    discussion: """
        geoq source list
        geoq source rename stdin lunch
        geoq source remove lunch --dry-run

      A source is the name of a feed: the name given with --source (default: the file's name, the address, \
      or stdin). Renaming a source keeps the ids of its restaurants.
      """,
    subcommands: [List.self, Rename.self, Remove.self],
    aliases: ["sources"]
  )

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the sources.",
      discussion: """
          geoq source list
          geoq source list --json
        """
    )

    @Flag(help: "Print JSON (schema geoq.sources/1).")
    var json = false

    @OptionGroup var globals: GlobalOptions

    func run() throws {
      let sources = try globals.withStore { try $0.info().sources }
      guard !json else {
        let text = JSONReport.text(of: sources, database: try globals.place().shown)
        return try StandardStreams.printJSON(text)
      }
      if sources.isEmpty { globals.say("no sources") }
      let isForPeople = StandardStreams.isOutputTerminal
      let hasCredits = sources.contains { $0.credit != Credit() }
      let columns = Self.columns + (hasCredits ? Self.creditColumns : [])
      let rows = sources.map { source in
        let facts = [
          source.name, isForPeople ? source.counted : source.plainCount,
          source.importedAt ?? "", source.address ?? "",
        ]
        let credit = [source.credit.attribution ?? "", source.credit.license ?? ""]
        return facts + (hasCredits ? credit : [])
      }
      try TableWriter.print(columns, rows, color: globals.color)
    }

    private static let columns = [
      TableColumn(title: "source", minimumWidth: 20, priority: 10),
      TableColumn(title: "restaurants", alignment: .right, priority: 9),
      TableColumn(title: "imported", priority: 8),
      TableColumn(title: "address", minimumWidth: 20, priority: 7),
    ]

    private static let creditColumns = [
      TableColumn(title: "attribution", minimumWidth: 20, priority: 6),
      TableColumn(title: "license", minimumWidth: 10, priority: 5),
    ]
  }

  struct Rename: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename",
      abstract: "Rename a source.",
      discussion: """
          geoq source rename stdin lunch

        The restaurants keep their ids. Give the new name with --source at the next import.
        """
    )

    @Argument(help: "The source's name.") var old: String
    @Argument(help: "Its new name.") var new: String

    @Flag(help: "Show what would change, without changing anything.")
    var dryRun = false

    @OptionGroup var globals: GlobalOptions

    func run() throws {
      let report = try SourceCommand.mending(old, globals) {
        try globals.place().renameSource(old, to: new, isDryRun: dryRun)
      }
      globals.say(
        "\(terminalSafe(old)) → \(terminalSafe(new)): \(counted(report.updated, report)) "
          + outcome(dryRun, "renamed")
      )
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a source with all its restaurants, chains and offers.",
      discussion: """
          geoq source remove lunch --dry-run
          geoq source remove lunch

        Favorites among the restaurants are kept and shown as gone.
        """
    )

    @Argument(help: "The source's name.") var name: String

    @Flag(help: "Show what would change, without changing anything.")
    var dryRun = false

    @OptionGroup var globals: GlobalOptions

    func run() throws {
      let report = try SourceCommand.mending(name, globals) {
        try globals.place().removeSource(name, isDryRun: dryRun)
      }
      globals.say(
        "\(terminalSafe(name)): \(counted(report.removed, report)) \(outcome(dryRun, "removed"))"
      )
    }
  }

  /// Adds to the error of an unknown source which one was probably meant.
  private static func mending(
    _ name: String,
    _ globals: GlobalOptions,
    _ body: () throws -> ImportReport
  ) throws -> ImportReport {
    do {
      return try body()
    } catch let error as StoreError where error.kind == .source && error.source != nil {
      let names = try globals.withStore { try $0.info().sources.map(\.name) }
      let hint = guess(at: name, among: names, else: "geoq source list lists them")
      throw CommandFailure.other(terminalSafe(error.description) + "; " + hint)
    }
  }
}

struct RemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove restaurants.",
    discussion: """
        geoq remove yard-house-dfd1f6d4
        geoq search thai -f ids | xargs geoq remove --dry-run --

      Removes all of them, or none if an id is unknown. If the next import of the feed still lists a \
      restaurant, it is added again as a new one: geoq hide hides it for good. geoq source remove removes \
      a whole source.
      """
  )

  @Argument(help: "Ids, as listed by -f ids; write -- before them if one starts with a hyphen.")
  var ids: [String]

  @Flag(help: "Show what would change, without changing anything.")
  var dryRun = false

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let report = try globals.place().remove(ids, isDryRun: dryRun)
    let advice =
      dryRun ? "" : "; an import that still has them adds them again (geoq hide keeps them out)"
    globals.say("\(restaurants(report.removed)) \(outcome(dryRun, "removed"))\(advice)")
  }
}

extension StoreInfo.Source {
  /// The number of its records, for people: `1,204`, `104 offers`.
  var counted: String {
    guard content != .restaurants else { return grouped(count) }
    return "\(grouped(count)) \(count == 1 ? content.singular : content.rawValue)"
  }

  /// The same for programs.
  fileprivate var plainCount: String {
    content == .restaurants ? "\(count)" : "\(count) \(content)"
  }
}

/// The number of changed restaurants, chains and offers of a source.
private func counted(_ restaurants: Int, _ report: ImportReport) -> String {
  let others = [FeedContent.chains, .offers].compactMap { content in
    report.chainsAndOffers[content].map { counted($0, content.singular) }
  }
  let all = (restaurants > 0 || others.isEmpty ? [counted(restaurants, "restaurant")] : []) + others
  return all.joined(separator: " and ")
}

private func outcome(_ isDryRun: Bool, _ done: String) -> String {
  isDryRun ? "would be \(done) (dry run, nothing was written)" : done
}
