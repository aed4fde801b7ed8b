import ArgumentParser
import GeoQuery
import GeoStore

/// The options of every command, before or after its name.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: "Database: a file or postgresql://… (default: $GEOQ_DB, then geoq.db).".value("file"),
    completion: .file(extensions: ["db"])
  )
  var db: String?

  @Option(
    help:
      "Folder for snapshots of a PostgreSQL store (default: $XDG_CACHE_HOME/geoq, then ~/.cache/geoq)."
      .value("folder"),
    completion: .directory
  )
  var cache: String?

  @Flag(name: .shortAndLong, help: "Print only results and errors.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Show the database and the time of most queries.")
  var verbose = false

  @Option(help: "When to use color.")
  var color: ColorChoice = .auto

  /// The database, as it was given.
  var databasePath: String {
    if let db { return db }
    if let variable = CommandContext.variable("GEOQ_DB"), !variable.isEmpty { return variable }
    return "geoq.db"
  }

  func validate() throws {
    if db?.isEmpty == true { throw ValidationError("--db: expected the name of a file") }
    if cache?.isEmpty == true { throw ValidationError("--cache: expected the name of a folder") }
    if PostgresAddress.isAddress(databasePath) {
      // the address is not repeated, because it may contain a password
      do throws(PostgresAddress.Problem) {
        _ = try PostgresAddress(databasePath)
      } catch {
        throw ValidationError("--db: \(error)")
      }
    }
    if quiet && verbose { throw ValidationError("-q and -v cannot be combined") }
  }

  /// Rejects `-o` with the database.
  func checkOutput(_ path: String) throws {
    guard isSameFile(path, databasePath) else { return }
    throw ValidationError("-o: \(terminalSafe(path)) is the database itself; name another file")
  }

  /// Prints a line on standard error unless `-q` was given.
  func say(_ line: String) {
    if !quiet { StandardStreams.complain(line) }
  }
}

/// Whether two paths lead to the same file, or are equal.
func isSameFile(_ path: String, _ other: String) -> Bool {
  path == other || FileIdentity(path).map { $0 == FileIdentity(other) } == true
}

extension GlobalOptions {
  /// The location of the store.
  func place() throws -> StorePlace {
    try StorePlace(database: databasePath, cache: cache)
  }

  func openStore() throws -> any Store { try place().open() }

  /// Opens the store for a body, and closes it.
  func withStore<Result>(_ body: (any Store) throws -> Result) throws -> Result {
    try place().withStore(body)
  }

  /// The database file, for commands that do not work on a store in PostgreSQL.
  ///
  /// - Throws: `CommandFailure` if the store is in PostgreSQL.
  func databaseFile(for command: String) throws -> String {
    guard PostgresAddress.isAddress(databasePath) else { return databasePath }
    throw CommandFailure.usage(
      "\(command) works on a database file, not yet on a store in PostgreSQL"
    )
  }

  /// An engine for the store's snapshot; reports on standard error if that had to be rebuilt.
  func engine(_ store: any Store) throws -> QueryEngine {
    QueryEngine(try store.snapshot { say("warning: " + terminalSafe($0)) }) {
      try store.favorites().filter { $0.favorite?.isGone == false }.map(\.restaurant.id)
    }
  }
}

extension ColorChoice: ExpressibleByArgument {}

extension StorePlace {
  /// The store given by `--db` and `--cache`.
  ///
  /// - Throws: `PostgresAddress.Problem` if an address is wrong, which `GlobalOptions` has checked;
  ///   `CommandFailure` if it needs a folder and there is none.
  init(database: String, cache: String?) throws {
    guard PostgresAddress.isAddress(database) else {
      self = .file(database)
      return
    }
    let address = try PostgresAddress(database)
    guard let cache = cache ?? Self.userCache else {
      throw CommandFailure.usage(
        "there is no folder for snapshots: neither HOME nor XDG_CACHE_HOME is set; give --cache"
      )
    }
    self = .postgres(address, cache: cache)
  }

  /// Opens the store for a body, and closes it, because the last connection removes SQLite's side files.
  func withStore<Result>(_ body: (any Store) throws -> Result) throws -> Result {
    let store = try open()
    defer { try? store.close() }
    return try body(store)
  }

  private static var userCache: String? {
    let variable = { (name: String) -> String? in
      CommandContext.variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    return variable("XDG_CACHE_HOME").map { $0 + "/geoq" }
      ?? variable("HOME").map { $0 + "/.cache/geoq" }
  }
}

/// Shell completions from the database on the command line; empty if it cannot be opened.
struct StoreCompletions {
  private let place: StorePlace?

  /// The maximum number of ids.
  private static let most = 200

  init(_ words: [String]) {
    let named = [lastValue(of: "--db", in: words), CommandContext.variable("GEOQ_DB")]
    let database = named.compactMap(\.self).first { !$0.isEmpty } ?? "geoq.db"
    place = try? StorePlace(database: database, cache: nil)
  }

  /// The categories, the most frequent first.
  func categories(_ prefix: String) -> [String] {
    let known = withStore { store in
      try QueryEngine(store.snapshot()).facets(by: .category, of: Query(.everywhere))
        .compactMap(\.value)
    }
    return printable(known).filter { folded($0).hasPrefix(folded(prefix)) }
  }

  /// The ids that begin with a text.
  func ids(_ prefix: String) -> [String] {
    withStore { store in
      let snapshot = try store.snapshot()
      let first = snapshot.lowerBound(ofID: prefix.utf8).position
      let ids = (first..<min(first + Self.most, snapshot.count)).map { snapshot.id(at: $0) }
      return printable(
        ids.prefix { $0.starts(with: prefix.utf8) }.map { String(decoding: $0, as: UTF8.self) }
      )
    }
  }

  /// The ids of favorites that begin with a text.
  func favorites(_ prefix: String) -> [String] {
    withStore { store in
      printable(try store.favorites().map(\.restaurant.id).filter { $0.hasPrefix(prefix) })
    }
  }

  /// A shell reads one completion per line, and a feed's text must not control the terminal.
  private func printable(_ texts: [String]) -> [String] {
    texts.filter { terminalSafe($0) == $0 }
  }

  private func withStore(_ body: (any Store) throws -> [String]) -> [String] {
    (try? place?.withStore(body)) ?? []
  }
}
