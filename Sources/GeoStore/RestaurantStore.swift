import GRDB
import GeoFeed
import GeoQuery

/// A geoq database opened for reading: a SpatiaLite file that any number of processes may share.
///
/// ```swift
/// let store = try RestaurantStore(path: "lunch.db")
/// print(try store.count())  // 15
/// ```
///
/// Imports go through `RestaurantStore.importFeed(_:into:options:)`, which opens the file for writing
/// only when there is something to write.
public final class RestaurantStore: Sendable {
  /// The file.
  public let path: String

  /// The connection; nil if SQLite would not notice imports by other processes through it.
  ///
  /// Each read then opens its own.
  private let queue: DatabaseQueue?

  /// Opens a database.
  ///
  /// - Parameter path: A file that an import has made.
  /// - Throws: `StoreError` if it is missing, empty, not a geoq database, newer, or damaged.
  public init(path: String) throws {
    self.path = path
    let file = StoreFile(path: path)
    switch try file.content() {
    case .geoq: break
    case .missing:
      throw StoreError(
        .unavailable,
        path: path,
        "no such database; create it with: geoq import FEED"
      )
    case .empty:
      throw StoreError(
        .unavailable,
        path: path,
        "the database is empty; fill it with: geoq import FEED"
      )
    }
    guard file.isWritable else {
      // a kept connection would keep the owner's log as well
      queue = nil
      try file.read { _ in }
      return
    }
    let (opened, noticesChanges) = try file.openForReading()
    queue = noticesChanges ? opened : nil
    try StoreError.wrapping(path) { try opened.read { try file.checkVersion($0) } }
  }

  /// Closes the file; the last one to close it also removes SQLite's side files.
  public func close() throws {
    try StoreError.wrapping(path) { try queue?.close() }
  }

  /// The number of restaurants.
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  public func count() throws -> Int {
    try read { try $0.count() }
  }

  /// Runs a block in one read transaction.
  func read<Result>(_ body: (StoreReader) throws -> Result) throws -> Result {
    try readDatabase { try body(StoreReader($0, path: path)) }
  }

  /// Runs a block with the connection itself, for queries of this folder only.
  func readDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
    guard let queue else { return try StoreFile(path: path).read(body) }
    return try StoreError.wrapping(path) { try queue.read(body) }
  }
}
