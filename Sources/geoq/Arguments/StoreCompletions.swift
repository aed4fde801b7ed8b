import GeoQuery
import GeoStore

/// Shell completions from the database on the command line; empty if it cannot be opened.
struct StoreCompletions {
  private let place: StorePlace?

  /// The maximum number of ids.
  private static let most = 200

  /// - Parameter words: The command line so far.
  init(_ words: [String]) {
    let option = words.lastIndex(of: "--db").map { words.index(after: $0) }
    let joined = words.last { $0.hasPrefix("--db=") }.map { String($0.dropFirst("--db=".count)) }
    let named = option.flatMap { words.indices.contains($0) ? words[$0] : nil } ?? joined
    let variable = CommandContext.variable("GEOQ_DB") ?? ""
    let database = named ?? (variable.isEmpty ? "geoq.db" : variable)
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
    guard let store = try? place?.open() else { return [] }
    defer { try? store.close() }
    return (try? body(store)) ?? []
  }
}
