import ArgumentParser
import GeoQuery
import GeoStore

struct DuplicatesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "duplicates",
    abstract: "List restaurants that are listed more than once.",
    discussion: """
        geoq duplicates
        geoq duplicates --between osm yelp --within 200m --above 0.8
        geoq duplicates --above 0.9 --keep osm -f ids | geoq hide -

      Compares all restaurants within a distance of each other, by name, distance, phone number and \
      address, and lists the pairs with their score: how likely it is that they are one place. The pairs \
      with the highest score come first. \
      -f ids prints the ids to hide so that one restaurant of each group stays; geoq edit ID --undo shows a \
      hidden one again.
      """
  )

  @Option(
    parsing: .unconditional,
    help: "Only pairs within this distance: 100m, 0.1km, 300ft.".value("dist")
  )
  var within = "100m"

  @Option(
    parsing: .upToNextOption,
    help: "Only pairs of a restaurant of one source and one of another.".value("source")
  )
  var between: [String] = []

  @Option(
    parsing: .unconditional,
    help: "Only pairs with this score or a higher one, 0 to 1.".value("score")
  )
  var above = "0.5"

  @Option(
    parsing: .unconditional,
    help:
      "With -f ids: the source whose restaurants stay (default: the restaurant with the least id stays)."
      .value("source")
  )
  var keep: String?

  @Option(parsing: .unconditional, help: "Maximum number of pairs.".value("n"))
  var limit: Int?

  @Option(
    name: .shortAndLong,
    help: "Output format (default: table on a terminal, otherwise tsv)."
  )
  var format: DuplicateFormat?

  @Flag(help: "Same as -f json (schema geoq.duplicates/1).")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    _ = try query()
    if !between.isEmpty, between.count != 2 {
      throw ValidationError("--between needs two sources, got \(between.count)")
    }
    if json, let format, format != .json {
      throw ValidationError("--json and -f \(format.rawValue) cannot be combined")
    }
    if keep != nil, format != .ids { throw ValidationError("--keep goes with -f ids") }
    if let limit, limit < 0 { throw ValidationError("--limit must be 0 or more, got \(limit)") }
  }

  func run() throws {
    let store = try globals.openStore()
    defer { try? store.close() }
    let engine = try globals.engine(store)
    for source in between + [keep].compactMap(\.self) { try check(source, engine) }
    let all = try engine.duplicates(query())
    let pairs = limit.map { all.prefix($0) } ?? all
    let terminal = Terminal(descriptor: CommandContext.current.output, color: globals.color)
    switch json ? .json : format ?? (terminal.isTTY ? .table : .tsv) {
    case .ids:
      try StandardStreams.print(lines: pairs.idsToHide(keeping: keep))
    case .json: try writeJSON(pairs, of: all.count)
    case .csv: try write(pairs, as: .csv)
    case .tsv: try write(pairs, as: .tsv)
    case .table:
      guard all.count > 0 else { return globals.say("no pairs found") }
      // a table is laid out as a whole
      let shown = limit == nil ? pairs.prefix(Self.rowsOfTable) : pairs
      let rows = try (0..<shown.count).map { index in
        let pair = try shown.pair(at: index)
        return Self.facts(pair.evidence).map(\.text) + Self.texts(pair)
      }
      let table = TableWriter(columns: Self.columns, style: terminal.style)
      try StandardStreams.print(lines: table.lines(for: rows, width: terminal.tableWidth))
      let more = shown.count < all.count ? "; --limit N shows more" : ""
      globals.say("\(grouped(shown.count)) of \(grouped(all.count)) pairs\(more)")
    }
  }

  private static let rowsOfTable = 100
  private static let greatestDistance = 10_000.0

  private func query() throws -> DuplicateQuery {
    var query = DuplicateQuery()
    query.distance = try named("--within") { try parseDistance(within) }
    // in a city each would be compared with all others
    guard query.distance <= Self.greatestDistance else {
      throw ValidationError("--within: at most 10km, got \"\(terminalSafe(within))\"")
    }
    guard let score = parseDecimal(above), (0...1).contains(score) else {
      throw ValidationError("--above: expected a score from 0 to 1, got \"\(terminalSafe(above))\"")
    }
    query.minimumScore = score
    if between.count == 2 { query.sources = (between[0], between[1]) }
    return query
  }

  private func check(_ source: String, _ engine: QueryEngine) throws {
    let known = try engine.facets(by: .source, of: Query(.everywhere)).compactMap(\.value)
    guard !known.contains(where: { UTF8Key($0) == UTF8Key(source) }) else { return }
    let hint = guess(at: source, among: known, else: "geoq source list lists them")
    throw CommandFailure.usage(
      "no restaurant has the source \"\(terminalSafe(source))\"; \(hint)"
    )
  }

  // MARK: - Output

  private func write(_ pairs: Duplicates, as format: AnswerFormat) throws {
    var writer = DelimitedWriter(format)
    writer.row(Self.columns.map(\.title))
    for index in 0..<pairs.count {
      let pair = try pairs.pair(at: index)
      let facts = Self.facts(pair.evidence).map { fact in
        // true and false are texts
        if case .bool? = fact.value { JSONValue.string(fact.text) } else { fact.value ?? .null }
      }
      writer.row(facts + Self.texts(pair).map(JSONValue.string))
      if index % 1_000 == 999 { try StandardStreams.print(writer.takeBytes()) }
    }
    try StandardStreams.print(writer.takeBytes())
  }

  private func writeJSON(_ pairs: Duplicates, of total: Int) throws {
    var text =
      "{\"schema\":\"geoq.duplicates/1\",\"count\":\(pairs.count),\"total\":\(total),\"pairs\":["
    for index in 0..<pairs.count {
      let pair = try pairs.pair(at: index)
      var members: [JSONMember] = []
      for fact in Self.facts(pair.evidence) { members.add(fact.name, fact.value) }
      members.add("first", Self.members(of: pair.first))
      members.add("second", Self.members(of: pair.second))
      text += (index == 0 ? "\n" : ",\n") + JSONWriter.of(.object(members))
      if index % 1_000 == 999 {
        try StandardStreams.printJSON(text)
        text = ""
      }
    }
    try StandardStreams.printJSON(text + "\n]}\n")
  }

  /// The keys of a restaurant in a pair.
  private static let fields: [RestaurantField] = [
    .id, .name, .category, .latitude, .longitude, .address, .city, .phone, .source,
  ]

  private static func members(of restaurant: Restaurant) -> [JSONMember] {
    fields.compactMap { field in
      restaurant[field].map { JSONMember(name: field.rawValue, value: $0) }
    }
  }

  private static let columns =
    [
      TableColumn(title: "score", alignment: .right, priority: 11),
      TableColumn(title: "distance", alignment: .right, priority: 10),
      TableColumn(title: "nameSimilarity", alignment: .right, priority: 4),
      TableColumn(title: "samePhone", priority: 3),
      TableColumn(title: "sameAddress", priority: 2),
    ]
    + ["first", "second"].flatMap { side in
      [
        TableColumn(title: side, minimumWidth: 12, priority: 8),
        TableColumn(title: side + "Name", minimumWidth: 12, priority: 9),
        TableColumn(title: side + "Source", minimumWidth: 8, priority: 5),
      ]
    }

  /// What tells whether both are one place: the name, the text for people and the value of each fact.
  private static func facts(
    _ evidence: DuplicateEvidence
  ) -> [(name: String, text: String, value: JSONValue?)] {
    func number(_ name: String, _ number: Double, _ text: String) -> (String, String, JSONValue?) {
      (name, text, .number(number.description))
    }
    func flag(_ name: String, _ flag: Bool?) -> (String, String, JSONValue?) {
      (name, flag?.description ?? "", flag.map(JSONValue.bool))
    }
    func hundredths(_ share: Double) -> String {
      let hundredths = Int((share * 100).rounded())
      return "\(hundredths / 100)." + String(hundredths % 100).leftPadded(2)
    }
    return [
      number("score", evidence.score, hundredths(evidence.score)),
      number("distance", evidence.distance, formatDistance(evidence.distance)),
      number("nameSimilarity", evidence.name, hundredths(evidence.name)),
      flag("samePhone", evidence.isSamePhone), flag("sameAddress", evidence.isSameAddress),
    ]
  }

  private static func texts(_ pair: Duplicates.Pair) -> [String] {
    [pair.first, pair.second].flatMap { [$0.id, $0.name, $0.source] }
  }
}

/// The formats of pairs on the command line.
enum DuplicateFormat: String, CaseIterable, ExpressibleByArgument {
  case table
  case tsv
  case csv
  case json
  case ids
}
