import ArgumentParser
import GeoIndex
import GeoQuery
import GeoStore

struct OffersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "offers",
    abstract: "List offers, or show some in full.",
    discussion: """
        geoq offers
        geoq offers --category Lunch --at 32.95,-96.82 -k 3
        geoq offers --chain Walmart --at 32.95,-96.82 --max 5km --json
        geoq offers --restaurant in-n-out-burger-9a084188
        geoq offers --on 2026-12-24
        geoq offers 101 102

      Sorted by id; with --at by the distance of the nearest place that has the offer (last if \
      there is none), then by id. Offers that have ended are omitted. Import offers and chains with \
      geoq import, and plan with geoq cover --want offer:ID. Unknown ids are reported on standard error; the exit code is then 1.
      """
  )

  @Argument(
    help: "Show these offers in full, by id; write -- before them if one starts with a hyphen."
  )
  var ids: [String] = []

  @Option(
    parsing: .unconditional,
    help:
      "Only offers in which each of these words starts a word in name, description or categories."
      .value("text")
  )
  var text: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: "Only offers of this category, ignoring case and accents; may be repeated (any of them)."
      .value("text")
  )
  var category: [String] = []

  @Option(
    parsing: .unconditional,
    help: "Only offers that name this chain, by name or id.".value("chain")
  )
  var chain: String?

  @Option(parsing: .unconditional, help: "Only offers that this restaurant has.".value("id"))
  var restaurant: String?

  @Option(parsing: .unconditional, help: "Find the nearest place to this point.".value("lat,lon"))
  var at: String?

  @Option(
    name: .customLong("max"),
    parsing: .unconditional,
    help: "With --at: only offers available within this distance: 500, 1.5km, 2mi.".value("dist")
  )
  var maximumDistance: String?

  @Option(
    name: [.customShort("k", allowingJoined: true), .customLong("count")],
    parsing: .unconditional,
    help: "Maximum number of offers.".value("n")
  )
  var count: Int?

  @OptionGroup var ends: OfferEndOptions

  @Option(
    name: .shortAndLong,
    help:
      "Output format (default: table on a terminal, otherwise tsv; with ids: table or json only, default table)."
  )
  var format: OfferFormat?

  @Flag(help: "Same as -f json (schema geoq.offers/1).")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if at.flatMap(RestaurantReference.init) == nil { _ = try query() }
    let isFiltered = text != nil || !category.isEmpty || chain != nil || restaurant != nil
    if !ids.isEmpty, isFiltered || maximumDistance != nil || count != nil {
      throw ValidationError(
        "ids do not go with --text, --category, --chain, --restaurant, --max and -k"
      )
    }
    if json, let format, format != .json {
      throw ValidationError("--json and -f \(format.rawValue) cannot be combined")
    }
    if !ids.isEmpty, format == .tsv {
      throw ValidationError(
        "-f tsv lists offers; offers by their ids are shown with -f table or json"
      )
    }
  }

  func run() throws {
    let query = try query()
    let store = try globals.openStore()
    defer { try? store.close() }
    let book = try store.offerBook()
    let places = OfferPlaces(try globals.engine(store), book)
    guard ids.isEmpty else { return try show(places, query) }
    let page = try places.page(query)
    try write(page) { terminal in
      let table = OfferTable(page: page, hasCenter: query.center != nil)
      return format == .table || (format == nil && terminal.isTTY)
        ? table.lines(width: terminal.tableWidth, style: terminal.style) : table.plainLines
    }
    if book.offers.isEmpty {
      globals.say("the database has no offers; geoq import Data/offers.json adds some")
    } else if page.total == 0, book.offers.allSatisfy({ $0.isExpired(on: query.on) }) {
      globals.say("all offers have ended; --expired lists them")
    }
  }

  /// Shows the offers with these ids in full.
  private func show(_ places: OfferPlaces, _ query: OfferQuery) throws {
    let found = ids.map { (id: $0, offer: places.book.offer(id: $0)) }
    let hits = try found.compactMap(\.offer).map {
      try places.hit(of: $0, near: query.center, on: query.on)
    }
    try write(OfferPage(total: hits.count, hits: hits)) { terminal in
      DetailView(style: terminal.style).lines(for: hits.map(\.members))
    }
    let missing = found.filter { $0.offer == nil }.map(\.id)
    guard !missing.isEmpty else { return }
    throw CommandFailure(no: "offer", withIDs: missing, "geoq offers lists them")
  }

  private func write(_ page: OfferPage, lines: (Terminal) -> [String]) throws {
    guard !json, format != .json else {
      return try StandardStreams.printJSON(String(decoding: page.json, as: UTF8.self))
    }
    let terminal = Terminal(descriptor: CommandContext.current.output, color: globals.color)
    try StandardStreams.print(lines: lines(terminal))
  }

  private func query() throws -> OfferQuery {
    var query = OfferQuery()
    query.text = text ?? ""
    query.categories = category
    query.chain = chain
    query.restaurant = restaurant
    query.on = try ends.day()
    query.expired = ends.expired
    query.center = try at.map(globals.point)
    if let maximumDistance {
      guard query.center != nil else { throw ValidationError("--max: goes with --at") }
      query.maximumDistance = try named("--max") { try parseDistance(maximumDistance) }
    }
    if let count, count < 0 { throw ValidationError("--count must be 0 or more, got \(count)") }
    query.limit = count
    return query
  }
}

