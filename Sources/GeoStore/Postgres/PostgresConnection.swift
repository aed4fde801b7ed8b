import CPostgres
import Foundation
import GeoFeed
import GeoQuery

/// A connection to PostgreSQL, used by one thread at a time.
///
/// Arguments are sent as bytes, separately from the statement, and results come back in binary: a value is
/// never part of a statement's text.
final class PostgresConnection {
  let address: PostgresAddress
  let library: PostgresLibrary
  private(set) var handle: UnsafeMutableRawPointer?
  // a COPY that has not been ended
  var isCopying = false
  private var limit: PostgresTimeLimit?

  /// The maximum size of a statement's arguments together, in bytes.
  private static let longestArgument = 64 << 20

  /// Connects.
  ///
  /// - Throws: `StoreError` that says what to do.
  init(_ address: PostgresAddress, for purpose: String) throws {
    self.address = address
    library = try StoreError.wrapping(address.shown) { try PostgresLibrary.loaded() }
    let name = "geoq \(purpose), process \(getpid()) on \(ProcessInfo.processInfo.hostName)"
    // the address overrides the options before it
    let words = [
      ("application_name", shortened(name, to: 63)), ("connect_timeout", "2"),
      // notices within half a minute that the server cannot be reached any more
      ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
      ("tcp_user_timeout", "15000"), ("dbname", address.connection), ("client_encoding", "UTF8"),
    ]
    let start = ContinuousClock.now
    handle = Self.withPointers(words.map(\.0)) { keywords in
      Self.withPointers(words.map(\.1)) { library.connect(keywords, $0, 1) }
    }
    guard let handle else {
      throw StoreError(.inputOutput, path: address.shown, "there is no memory for a connection")
    }
    _ = library.setNotice(handle, { _, _ in }, nil)
    guard library.status(handle) != GEOQ_PQ_CONNECTION_OK else { return }
    let needsPassword = library.needsPassword(handle) != 0
    // connects again for the SQLSTATE, which does not depend on the server's language
    if ContinuousClock.now - start < .seconds(1), !needsPassword {
      _ = library.setVerbosity(handle, GEOQ_PQ_ERRORS_VERBOSE)
      library.reset(handle)
      if library.status(handle) == GEOQ_PQ_CONNECTION_OK { return }
    }
    let failure = PostgresFailure(connecting: said)
    close()
    throw StoreError(connecting: failure, needsPassword: needsPassword, shown: address.shown)
  }

  deinit {
    close()
  }

  /// Closes the connection; the server undoes a transaction that is not committed.
  func close() {
    if let handle { library.finish(handle) }
    handle = nil
  }

  /// The user's name.
  var user: String { library.user(handle).map { String(cString: $0) } ?? "" }

  /// Runs a statement.
  @discardableResult
  func rows(_ sql: String, _ arguments: [String?] = []) throws -> PostgresRows {
    let result = try execute(sql, arguments)
    let status = library.resultStatus(result)
    guard status == GEOQ_PQ_TUPLES_OK || status == GEOQ_PQ_COMMAND_OK else {
      defer { library.clear(result) }
      throw failure(of: result)
    }
    return PostgresRows(library, result)
  }

  /// Subscribes to notices of imports; a read-only server sends none.
  func listen() throws {
    do {
      try rows("LISTEN \(PostgresSchema.channel)")
    } catch let failure as PostgresFailure where !failure.isLost {
      return
    }
  }

  /// Reads notices that have arrived, without a request to the server.
  ///
  /// - Returns: Whether a notice has come since the last call.
  /// - Throws: `PostgresFailure` if the connection is gone.
  func takeNotices() throws -> Bool {
    guard let handle, library.consumeInput(handle) == 1 else { throw failure }
    var hasCome = false
    while let notice = library.notification(handle) {
      library.free(notice)
      hasCome = true
    }
    return hasCome
  }

