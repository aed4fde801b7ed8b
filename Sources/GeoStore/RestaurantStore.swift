import Foundation
import GRDB
public import GeoFeed
import GeoIndex
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
      throw file.problem(.unavailable, "no such database; \(Remedy.createDatabase)")
    case .empty:
      throw file.problem(.unavailable, "the database is empty; \(Remedy.fillDatabase)")
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
    guard let queue else { return try StoreFile(path: path).read(body) }
    return try StoreError.wrapping(path) {
      try queue.read { try body(SQLiteConnection($0, path: path)) }
    }
  }
}

extension RestaurantStore {
  /// The number of restaurants.
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  public func count() throws -> Int { try read { try $0.count() } }

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

  /// All offers and chains, read in one transaction.
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  /// - Complexity: O(offers and chains).
  public func offerBook() throws -> OfferBook { try read { try $0.offerBook() } }
}

extension RestaurantStore: Store {
  package func state() throws -> StoreState { try read { try $0.state() } }

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
    try StoreFile(path: path).write(emptiesLog: false) { try body($0) }
  }

  package func size() throws -> Int { StoreFile(path: path).size ?? 0 }

  package func verify(progress: (String) -> Void) throws -> [Finding] {
    try read { Verification.examine($0, progress) }
  }
}

extension RestaurantStore {
  /// The snapshot of the current generation, from the file next to the database, which is written
  /// if it is missing or unusable.
  ///
  /// ```swift
  /// let engine = QueryEngine(try store.snapshot())
  /// ```
  ///
  /// - Parameter notice: Called with a sentence about why the file is not used, and what is done
  ///   instead.
  /// - Returns: The snapshot, mapped.
  /// - Throws: `StoreError` if the database cannot be read; `SnapshotError` if the snapshot can be
  ///   written neither next to the database nor in the folder for temporary files.
  /// - Complexity: O(1); O(n log n) if it has to be made.
  public func snapshot(notice: (String) -> Void = { _ in }) throws -> Snapshot {
    // an import may remove a snapshot between reading the generation and opening the file; another
    // attempt finds the next one
    for _ in 0..<3 {
      do {
        return try SnapshotFiles(database: path).open(state())
      } catch let problem as SnapshotProblem where problem.isMissing {
        continue
      } catch is SnapshotProblem {
        break
      }
    }
    keepLogIfLarge()
    return try read { connection in
      let state = try connection.state()
      do throws(SnapshotProblem) {
        return try SnapshotFiles(database: path).open(state)
      } catch {
        return try rebuild(connection, state, because: error, notice)
      }
    }
  }

  /// Reads the whole snapshot of the current generation, and writes it again if it is damaged.
  package func repairSnapshot(notice: (String) -> Void) throws {
    keepLogIfLarge()
    try read { connection in
      let state = try connection.state()
      let problem: SnapshotProblem
      do {
        try SnapshotFiles(database: path).open(state).verify()
        return
      } catch let error as SnapshotProblem {
        problem = error
      } catch let error as SnapshotError {
        problem = SnapshotProblem(path: error.path, reason: error.reason, isMissing: false)
      }
      _ = try rebuild(connection, state, because: problem, notice)
    }
  }

  private func rebuild(
    _ connection: SQLiteConnection,
    _ state: StoreState,
    because problem: SnapshotProblem,
    _ notice: (String) -> Void
  ) throws -> Snapshot {
    let file = SnapshotFiles(database: path).path(of: state.generation)
    do {
      try connection.writeSnapshot(StoredPoints(connection), state, to: file)
      // a database that was copied has none yet
      if !problem.isMissing {
        notice("\(problem.path): unusable, because \(problem.reason); rebuilt")
      }
      return try Snapshot(path: file)
    } catch is SnapshotError {
      let temporary = FileManager.default.temporaryDirectory.path + "/geoq-\(randomDigits()).geoqx"
      defer { unlink(temporary) }
      try connection.writeSnapshot(StoredPoints(connection), state, to: temporary)
      notice(
        "\(problem.path): unusable, because \(problem.reason); it cannot be written here, so a "
          + "temporary one is used"
      )
      return try Snapshot(path: temporary)
    }
  }
}

/// Receives the events of an import.
///
/// The blocks run on the thread that called the import.
public struct ImportObserver {
  /// Called for each rejected record, with the bytes of its text if these are needed and buffered.
  public var reject: ((FeedError, [UInt8]) throws -> Void)?

  /// Whether `reject` needs the texts.
  public var wantsTexts = false

  /// Called with the progress of the import, several times a second.
  public var progress: ((ImportProgress) -> Void)?

