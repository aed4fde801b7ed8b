import Foundation
import GeoFeed
import GeoIndex
package import GeoQuery

/// A store in a schema of PostgreSQL, opened for reading and writing.
///
/// Queries are answered by a snapshot in a folder of this machine, as those of a file are by the one
/// next to it.
///
/// `@unchecked Sendable`: the connection is used under the lock only.
package final class PostgresStore: Store, @unchecked Sendable {
  package let path: String

  let address: PostgresAddress
  let storeID: StoreID
  let snapshots: SnapshotFiles

  private let lock = NSRecursiveLock()
  private let connection: PostgresConnection
  private let replica: PostgresReplica
  private var lastLook: ContinuousClock.Instant?

  /// How often the state is queried if no notice arrives: a notice may be lost.
  private static let lookInterval = Duration.seconds(2)

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - cache: The folder for snapshots, which is made if it is needed.
  ///   - purpose: What the connection is for, as the server shows it.
  /// - Throws: `StoreError` if the server, the database or the store is not there, or not geoq's.
  package init(address: PostgresAddress, cache: String, purpose: String) throws {
    self.address = address
    path = address.shown
    connection = try PostgresConnection(address, for: purpose)
    let connection = connection
    storeID = try address.wrapping {
      try PostgresSession.begin(connection)
      return try PostgresSession.storeID(connection)
    }
    snapshots = SnapshotFiles(of: storeID, in: cache)
    replica = PostgresReplica(of: address, in: cache)
  }

  package func close() {
    lock.withLock { connection.close() }
  }

  package func state() throws -> StoreState {
    let state = try withPromptConnection { try $0.state() }
    if snapshots.has(state.generation) { replica.note(storeID) }
    return state
  }

  package func mayHaveChanged() throws -> Bool {
    try withConnection { connection in
      let isFirst = lastLook == nil
      // before the first look, so that no import comes between
      if isFirst { try connection.listen() }
      let hasNotice = try connection.takeNotices()
      let isTime = lastLook.map { $0.duration(to: .now) >= Self.lookInterval } ?? true
      guard hasNotice || isTime else { return false }
      lastLook = .now
      return true
    }
  }

  package func snapshot(notice: (String) -> Void) throws -> Snapshot {
    let snapshot = try withConnection { try snapshots.current($0, notice) }
    if snapshots.has(snapshot.generation) { replica.note(storeID) }
    return snapshot
  }

  package func repairSnapshot(notice: (String) -> Void) throws {
    try withConnection { try snapshots.repair($0, notice) }
  }

  /// Imports a feed.
  func importFeed(
    from stream: FeedStream,
    options: ImportOptions,
    observer: ImportObserver
  ) throws -> ImportReport {
    var options = options
    options.formatCredit = stream.format.credit
    let request = ImportRequest(store: path, options: options, observer: observer)
    return try withConnection { connection in
      let run = PostgresImport(connection: connection, storeID: storeID, request: request)
      return switch stream.format.content {
      case .restaurants: try run.run(stream)
      case .chains: try run.run(stream, of: Chain.self)
      case .offers: try run.run(stream, of: Offer.self)
      }
    }
  }

  /// Calls a closure that asks little: the server has to answer within seconds.
  ///
  /// - Throws: `StoreError`; errors of the closure.
  func withPromptConnection<Result>(
    _ body: (PostgresConnection) throws -> Result
  ) throws -> Result {
    try withConnection { connection in
      try connection.within(PostgresSession.promptSeconds) { try body(connection) }
    }
  }

  /// Calls a closure with the connection, which has no other user meanwhile.
  ///
  /// - Throws: `StoreError`; errors of the closure.
  func withConnection<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
    try lock.withLock {
      try address.wrapping { try body(connection) }
    }
  }
}

extension PostgresStore {
  package func snapshotPath(of generation: Int) -> String { snapshots.path(of: generation) }

  /// The size of the tables with their indexes.
  package func size() throws -> Int {
    try withConnection { connection in
      try connection.number(
        """
        SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1::text AND c.relkind = 'r'
        """,
        [address.schema]
      )
    }
  }

