import Foundation
import TestSupport

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// The kinds of stores that tests run on: PostgreSQL if `make postgis-test` has started one.
enum StoreKind: String, Sendable, CaseIterable {
  case file, postgres

  /// Those that are there.
  static let available = PostgresServer.address == nil ? [StoreKind.file] : allCases
}

/// The server of `Tests/postgis/cluster`.
enum PostgresServer {
  /// The address of a database with PostGIS; nil if no server was started.
  static let address = ProcessInfo.processInfo.environment["GEOQ_POSTGRES"]

  /// Whether there is one.
  static var isThere: Bool { address != nil }
}

/// A store of one test, empty at first, removed when the test ends.
final class ScratchStore: Sendable {
  let place: StorePlace
  let folder: TemporaryStore

  init(_ kind: StoreKind) throws {
    folder = try TemporaryStore()
    switch kind {
    case .file: place = .file(folder.path)
    case .postgres:
      let schema = "t " + UUID().uuidString.lowercased()
      let encoded = schema.replacing(" ", with: "%20")
      let address = try PostgresAddress("\(PostgresServer.address ?? "")?schema=\(encoded)")
      place = .postgres(address, cache: folder.file("cache"))
      _ = try PostgresCreation.run(address)
    }
  }

  deinit {
    guard case .postgres(let address, _) = place else { return }
    _ = try? sql("DROP SCHEMA \(address.quotedSchema) CASCADE")
  }

  /// Imports restaurants as a feed of a source.
  @discardableResult
  func add(
    _ restaurants: [Restaurant],
    source: String = "test",
    observer: ImportObserver = ImportObserver(),
    _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> ImportReport {
    var options = ImportOptions()
    change(&options)
    let entries = KeptEntries(Feeds.of(restaurants, source: source))
    switch place {
    case .file(let path):
      return try FeedImport(file: StoreFile(path: path), options: options, observer: observer)
        .run(entries)
    case .postgres(let address, let cache):
      let store = try PostgresStore(address: address, cache: cache, purpose: "import")
      defer { store.close() }
      let request = ImportRequest(store: store.path, options: options, observer: observer)
      return try store.withConnection {
        try PostgresImport(connection: $0, storeID: store.storeID, request: request).run(entries)
      }
    }
  }

  /// Imports a feed that is a text.
  @discardableResult
  func read(
    _ text: String,
    source: String = "test",
    _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> ImportReport {
    var options = ImportOptions()
    change(&options)
    let stream = try FeedReader(source: source).stream(MemoryBytes(Array(text.utf8)))
    return try place.importFeed(from: stream, options: options)
  }

  /// Runs a block with the store.
  func with<Result>(_ body: (any Store) throws -> Result) throws -> Result {
    let store = try place.open()
    defer { try? store.close() }
    return try body(store)
  }

  /// All restaurants, by id.
  func restaurants() throws -> [Restaurant] {
    try with { try QueryEngine($0.snapshot()).matches(Query(.everywhere)).map(\.restaurant) }
  }

  /// The generation.
  func generation() throws -> Int { try with { try $0.state().generation } }

  /// Runs SQL in PostgreSQL, without geoq.
  @discardableResult
  func sql(_ sql: String) throws -> [[String?]] {
    guard case .postgres(let address, _) = place else { return [] }
    let connection = try PostgresConnection(address, for: "test")
    defer { connection.close() }
    try connection.rows(
      "SELECT set_config('search_path', $1, false)",
      [address.quotedSchema + ", public"]
    )
    return try connection.rows(sql).map { row in row.fields.indices.map { row.text($0) } }
  }

  /// What `verify` finds wrong.
  var faults: [Finding] { place.verify { _ in }.filter { !$0.isGood } }

  /// The error with which a block fails, if it is the store's.
  func error(_ body: () throws -> Void) -> StoreError? { folder.error(body) }
}