/// The options that say which offers count, by their end.
struct OfferEndOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help:
      "The day to ask for, such as 2026-12-24; offers that have ended before it do not count (default: today)."
      .value("date")
  )
  var on: String?

  @Flag(help: "Offers that have ended count too.")
  var expired = false

  func validate() throws { _ = try day() }

  /// The day to ask for.
  func day() throws -> CalendarDay {
    guard let on else { return .today }
    guard let day = CalendarDay(parsing: on) else {
      throw ValidationError("--on: expected a date such as 2026-12-24, got \"\(terminalSafe(on))\"")
    }
    return day
  }
}

/// The formats of a list of offers on the command line.
enum OfferFormat: String, CaseIterable, ExpressibleByArgument {
  case table
  case tsv
  case json
}

/// Offers as a table for people, or as lines of cells for programs.
struct OfferTable {
  let page: OfferPage

  /// Whether the query has a point for distances.
  let hasCenter: Bool

  /// The lines for people, including the footer.
  func lines(width: Int, style: Style) -> [String] {
    guard page.total > 0 else { return ["no offers found"] }
    let table = TableWriter(columns: columns, style: style)
    let footer =
      shown(page.hits.count, of: page.total, "offer")
      + (page.hits.count < page.total ? "; -k N shows more" : "")
    return table.lines(for: page.hits.map { cells($0, isForPeople: true) }, width: width)
      + [style.dim(footer)]
  }

  /// Tab-separated cells with a header line; distances in meters, unrounded.
  var plainLines: [String] {
    let rows = page.hits.map { cells($0, isForPeople: false).map(terminalSafe) }
    return ([columns.map(\.title)] + rows).map { $0.joined(separator: "\t") }
  }

  private var columns: [TableColumn] {
    (hasCenter
      ? [
        TableColumn(title: "nearest", alignment: .right, priority: 9),
        TableColumn(title: "at", minimumWidth: 12, priority: 6),
      ] : [])
      + [
        TableColumn(title: "name", minimumWidth: 20, priority: 10),
        TableColumn(title: "amount", alignment: .right, priority: 7),
        TableColumn(title: "category", minimumWidth: 10, priority: 3),
        TableColumn(title: "chains", minimumWidth: 10, priority: 4),
        TableColumn(title: "places", alignment: .right, priority: 5),
        TableColumn(title: "expires", priority: 2),
        TableColumn(title: "id", priority: 8),
      ]
  }

  private func cells(_ hit: OfferHit, isForPeople: Bool) -> [String] {
    let distance = hit.nearest.map {
      isForPeople ? formatDistance($0.distance) : $0.distance.description
    }
    let place = hasCenter ? [distance ?? "", hit.nearest?.name ?? ""] : []
    return place + [
      hit.offer.name, hit.offer.amount.map { withoutZeros($0.description) } ?? "",
      hit.offer.categories.joined(separator: ", "), hit.chains.joined(separator: ", "),
      isForPeople ? grouped(hit.placeCount) : hit.placeCount.description,
      (hit.isExpired && isForPeople ? "ended " : "") + (hit.offer.expires?.description ?? ""),
      hit.offer.id,
    ]
  }
}