  /// Called when the whole feed has been read, before it is accepted or rejected.
  public var end: (() throws -> Void)?

  /// Called right before the import becomes final; a process that ends before has changed nothing.
  public var commit: (() -> Void)?

  /// Called with a problem that does not stop the import: a snapshot that cannot be written.
  public var notice: ((String) -> Void)?

  /// An observer that ignores everything.
  public init() {}
}

extension RestaurantStore {
  /// Imports a feed into a database, which is created if necessary.
  ///
  /// A feed of chains or offers changes no restaurant, and so not the generation.
  ///
  /// The import is one transaction: either the whole feed is imported or nothing changes. Records
  /// of the same source that the feed no longer lists are removed. A feed that changes nothing does
  /// not touch the file. The feed is not held in memory; the ids, and later the index, take about
  /// 60 bytes per restaurant.
  ///
  /// - Parameters:
  ///   - stream: The records.
  ///   - path: The database file.
  ///   - options: How to treat the contents of the store.
  ///   - observer: Receives progress and notices.
  /// - Returns: The counts and the rejected records. Of two records with one id, the later is
  ///   rejected by default.
  /// - Throws: `FeedError` if the feed as a whole is bad, if every record was rejected, or for the
  ///   first bad record if the options are strict; `StoreError` if the file is not geoq's,
  ///   is newer, damaged, busy or cannot be written, or if the feed would remove most of its
  ///   source's records; errors of the observer.
  @discardableResult
  public static func importFeed(
    from stream: FeedStream,
    into path: String,
    options: ImportOptions = ImportOptions(),
    observer: ImportObserver = ImportObserver()
  ) throws -> ImportReport {
    var options = options
    options.formatCredit = stream.format.credit
    let run = FeedImport(file: StoreFile(path: path), options: options, observer: observer)
    return switch stream.format.content {
    case .restaurants: try run.run(stream)
    case .chains: try run.run(stream, of: Chain.self)
    case .offers: try run.run(stream, of: Offer.self)
    }
  }

  /// Imports a feed in memory into a database, like `importFeed(from:into:options:observer:)`.
  @discardableResult
  public static func importFeed(
    _ feed: Feed,
    into path: String,
    options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    let file = StoreFile(path: path)
    return try FeedImport(file: file, options: options, observer: ImportObserver())
      .run(KeptEntries(feed))
  }
}

extension RestaurantStore {
  /// Adds restaurants to a database, which is created if necessary, and replaces those of the source
  /// that have the same ids; the others stay.
  ///
  /// ```swift
  /// try RestaurantStore.upsert(restaurants, source: "app", into: "lunch.db")
  /// ```
  ///
  /// One transaction, like an import. A public id gets the source before it if another source has it.
  ///
  /// - Parameters:
  ///   - restaurants: The restaurants, each under its id in the source; their own sources do not count.
  ///   - source: The source.
  ///   - path: The database file.
  /// - Returns: The counts, and the new generation if a restaurant is new or has changed.
  /// - Throws: `FeedError` with the number of the first restaurant that cannot be kept or has the id of
  ///   an earlier one; `StoreError` as `importFeed(_:into:options:)`. Nothing is then changed.
  @discardableResult
  public static func upsert(
    _ restaurants: [Restaurant],
    source: String,
    into path: String
  ) throws -> ImportReport {
    var restaurants = restaurants
    for index in restaurants.indices {
      restaurants[index].source = source
      restaurants[index].sourceID = nil
      if let fault = restaurants[index].fault {
        throw FeedError(source: source, record: index + 1, problem: "the restaurant \(fault)")
      }
    }
    var options = ImportOptions()
    (options.keepsMissing, options.isStrict) = (true, true)
    // the caller says what changes: nothing is doubted
    (options.allowsMoving, options.allowsLosses, options.allowsDuplicates) = (true, true, true)
    (options.allowsShrinking, options.allowsReplacing) = (true, true)
    return try importFeed(Feed(restaurants, source: source), into: path, options: options)
  }

  /// Adds and replaces restaurants of this database as ``upsert(_:source:into:)`` does.
  @discardableResult
  public func upsert(_ restaurants: [Restaurant], source: String) throws -> ImportReport {
    try Self.upsert(restaurants, source: source, into: path)
  }

  /// Adds and replaces restaurants as the other function does, and does not block the caller's actor.
  @discardableResult
  public func upsert(_ restaurants: [Restaurant], source: String) async throws -> ImportReport {
    try Self.upsert(restaurants, source: source, into: path)
  }

