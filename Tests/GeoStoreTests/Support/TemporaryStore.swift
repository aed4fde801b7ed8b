import Foundation
import GRDB
import GeoIndex
import TestSupport

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// A folder of its own for one test's database, removed with everything in it when the test ends.
final class TemporaryStore: Sendable {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("geoq-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// A folder with a database that has some restaurants.
  convenience init(_ restaurants: [Restaurant]) throws {
    try self.init()
    try add(Feeds.of(restaurants))
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// The database file.
  var path: String { file("lunch.db") }

  /// The path of a file in the folder.
  func file(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Everything in the folder but snapshots, sorted.
  var names: [String] { allNames.filter { !$0.hasSuffix(".geoqx") } }

  /// The snapshots in the folder, sorted.
  var snapshots: [String] { allNames.filter { $0.hasSuffix(".geoqx") } }

  private var allNames: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  /// The bytes of the database file; empty if there is none.
  var bytes: Data { FileManager.default.contents(atPath: path) ?? Data() }

  /// The bytes without SQLite's counts of changes, which also count changes of the journal's mode.
  var contentBytes: Data {
    var bytes = bytes
    for offset in [24..<28, 92..<100] where bytes.count > offset.upperBound {
      bytes.replaceSubrange(offset, with: repeatElement(0, count: offset.count))
    }
    return bytes
  }

  func write(_ data: Data) throws { try data.write(to: URL(fileURLWithPath: path)) }

  /// Removes the snapshot: the next query makes it again from the rows.
  func removeSnapshot() throws {
    for name in snapshots { try FileManager.default.removeItem(atPath: file(name)) }
  }

  /// Imports a feed.
  @discardableResult
  func add(_ feed: Feed, _ change: (inout ImportOptions) -> Void = { _ in }) throws -> ImportReport
  {
    var options = ImportOptions()
    // random restaurants are anywhere, and have anything
    (options.allowsMoving, options.allowsLosses) = (true, true)
    change(&options)
    return try RestaurantStore.importFeed(feed, into: path, options: options)
  }

  /// Opens the database for reading.
  func open() throws -> RestaurantStore { try RestaurantStore(path: path) }

  /// An engine on a connection of its own.
  func engine() throws -> QueryEngine { QueryEngine(try open().snapshot()) }

  /// All restaurants, by id.
  func restaurants() throws -> [Restaurant] {
    let store = try open()
    defer { try? store.close() }
    return try QueryEngine(store.snapshot()).matches(Query(.everywhere)).map(\.restaurant)
  }

  /// Runs SQL on a connection with SpatiaLite, after geoq's back.
  @discardableResult
  func sql<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let queue = try DatabaseQueue(path: path, configuration: .writing)
    defer { try? queue.closeFile() }
    return try queue.write(body)
  }

  /// The error with which a block fails, if it is the store's.
  func error(_ body: () throws -> Void) -> StoreError? {
    do {
      try body()
      return nil
    } catch {
      return error as? StoreError
    }
  }
}

extension QueryEngine {
  /// The answer to a query, all of it at once.
  func matches(_ query: Query) throws -> [Match] { try page(query).matches }

  /// The answer and what is known of it, one restaurant after another.
  func answer(
    _ query: Query,
    begin: (AnswerSummary) throws -> Void,
    each: (Match) throws -> Void
  ) throws {
    let page = try page(query)
    try begin(page.summary)
    for index in 0..<page.count { try each(try page.match(at: index)) }
  }
}

extension RestaurantStore {
  /// The restaurant with an id, from the store's snapshot.
  func restaurant(id: String) throws -> Restaurant? { try snapshot().restaurant(id: id) }
}

extension Feeds {
  /// A feed of restaurants as they are.
  static func of(_ restaurants: [Restaurant], source: String = "test") -> Feed {
    Feed(restaurants, source: source)
  }
}