  /// Begins a COPY.
  func beginCopy(_ sql: String, status wanted: Int32) throws {
    let result = try execute(sql, [])
    defer { library.clear(result) }
    guard library.resultStatus(result) == wanted else { throw failure(of: result) }
    isCopying = true
  }

  /// Reads the server's result of a COPY that has ended.
  func endCopy() throws {
    isCopying = false
    var problem: PostgresFailure?
    while let result = library.nextResult(handle) {
      if library.resultStatus(result) != GEOQ_PQ_COMMAND_OK {
        problem = problem ?? failure(of: result)
      }
      library.clear(result)
    }
    if let problem { throw problem }
  }

  /// The failure that a result reports.
  private func failure(of result: UnsafeMutableRawPointer) -> PostgresFailure {
    let text = { (field: Int32) -> String in
      self.library.resultError(result, field).map { String(cString: $0) } ?? ""
    }
    let message = text(GEOQ_PQ_DIAG_MESSAGE_PRIMARY)
    return PostgresFailure(
      state: text(GEOQ_PQ_DIAG_SQLSTATE),
      message: message.isEmpty ? said : message,
      isLost: isLost
    )
  }

  /// libpq's last failure, for calls without a result.
  var failure: PostgresFailure { PostgresFailure(state: "", message: said, isLost: isLost) }

  private var isLost: Bool {
    handle == nil || library.status(handle) != GEOQ_PQ_CONNECTION_OK
  }

  private var said: String {
    library.errorMessage(handle).map { String(cString: $0) } ?? "no reason given"
  }

  private func execute(_ sql: String, _ arguments: [String?]) throws -> UnsafeMutableRawPointer {
    let bytes = arguments.map { $0.map { Array($0.utf8) + [0] } }
    let size = bytes.reduce(0) { $0 + ($1?.count ?? 0) }
    guard handle != nil, size <= Self.longestArgument else {
      let reason = handle == nil ? "the connection is closed" : "an argument is too long"
      throw PostgresFailure(state: "", message: reason, isLost: handle == nil)
    }
    let types = bytes.map { _ in GEOQ_PQ_TEXT_OID }
    let lengths = bytes.map { Int32(($0?.count ?? 1) - 1) }
    // as bytes with a length, so that a text does not end at a NUL
    let formats = bytes.map { _ in 1 as Int32 }
    let isSent = Self.withPointers(bytes) { values in
      library.send(handle, sql, Int32(bytes.count), types, values, lengths, formats, 1)
    }
    guard isSent == 1 else { throw failure }
    var last: UnsafeMutableRawPointer?
    do {
      while let result = try nextResult() {
        if let last { library.clear(last) }
        last = result
        let isCopy = [GEOQ_PQ_COPY_IN, GEOQ_PQ_COPY_OUT].contains(library.resultStatus(result))
        if isCopy || isLost { break }
      }
    } catch {
      if let last { library.clear(last) }
      throw error
    }
    guard let last else { throw failure }
    return last
  }

  private func nextResult() throws -> UnsafeMutableRawPointer? {
    guard let limit else { return library.nextResult(handle) }
    while library.isBusy(handle) != 0 {
      guard limit.wait(for: library.socket(handle), toCancel: cancel) else {
        close()
        throw PostgresFailure(
          state: "",
          message: "the server did not answer within \(limit.seconds) s",
          isLost: true
        )
      }
      // if the connection is gone, the next result says so
      if library.consumeInput(handle) != 1 { break }
    }
    return library.nextResult(handle)
  }

  /// Asks the server to end the statement; another thread does, since the server may be away.
  private func cancel() {
    guard let cancel = library.getCancel(handle) else { return }
    nonisolated(unsafe) let taken = cancel
    Thread.detachNewThread { [library] in
      var reason = [CChar](repeating: 0, count: 256)
      _ = library.cancel(taken, &reason, Int32(reason.count))
      library.freeCancel(taken)
    }
  }