  package func read<Result>(
    isPrompt: Bool,
    _ body: (any StoreConnection) throws -> Result
  ) throws -> Result {
    try transaction(.reading, isPrompt: isPrompt, body)
  }

  package func write<Result>(_ body: (any StoreConnection) throws -> Result) throws -> Result {
    try transaction(.writing, isPrompt: true, body)
  }

  private func transaction<Result>(
    _ mode: PostgresConnection.Mode,
    isPrompt: Bool,
    _ body: (any StoreConnection) throws -> Result
  ) throws -> Result {
    let run = { (connection: PostgresConnection) in
      try connection.transaction(mode) { try body(connection) }
    }
    return isPrompt ? try withPromptConnection(run) : try withConnection(run)
  }
}

/// What this machine has of a store, found by the address alone, without the server.
///
/// A file in the cache folder, named by a hash of the address, has the store's id. Its time says when
/// the newest snapshot was last known to be the current one.
struct PostgresReplica {
  /// The prefix of the paths of this store's files.
  let prefix: String

  private let folder: String
  private var path: String { prefix + ".store" }

  init(of address: PostgresAddress, in folder: String) {
    let hash = SHA256.hexDigest(of: Array("\(address.connection)\n\(address.schema)".utf8))
    self.folder = folder
    prefix = "\(folder)/\(hash.prefix(16))"
  }

  /// Notes that the newest snapshot is the current one, unless the folder cannot be written.
  func note(_ storeID: StoreID) {
    if known() == storeID {
      utimes(path, nil)
    } else {
      try? write(storeID)
    }
  }

  /// The newest snapshot, and how long ago it was known to be the current one; nil if there is none.
  func newest() -> (snapshot: Snapshot, age: Duration)? {
    guard let storeID = known() else { return nil }
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    // a clock that was set back must not give a negative age
    let age = max(0, (facts?[.modificationDate] as? Date).map { -$0.timeIntervalSinceNow } ?? 0)
    let snapshots = SnapshotFiles(of: storeID, in: folder)
    for generation in snapshots.generations().sorted(by: >) {
      guard let snapshot = try? Snapshot(path: snapshots.path(of: generation)),
        snapshot.generation == generation
      else { continue }
      return (snapshot, .seconds(age))
    }
    return nil
  }

  private func write(_ storeID: StoreID) throws(SnapshotError) {
    let file = try ReplacementFile(for: path, access: .thisUser)
    try file.append(Array((storeID.text + "\n").utf8))
    try file.takePlace()
  }

  private func known() -> StoreID? {
    guard let file = FileHandle(forReadingAtPath: path),
      let bytes = try? file.read(upToCount: 64)
    else { return nil }
    return StoreID(String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self))
  }
}

/// The snapshots of a store in PostgreSQL that this machine has: `FOLDER/STORE-ID.17.geoqx`.
extension SnapshotFiles {
  init(of storeID: StoreID, in folder: String) {
    self.init(database: folder + "/" + storeID.text)
  }

  /// Whether a generation has a file.
  func has(_ generation: Int) -> Bool { access(path(of: generation), F_OK) == 0 }

  /// The snapshot of the current generation, which is made first if its file is missing or unusable.
  ///
  /// - Throws: `StoreError` and `PostgresFailure` if the tables cannot be read; `SnapshotError` if it
  ///   can be written neither into the folder nor into that for temporary files.
  func current(_ connection: PostgresConnection, _ notice: (String) -> Void) throws -> Snapshot {
    do {
      return try open(try connection.state())
    } catch let problem as SnapshotProblem {
      if !problem.isMissing {
        notice("\(problem.path): unusable, because \(problem.reason); rebuilding")
      }
    }
    return try connection.transaction(.reading) {
      // an import may have been committed meanwhile
      let state = try connection.state()
      if let snapshot = try? open(state) { return snapshot }
      return try make(connection, state, notice)
    }
  }

