import GRDB
import GeoFeed
public import GeoQuery

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
        "no such database; \(Remedy.createDatabase)"
      )
    case .empty:
      throw StoreError(
        .unavailable,
        path: path,
        "the database is empty; \(Remedy.fillDatabase)"
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

  deinit {
    try? close()
  }

  /// Closes the file; the last one to close it also removes SQLite's side files, and leaves a file that
  /// every program can read from a read-only place.
  public func close() throws {
    guard let queue else { return }
    try StoreError.wrapping(path) { try queue.closeFile() }
  }

  /// Puts the file into WAL mode until this is closed, if that is possible at once, so that others can write
  /// during long reads.
  func keepLog() {
    try? queue?.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA query_only = OFF")
      try db.enterLog(wait: .milliseconds(200))
    }
  }

  /// The same before all rows are read, if that takes longer than a moment: otherwise reading leaves the bytes
  /// of the file alone.
  func keepLogIfLarge() {
    if (StoreFile(path: path).size ?? 0) > 64 << 20 { keepLog() }
  }

  /// Runs a block in one read transaction.
  func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    try readDatabase { try body(SQLiteConnection($0, path: path)) }
  }

  /// Runs a block with the connection itself, for queries of this folder only.
  func readDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
    guard let queue else { return try StoreFile(path: path).read(body) }
    return try StoreError.wrapping(path) { try queue.read(body) }
  }
}

extension RestaurantStore {
  /// The number of restaurants.
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  public func count() throws -> Int { try read { try $0.count() } }

  /// The number of restaurants of a source.
  ///
  /// - Parameter source: The source's name.
  /// - Returns: 0 if the source is unknown.
  /// - Throws: `StoreError` if the file cannot be read.
  public func count(of source: String) throws -> Int {
    try read { try $0.count(of: source, .restaurants) }
  }

  /// The address and version of the last download of a source.
  ///
  /// - Parameter source: The source's name.
  /// - Returns: Nil if the source is unknown or was not downloaded.
  /// - Throws: `StoreError` if the file cannot be read.
  public func origin(of source: String) throws -> FeedOrigin? {
    try read { try $0.origin(of: source) }
  }

  /// The favorites, in order of id (UTF-8 bytes), each with its mark.
  ///
  /// A restaurant that has left its feed has its last values, and its mark says that it is gone.
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  /// - Complexity: O(favorites).
  public func favorites() throws -> [Match] { try read { try $0.favorites() } }

  /// Makes restaurants favorites; changes nothing if one of them is unknown.
  ///
  /// The change is durable when this returns. Adding a favorite again changes nothing, not even its
  /// time. The generation stays the same.
  ///
  /// - Parameter ids: The ids, compared as UTF-8 bytes.
  /// - Returns: The ids that were not favorites.
  /// - Throws: `UnknownRestaurant` for the first unknown id; `StoreError` if the file cannot
  ///   be written, or another process writes to it for too long.
  @discardableResult
  public func addFavorites(_ ids: [String]) throws -> [String] {
    try (self as any Store).addFavorites(ids)
  }

  /// Removes favorites; ids that are not favorites are ignored.
  ///
  /// - Parameter ids: The ids, compared as UTF-8 bytes.
  /// - Returns: The ids that were favorites.
  /// - Throws: `StoreError` if the file cannot be written, or another process writes to it for too
  ///   long.
  @discardableResult
  public func removeFavorites(_ ids: [String]) throws -> [String] {
    try (self as any Store).removeFavorites(ids)
  }

  /// Counts the changes of offers and chains, which do not change the generation.
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  /// - Complexity: O(1): one row.
  public func offersRevision() throws -> Int { try read { try $0.offersRevision() } }

  /// All offers and chains, read in one transaction.
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  /// - Complexity: O(offers and chains).
  public func offerBook() throws -> OfferBook { try read { try $0.offerBook() } }

  /// All offers, in order of id (UTF-8 bytes).
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  public func offers() throws -> [Offer] { try read { try $0.offers() } }

  /// An offer by its id, compared as UTF-8 bytes.
  ///
  /// - Returns: The offer, or nil if there is none with that id.
  /// - Throws: `StoreError` if the file cannot be read.
  public func offer(id: String) throws -> Offer? { try read { try $0.offers(id: id).first } }

  /// All chains, in order of id (UTF-8 bytes).
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  public func chains() throws -> [Chain] { try read { try $0.chains() } }
}

extension RestaurantStore: Store {
  package func snapshotPath(of generation: Int) -> String {
    SnapshotFiles(database: path).path(of: generation)
  }

  /// Always: a look reads one row.
  package func mayHaveChanged() -> Bool { true }

  package func read<Result>(
    isPrompt: Bool,
    _ body: (any StoreConnection) throws -> Result
  ) throws -> Result {
    try read { try body($0) }
  }

  package func write<Result>(_ body: (any StoreConnection) throws -> Result) throws -> Result {
    try StoreFile(path: path).write(emptiesLog: false) {
      try body(SQLiteConnection($0, path: path))
    }
  }

  package func size() throws -> Int { StoreFile(path: path).size ?? 0 }

  package func verify(progress: (String) -> Void) -> [Finding] {
    Verification.examine(path: path, progress: progress)
  }
}
