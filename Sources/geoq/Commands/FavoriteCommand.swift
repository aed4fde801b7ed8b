import ArgumentParser
import GeoQuery
import GeoStore

/// `geoq favorite`.
struct FavoriteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "favorite",
    abstract: "Keep favourite restaurants, whatever becomes of their feed.",
    discussion: """
        geoq favorite add yard-house-dfd1f6d4
        geoq favorite list
        geoq favorite list -f geojson -o favorites.geojson

      Favourites are kept in the database, with the time, and stay when a feed is imported again. One \
      whose restaurant has left its feed is shown as gone, with what was last known of it.
      """,
    subcommands: [Add.self, Remove.self, List.self],
    aliases: ["fav"]
  )

  /// `geoq favorite add`.
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Make restaurants favourites.",
      discussion: """
          geoq favorite add yard-house-dfd1f6d4
          geoq search thai -f ids | xargs geoq favorite add --

        All of them, or none where an id is unknown. One that is a favourite already stays as it is.
        """
    )

    @Argument(
      help: "Ids, as -f ids lists them; after -- where one begins with a hyphen.",
      completion: .custom { words, _, prefix in StoreCompletions(words).ids(prefix) }
    )
    var ids: [String]

    @OptionGroup var globals: GlobalOptions

    func run() throws {
      try FavoriteCommand.withStore(globals) { store in
        try store.addFavorites(ids)
        globals.say("\(FavoriteCommand.favourites(Set(ids.map(ByteKey.init)).count)) kept")
      }
    }
  }

  /// `geoq favorite remove`.
  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Take restaurants from the favourites.",
      discussion: """
          geoq favorite remove yard-house-dfd1f6d4

        An id that is no favourite is named on standard error, and the exit code is then 1; the others \
        are removed.
        """
    )

    @Argument(
      help: "Ids, as geoq favorite list -f ids lists them.",
      completion: .custom { words, _, prefix in StoreCompletions(words).favorites(prefix) }
    )
    var ids: [String]

    @OptionGroup var globals: GlobalOptions

    func run() throws {
      try FavoriteCommand.withStore(globals) { store in
        let removed = try store.removeFavorites(ids)
        if !removed.isEmpty {
          globals.say("\(FavoriteCommand.favourites(removed.count)) removed")
        }
        let known = Set(removed.map(ByteKey.init))
        let others = ids.filter { !known.contains(ByteKey($0)) }
        guard let first = others.first else { return }
        let more = others.count > 1 ? " (and \(others.count - 1) more)" : ""
        throw CommandFailure(
          "no favourite has the id \"\(terminalSafe(first))\"\(more); "
            + "geoq favorite list -f ids lists them",
          exitCode: 1
        )
      }
    }
  }

  /// `geoq favorite list`.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the favourites.",
      discussion: """
          geoq favorite list
          geoq favorite list -f geojson -o favorites.geojson
          geoq favorite list --json=id,favoriteSince,gone

        The order is by id unless --sort says otherwise. favoriteSince is in UTC; gone is true if the \
        restaurant has left its feed.
        """
    )

    @OptionGroup var sorting: SortOptions
    @OptionGroup var page: PageOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var globals: GlobalOptions

    func run() throws {
      let answer = try AnswerOutput(output, globals)
      let run = QueryRun(globals: globals, output: output)
      if page.cursor != nil, answer.format == .count {
        throw ValidationError("--cursor does not go with -f count, which counts all pages")
      }
      try run.withStore { store in
        let list = try FavoriteList.page(
          of: try store.favorites(),
          in: try sorting.order(),
          limit: page.limit,
          from: page.cursor
        )
        try answer.write(favorites: list)
        if let file = output.file {
          globals.say("\(terminalSafe(file)): \(FavoriteCommand.favourites(list.matches.count))")
        }
        run.sayNext(list.next, of: page.limit, answer.format)
        try run.finish(foundSomething: !list.matches.isEmpty)
      }
    }
  }

  private static func favourites(_ count: Int) -> String {
    "\(grouped(count)) favourite\(count == 1 ? "" : "s")"
  }

  private static func withStore(
    _ globals: GlobalOptions,
    _ body: (RestaurantStore) throws -> Void
  ) throws {
    let store = try RestaurantStore(path: globals.databasePath)
    defer { try? store.close() }
    try body(store)
  }
}
