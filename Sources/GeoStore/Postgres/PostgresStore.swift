import Foundation
import GeoFeed
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
  let snapshots: PostgresSnapshots

  private let lock = NSRecursiveLock()
  private let connection: PostgresConnection
  private let replica: PostgresReplica
  private var lastLook: ContinuousClock.Instant?

  /// How often the edition is queried if no notice arrives: a notice may be lost.
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
    snapshots = PostgresSnapshots(folder: cache, storeID: storeID)
    replica = PostgresReplica(of: address, in: cache)
  }

  package func close() {
    lock.withLock { connection.close() }
  }

  package func edition() throws -> RestaurantStore.Edition {
    let state = try withPromptConnection { try $0.state() }
    if snapshots.has(state.generation) { replica.note(storeID) }
    return RestaurantStore.Edition(number: state.edition, generation: state.generation)
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
      let run = PostgresImport(connection, storeID, request)
      return switch stream.format.content {
      case .restaurants: try run.run(stream)
      case .chains: try PostgresOfferImport<Chain>(run).run(stream)
      case .offers: try PostgresOfferImport<Offer>(run).run(stream)
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