  /// Verifies the snapshot of the current generation, and rebuilds it if it is damaged or missing.
  func repair(_ connection: PostgresConnection, _ notice: (String) -> Void) throws {
    try connection.transaction(.reading) {
      let state = try connection.state()
      do {
        return try open(state).verify()
      } catch let problem as SnapshotProblem {
        if !problem.isMissing { notice("\(problem.path): \(problem.reason); rebuilding") }
      } catch let error as SnapshotError {
        notice("\(error); rebuilding")
      }
      _ = try make(connection, state, notice)
    }
  }

  private func make(
    _ connection: PostgresConnection,
    _ state: StoreState,
    _ notice: (String) -> Void
  ) throws -> Snapshot {
    // if the folder cannot be made, making the file fails
    try? FileManager.default.createDirectory(
      atPath: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    let file = path(of: state.generation)
    let old = try newest(before: state, connection)
    do {
      try connection.writeSnapshot(state, from: old, to: file)
      sweep(keeping: state.generation)
      return try Snapshot(path: file)
    } catch let error as SnapshotError {
      let temporary = FileManager.default.temporaryDirectory.path + "/geoq-\(randomDigits()).geoqx"
      defer { unlink(temporary) }
      try connection.writeSnapshot(state, from: old, to: temporary)
      notice("\(error); a temporary one is used: \(Remedy.chooseFolder)")
      return try Snapshot(path: temporary)
    }
  }

  /// The newest snapshot of this machine from which a state can be made; nil if there is none.
  ///
  /// A damaged one is not used: the new checksums would hide its damage.
  private func newest(
    before state: StoreState,
    _ connection: PostgresConnection
  ) throws -> Snapshot? {
    for generation in generations().sorted(by: >) where generation < state.generation {
      guard let snapshot = try? Snapshot(path: path(of: generation)),
        snapshot.generation == generation,
        try connection.remembers(
          StoreState(generation: generation, edition: snapshot.storeID)
        ),
        (try? snapshot.verifyBytes()) != nil
      else { continue }
      return snapshot
    }
    return nil
  }
}

extension PostgresConnection {
  /// Writes the snapshot of the rows, in a transaction: of all of them, or of an older snapshot and the rows
  /// that have changed since.
  ///
  /// The rows come by one COPY in any order, and are sorted here, so that the server need not sort them for
  /// every replica.
  ///
  /// - Parameters:
  ///   - state: The state of the transaction.
  ///   - old: A sound snapshot of a generation that `remembers(_:)`.
  ///   - file: The path of the file.
  /// - Throws: `SnapshotError` if the file cannot be written; `StoreError` and `PostgresFailure` if the
  ///   rows cannot be read.
  func writeSnapshot(_ state: StoreState, from old: Snapshot? = nil, to file: String) throws {
    var merge = SnapshotMerge(old)
    let since = old.map { " WHERE generation > \($0.generation)" } ?? ""
    if old != nil {
      try copyOut("SELECT id FROM geoq_removed" + since, columns: 1) { row in
        if let id = row.utf8(0) { merge.remove(id: id) }
      }
    }
    let corrections = Corrections(try corrections())
    var spool = RowSpool(beside: file)
    var packed: [UInt8] = []
    // an error of the file must not end the connection, which is used again
    var failure: SnapshotError?
    try copyOut(
      "SELECT \(PostgresSchema.selection) FROM restaurants" + since,
      columns: PostgresSchema.columns.count
    ) { row in
      guard failure == nil else { return }
      packed.removeAll(keepingCapacity: true)
      try pack(row, to: &packed)
      guard corrections.apply(to: &packed) else {
        if let id = row.utf8(0) { merge.remove(id: id) }
        return
      }
      do {
        try packed.withUnsafeBytes { record in
          if let point = PackedRecord.coordinate(of: record) { try spool.append(record, at: point) }
        }
      } catch let error as SnapshotError {
        failure = error
      }
    }
    if let failure { throw failure }
    try spool.write(merge, state, to: file, access: .thisUser)
  }
}