  /// Imports a feed in memory as the other function does, and does not block the caller's actor.
  @discardableResult
  public static func importFeed(
    _ feed: Feed,
    into path: String,
    options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    let file = StoreFile(path: path)
    return try FeedImport(file: file, options: options, observer: ImportObserver())
      .run(KeptEntries(feed))
  }
}

extension RestaurantStore {
  /// Removes the temporary files of an import of this process, which is about to be killed.
  ///
  /// Does nothing without an import of this process.
  package static func removeTemporaries(ofImportInto path: String) {
    guard ImportLock.isHeldByThisProcess(database: path) else { return }
    let generation = try? RestaurantStore(path: path).state().generation
    let files = SnapshotFiles(database: path)
    files.sweepTemporaries(beyond: -1)
    files.sweep(keeping: generation ?? -1)
    ImportLock.remove(database: path)
  }
}

/// The result of compacting a database.
public struct CompactReport: Sendable, Hashable {
  /// The size of the database and its log before, in bytes.
  public let bytesBefore: Int

  /// The size afterwards.
  public let bytesAfter: Int
}

extension RestaurantStore {
  /// Rewrites a database without unused space, and removes files that killed imports have left.
  ///
  /// Queries continue meanwhile. It needs disk space for another copy while it runs.
  ///
  /// - Parameter path: The database file.
  /// - Returns: The sizes before and after.
  /// - Throws: `StoreError` if there is no database, if an import is running, or if it cannot
  ///   be written; the database is then unchanged.
  public static func compact(path: String) throws -> CompactReport {
    try RestaurantStore(path: path).close()
    let file = StoreFile(path: path)
    try file.checkFolder()
    let lock = try ImportLock(database: path)
    return try withExtendedLifetime(lock) {
      let before = file.byteCount
      let generation = try StoreError.wrapping(path) {
        let queue = try DatabaseQueue(path: file.absolutePath, configuration: .writing)
        defer { try? queue.closeFile() }
        return try queue.writeWithoutTransaction { db in
          try file.checkVersion(db)
          let generation = try SQLiteConnection(db, path: path).generation()
          try db.execute(sql: "VACUUM")
          // a busy reader keeps the log for later, and the data is safe in it
          _ = try? db.checkpoint(.truncate)
          return generation
        }
      }
      SnapshotFiles(database: path).sweep(keeping: generation)
      return CompactReport(bytesBefore: before, bytesAfter: file.byteCount)
    }
  }
}

extension StoreFile {
  /// The size of the database and its log in bytes; 0 if there is none.
  var byteCount: Int {
    (size ?? 0) + (StoreFile(path: resolvedPath + "-wal").size ?? 0)
  }
}

extension RestaurantStore {
  /// Copies the database into a file, as it is at one moment; others may read and write meanwhile.
  ///
  /// The copy is a database like any other, in one file, with favorites, sources and offers. It has no
  /// snapshot: the first query makes one.
  ///
  /// - Parameters:
  ///   - target: An empty file. The caller syncs and renames it, or removes it after an error.
  ///   - name: Its name in errors.
  ///   - progress: Called with the copied share of the database, from 0 to 1.
  /// - Returns: The copied generation, and its number of restaurants.
  /// - Throws: `StoreError` if the database cannot be read, or the copy cannot be written.
  package func backup(
    into target: String,
    named name: String,
    progress: @escaping (Double) -> Void
  ) throws -> (generation: Int, restaurants: Int) {
    if let access = FileAccess(of: StoreFile(path: path).resolvedPath) { access.narrow(target) }
    keepLogIfLarge()
    return try read { connection in
      let copied = (generation: try connection.generation(), restaurants: try connection.count())
      do {
        let copy = try DatabaseQueue(path: target)
        defer { try? copy.close() }
        try copy.writeWithoutTransaction { copy in
          // a copy that fails is removed, and so needs no journal, which would stay
          try copy.execute(sql: "PRAGMA journal_mode = OFF")
          // in the transaction of this read, so that an import meanwhile does not begin it anew
          try connection.db.backup(to: copy, pagesPerStep: 4_096) { pages in
            progress(Double(pages.completedPageCount) / Double(max(pages.totalPageCount, 1)))
          }
          // a log next to it would not move with it
          try copy.execute(sql: "PRAGMA journal_mode = DELETE")
        }
        try copy.close()
      } catch let error as DatabaseError where error.resultCode != .SQLITE_CORRUPT {
        let words = "the copy cannot be written (\(error.said)); nothing was changed"
        throw StoreError(.inputOutput, path: name, words)
      }
      return copied
    }
  }
}
