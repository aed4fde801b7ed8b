import ArgumentParser
import GeoIndex
import GeoQuery
import GeoStore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `geoq offers`.
struct OffersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "offers",
    abstract: "List offers, and where they are had.",
    discussion: """
        geoq offers
        geoq offers --text salad --at 32.95,-96.82 --max 1km
        geoq offers show 101

      Offers and chains come with geoq import, as restaurants do; geoq cover --want offer:ID plans \
      with them.
      """,
    subcommands: [List.self, Show.self],
    defaultSubcommand: List.self
  )

  /// `geoq offers list`.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List offers.",
      discussion: """
          geoq offers
          geoq offers --category Lunch --at 32.95,-96.82 -k 3
          geoq offers --chain Walmart --json

        The order is by id; with --at by the distance of the nearest place that has the offer, then by \
        id, and what is had nowhere comes last.
        """
    )

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp(
        "Only where every word begins a word of the offer's name, description or categories.",
        valueName: "text"
      )
    )
    var text: String?

    @Option(
      parsing: .unconditionalSingleValue,
      help: ArgumentHelp(
        "Only this category of the offer, without regard to case and accents; repeat for any of several.",
        valueName: "text"
      )
    )
    var category: [String] = []

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("Only offers that name this chain, by name or id.", valueName: "chain")
    )
    var chain: String?

    @OptionGroup var center: OfferPoint

    @Option(
      name: .customLong("max"),
      parsing: .unconditional,
      help: ArgumentHelp(
        "With --at: only offers that a place within this distance has: 500, 1.5km, 2mi.",
        valueName: "dist"
      )
    )
    var maximumDistance: String?

    @Option(
      name: [.customShort("k", allowingJoined: true), .customLong("count")],
      parsing: .unconditional,
      help: ArgumentHelp("At most so many.", valueName: "n")
    )
    var count: Int?

    @Flag(help: "Print JSON (schema geoq.offers/1).")
    var json = false

    @OptionGroup var globals: GlobalOptions

    func validate() throws {
      _ = try query()
    }

    func run() throws {
      let query = try query()
      try OffersCommand.withPlaces(globals) { places, _ in
        let page = try places.page(query)
        if json {
          return try StandardStreams.printJSON(String(decoding: page.json, as: UTF8.self))
        }
        let terminal = Terminal(descriptor: STDOUT_FILENO, color: globals.color)
        let table = OfferTable(page: page, hasCenter: query.center != nil)
        let lines =
          terminal.isTTY
          ? table.lines(width: terminal.tableWidth, style: terminal.style) : table.plainLines
        try StandardStreams.print(lines.map { $0 + "\n" }.joined())
        if page.total == 0, places.book.offers.isEmpty {
          globals.say("the database has no offers; geoq import Data/offers.json adds some")
        }
      }
    }

    private func query() throws -> OfferQuery {
      var query = OfferQuery()
      query.text = text ?? ""
      query.categories = category
      query.chain = chain
      query.center = try center.coordinate()
      if let maximumDistance {
        guard query.center != nil else { throw ValidationError("--max: goes with --at") }
        query.maximumDistance = try named("--max") { try parseDistance(maximumDistance) }
      }
      if let count, count < 0 { throw ValidationError("--count: must be 0 or more, got \(count)") }
      query.limit = count
      return query
    }
  }

  /// `geoq offers show`.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show offers in full, by id.",
      discussion: """
          geoq offers show 101
          geoq offers show 101 102 --at 32.95,-96.82 --json

        An id that no offer has is named on standard error; the exit code is then 1.
        """
    )

    @Argument(help: "Ids, as geoq offers lists them; after -- if one begins with a hyphen.")
    var ids: [String]

    @OptionGroup var center: OfferPoint

    @Flag(help: "Print JSON (schema geoq.offers/1).")
    var json = false

    @OptionGroup var globals: GlobalOptions

    func validate() throws {
      _ = try center.coordinate()
    }

    func run() throws {
      let point = try center.coordinate()
      try OffersCommand.withPlaces(globals) { places, book in
        let found = ids.map { (id: $0, offer: book.offer(id: $0)) }
        let hits = try found.compactMap(\.offer).map { try places.hit(of: $0, near: point) }
        if json {
          let page = OfferPage(total: hits.count, hits: hits)
          try StandardStreams.printJSON(String(decoding: page.json, as: UTF8.self))
        } else {
          let terminal = Terminal(descriptor: STDOUT_FILENO, color: globals.color)
          let lines = DetailView(style: terminal.style).lines(for: hits.map(\.members))
          try StandardStreams.print(lines.map { $0 + "\n" }.joined())
        }
        let missing = found.filter { $0.offer == nil }
        guard let first = missing.first else { return }
        let others = missing.count > 1 ? " (and \(missing.count - 1) more)" : ""
        throw CommandFailure(
          "no offer has the id \"\(terminalSafe(first.id))\"\(others); geoq offers lists them",
          exitCode: 1
        )
      }
    }
  }

  private static func withPlaces(
    _ globals: GlobalOptions,
    _ body: (OfferPlaces, OfferBook) throws -> Void
  ) throws {
    let store = try RestaurantStore(path: globals.databasePath)
    defer { try? store.close() }
    let book = try store.offerBook()
    try body(OfferPlaces(try globals.engine(store), book), book)
  }
}

/// `--at` of the commands on offers.
struct OfferPoint: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Find the nearest place from this point.", valueName: "lat,lon")
  )
  var at: String?

  /// The point; nil without one.
  ///
  /// - Throws: `ValidationError` naming `--at` and what is wrong.
  func coordinate() throws -> Coordinate? {
    guard let at else { return nil }
    return try named("--at") { try parsePoint(at) }
  }
}
