import ArgumentParser
import GeoFeed
import GeoQuery
import GeoStore

struct FavoriteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "favorite",
    abstract: "Manage favorites, which survive re-imports.",
    discussion: """
        geoq favorite add yard-house-dfd1f6d4
        geoq favorite list
        geoq favorite list -o favorites.geojson
        geoq favorite import favorites.geojson --db other.db

      Favorites are stored in the database with the time they were added. An import does not remove \
      them: if a restaurant leaves its feed, its favorite is shown as gone, with its last known data.
      """,
    subcommands: [Add.self, Remove.self, List.self, Import.self],
    aliases: ["fav"]
  )

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add restaurants to the favorites.",
      discussion: """
          geoq favorite add yard-house-dfd1f6d4
          geoq search thai -f ids | xargs geoq favorite add --

        Adds all of them, or none if an id is unknown. Existing favorites are unchanged.
        """
    )

    @Argument(
      help: "Ids, as listed by -f ids; write -- before them if one starts with a hyphen.",
      completion: .custom { words, _, prefix in StoreCompletions(words).ids(prefix) }
    )
    var ids: [String]

    @OptionGroup var globals: GlobalOptions

    func run() throws {
      try globals.withStore { store in
        try store.addFavorites(ids)
        globals.say("\(counted(Set(ids.map(UTF8Key.init)).count, "favorite")) kept")
      }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove restaurants from the favorites.",
      discussion: """
          geoq favorite remove yard-house-dfd1f6d4

        Ids that are not favorites are reported on standard error, and the exit code is then 1; the \
        others are removed.
        """
    )

    @Argument(
      help: "Ids, as listed by geoq favorite list -f ids.",
      completion: .custom { words, _, prefix in StoreCompletions(words).favorites(prefix) }
    )
    var ids: [String]

    @OptionGroup var globals: GlobalOptions

    func run() throws {
      try globals.withStore { store in
        let removed = try store.removeFavorites(ids)
        if !removed.isEmpty {
          globals.say("\(counted(removed.count, "favorite")) removed")
        }
        let known = Set(removed.map(UTF8Key.init))
        let others = ids.filter { !known.contains(UTF8Key($0)) }
        guard !others.isEmpty else { return }
        throw CommandFailure(
          no: "favorite",
          withIDs: others,
          "geoq favorite list -f ids lists them"
        )
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the favorites.",
      discussion: """
          geoq favorite list
          geoq favorite list -f geojson -o favorites.geojson
          geoq favorite list --json=id,favoriteSince,gone

        Sorted by id unless --sort is given. favoriteSince is in UTC; gone is true if the restaurant has \
        left its feed.
        """
    )

    @OptionGroup var page: PageOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var globals: GlobalOptions

    func run() throws {
      var answer = try AnswerOutput(output, globals)
      let run = QueryRun(globals: globals, output: output)
      if page.cursor != nil, answer.format == .count {
        throw ValidationError("--cursor does not go with -f count, which counts all pages")
      }
      try run.withStore { store in
        let list = try FavoriteList.page(
          of: try store.favorites(),
          in: try page.order(),
          limit: page.limit,
          from: page.cursor
        )
        if answer.format == .geojson { answer.credits = try store.credits() }
        try answer.write(favorites: list)
        if let file = output.file {
          globals.say("\(terminalSafe(file)): \(counted(list.matches.count, "favorite"))")
        }
        run.sayNext(list.next, of: page.limit, answer.format)
        try run.finish(foundSomething: !list.matches.isEmpty)
      }
    }
  }

  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Add the favorites of a file, with their dates.",
      discussion: """
          geoq favorite list -o favorites.geojson
          geoq favorite import favorites.geojson --db other.db

        The file is one of geoq favorite list, in GeoJSON, CSV, TSV or JSON lines, with \
        at least id, latitude and longitude; favoriteSince is the date. Existing favorites stay, with the earlier date. Ids that no restaurant has \
        are reported on standard error, and the exit code is then 1; the others are added.
        """
    )

    @Argument(help: "The file; - reads standard input.", completion: .file())
    var file: String

    @OptionGroup var globals: GlobalOptions

    func run() throws {
      let input = try FeedFile(pathOrInput: file)
      let name = input.name
      var lines = LineReader(input)
      let bytes = MemoryBytes(try lines.takeRest(of: "favorites", atMost: Self.maximumBytes))
      let table = try PointTable(bytes, FeedReader(source: name))
      guard let ids = table.columns.firstIndex(of: "id") else {
        throw CommandFailure.badData(name, "it has no id; make it with: geoq favorite list -o FILE")
      }
      let times = table.columns.firstIndex(of: "favoriteSince")
      let marks = table.rows.compactMap { row in
        row.values[ids].asText.map { id in
          (id: id, since: times.flatMap { row.values[$0].asText }.flatMap(Self.time))
        }
      }
      try globals.withStore { store in
        let unknown = try store.restoreFavorites(marks)
        globals.say("\(counted(marks.count - unknown.count, "favorite")) kept")
        guard !unknown.isEmpty else { return }
        throw CommandFailure(no: "restaurant", withIDs: unknown, "import its feed first")
      }
    }

    private static let maximumBytes = 64 << 20

    /// A time such as `2026-11-27T12:00:00Z`; nil for any other text.
    private static func time(_ text: String) -> String? {
      let pattern = Array("0000-00-00T00:00:00Z".utf8)
      let isTime =
        text.utf8.count == pattern.count
        && zip(text.utf8, pattern).allSatisfy { $1 == 0x30 ? $0.isDigit : $0 == $1 }
      return isTime ? text : nil
    }
  }
}

/// Favorites as a table for people.
enum FavoriteTable {
  private static let columns = [
    TableColumn(title: "name", minimumWidth: 30, priority: 10),
    TableColumn(title: "category", minimumWidth: 12, priority: 3),
    TableColumn(title: "address", minimumWidth: 16, priority: 2),
    TableColumn(title: "since", priority: 4),
    TableColumn(title: "state", priority: 5),
    // a truncated id is useless, so it is shown whole or dropped
    TableColumn(title: "id", priority: 1),
  ]

  /// The lines, including the footer.
  static func lines(for list: FavoriteList, width: Int, style: Style) -> [String] {
    guard list.total > 0 else { return ["no favorites; geoq favorite add ID adds one"] }
    let favorites = list.matches
    let rows = favorites.map { match in
      let restaurant = match.restaurant
      let street = [restaurant.address.street, restaurant.address.city].compactMap { $0 }
      return [
        restaurant.name, restaurant.category ?? "", street.joined(separator: ", "),
        // for people, the day is enough
        String(match.favorite?.since.prefix(10) ?? ""), state(of: match), restaurant.id,
      ]
    }
    let gone = favorites.count { $0.favorite?.isGone == true }
    let footer =
      shown(favorites.count, of: list.total, "favorite")
      + (gone == 0 ? "" : ", \(grouped(gone)) gone")
    return TableWriter(columns: columns, style: style).lines(for: rows, width: width)
      + [style.dim(footer)]
  }

  private static func state(of match: Match) -> String {
    if match.favorite?.isGone == true { return "gone" }
    return match.restaurant.closed ? "closed" : ""
  }
}