  private static func withPointers<Result>(
    _ texts: [String],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
  ) -> Result {
    withPointers(texts.map { Array($0.utf8) + [0] } + [nil], body)
  }

  /// Calls a closure with the addresses of some byte arrays.
  private static func withPointers<Result>(
    _ texts: [[UInt8]?],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
  ) -> Result {
    let copies = texts.map { text -> UnsafeMutablePointer<CChar>? in
      guard let text else { return nil }
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
      for (index, byte) in text.enumerated() { copy[index] = CChar(bitPattern: byte) }
      return copy
    }
    defer { for copy in copies { copy?.deallocate() } }
    return copies.map { UnsafePointer($0) }.withUnsafeBufferPointer { body($0.baseAddress) }
  }
}

extension PostgresConnection {
  /// The isolation of a transaction.
  enum Mode: String {
    /// All statements see the same state of the database.
    case reading = "ISOLATION LEVEL REPEATABLE READ READ ONLY"
    /// Each statement sees what others have committed before it.
    case writing = "ISOLATION LEVEL READ COMMITTED READ WRITE"
  }

  /// Calls a closure in a transaction, which is undone if the closure throws.
  ///
  /// - Throws: `PostgresFailure`; errors of the closure.
  func transaction<Result>(_ mode: Mode, _ body: () throws -> Result) throws -> Result {
    try rows("BEGIN \(mode.rawValue)")
    let result: Result
    do {
      if mode == .writing { try makeDurable() }
      result = try body()
    } catch {
      undo()
      throw error
    }
    try commit()
    return result
  }

  /// Has the server acknowledge this transaction's commit only once it is on the disk.
  ///
  /// The message makes the commit wait for the standby even if there is nothing else to write: what was
  /// found done may be known to this server only.
  private func makeDurable() throws {
    try rows(
      """
      SELECT set_config('synchronous_commit', 'on', true)
      WHERE current_setting('synchronous_commit') = 'off'
      """
    )
    try rows("SELECT pg_logical_emit_message(true, 'geoq', '')")
  }

  private func commit() throws {
    do {
      // COMMIT of a failed transaction undoes it, and reports that only here
      guard try rows("COMMIT").command == "COMMIT" else {
        throw PostgresFailure(state: "25P02", message: "the transaction was undone", isLost: false)
      }
    } catch let failure as PostgresFailure where failure.isLost {
      throw unconfirmed("the connection was lost during the commit", because: failure.message)
    }
    // the server says COMMIT as well if it was told to stop waiting for its standby
    if let limit, limit.isOver {
      // others that wait for this connection are not to wait as long again
      close()
      throw unconfirmed(
        "the commit was not confirmed in time",
        because: "the server's standby gave no answer in \(limit.seconds) s"
      )
    }
  }

  private func unconfirmed(_ problem: String, because reason: String) -> StoreError {
    self.problem(
      .unavailable,
      "\(problem), so it may have happened; "
        + "repeating is safe (\(reason))"
    )
  }

  /// Runs a body whose statements have a time limit together, the commit's wait for a standby included.
  ///
  /// A limit that is already running is the one that counts.
  ///
  /// - Throws: What the body throws, as it does if the server does not answer in time.
  func within<Result>(_ seconds: Int, _ body: () throws -> Result) rethrows -> Result {
    guard limit == nil else { return try body() }
    limit = PostgresTimeLimit(seconds: seconds)
    defer { limit = nil }
    return try body()
  }

  private func undo() {
    // the server undoes it when the connection ends
    if limit?.isOver == true { return close() }
    if isCopying {
      _ = library.putEnd(handle, "geoq gave up")
      try? endCopy()
    }
    if (try? rows("ROLLBACK")) == nil { close() }
  }
}

extension PostgresAddress {
  /// Calls a closure and converts PostgreSQL's errors to `StoreError`.
  func wrapping<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let failure as PostgresFailure {
      throw StoreError(failure, shown: shown)
    }
  }
}
