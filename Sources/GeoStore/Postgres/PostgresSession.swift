import Foundation
import GeoFeed
import GeoQuery

/// The start of a session: checks of the server, and its settings.
enum PostgresSession {
  /// The oldest supported server, in the form of `server_version_num`.
  static let oldestServer = 130_000

  /// How many seconds the server may take for what needs little: a look at the store, a favorite.
  static let promptSeconds = 3

  /// Sets what statements rely on, and checks the server's version.
  ///
  /// A statement may take long, but does not wait long for a lock: another session may keep a table
  /// locked as long as it likes. That is a failure of its own, and so comes before the limit of a
  /// prompt statement.
  ///
  /// - Throws: `StoreError` if the server is too old.
  static func begin(_ connection: PostgresConnection) throws {
    let version = try connection.within(promptSeconds) {
      try connection.rows(
        """
        SELECT current_setting('server_version_num')::integer,
          set_config('search_path', $1, false), set_config('statement_timeout', '0', false),
          set_config('idle_in_transaction_session_timeout', '0', false),
          set_config('lock_timeout', '2s', false)
        """,
        ["pg_catalog, \(connection.address.quotedSchema), pg_temp"]
      ).first { Int($0.integer(0) ?? 0) }
    }
    if let sentence = problem(serverVersion: version ?? 0) {
      throw connection.problem(.unavailable, sentence)
    }
  }

  /// The error for a server that is too old; nil if it is not.
  static func problem(serverVersion: Int) -> String? {
    guard serverVersion < oldestServer else { return nil }
    return "the server is PostgreSQL \(serverVersion / 10_000); "
      + "geoq needs \(oldestServer / 10_000) or later"
  }

  /// The id of the store.
  ///
  /// - Throws: `StoreError` if there is none.
  static func storeID(_ connection: PostgresConnection) throws -> StoreID {
    if let id = try knownStoreID(connection) { return id }
    let schema = shortened(connection.address.schema, to: 63)
    throw connection.problem(
      .unavailable,
      "there is no store in the schema \"\(schema)\"; \(Remedy.makeTables)"
    )
  }

  /// The id of the store; nil if there is no such schema, or one without geoq's tables.
  ///
  /// - Throws: `StoreError` if it has a store that is newer, older or not geoq's.
  static func knownStoreID(_ connection: PostgresConnection) throws -> StoreID? {
    let address = connection.address
    if let name = try connection.within(promptSeconds, { try foreignObject(connection) }) {
      throw connection.problem(
        .corrupt,
        "another program has replaced a table of geoq or added a rule (\(shortened(name))); "
          + "import its feeds into another schema"
      )
    }
    do {
      let found = try connection.within(promptSeconds) {
        try connection.rows(
          """
          SELECT application, "schemaVersion"::bigint, "storeID"
          FROM \(address.quotedSchema).geoq_store
          """
        ).first { ($0.text(0), $0.integer(1), $0.text(2).flatMap(StoreID.init)) }
      }
      guard let (application, version, id) = found, application == PostgresSchema.application,
        let version
      else { throw foreign(address) }
      if let sentence = problem(version: version) {
        throw connection.problem(version > PostgresSchema.version ? .newer : .corrupt, sentence)
      }
      guard let id else { throw foreign(address) }
      return id
    } catch let failure as PostgresFailure {
      switch failure.state {
      case "42P01", "3F000": return nil
      // a table of that name with other columns, or something that is not a table
      case "42703", "42809", "42804", "42883", "42846": throw foreign(address)
      default: throw failure
      }
    }
  }

  /// The name of something that would run statements of its author when geoq uses its tables, perhaps
  /// without end: a view or another server's table in place of a table, or a rule.
  ///
  /// Triggers are allowed, because replication and audits add them.
  private static func foreignObject(_ connection: PostgresConnection) throws -> String? {
    try connection.rows(
      """
      SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1::text AND c.relname::text = ANY (string_to_array($2::text, ','))
        AND EXISTS (SELECT 1 FROM pg_attribute a JOIN pg_class s ON s.oid = a.attrelid
          WHERE s.relname = 'geoq_store' AND s.relnamespace = n.oid AND a.attname = 'storeID')
        AND (c.relkind NOT IN ('r', 'p') OR c.relhasrules)
      LIMIT 1
      """,
      [connection.address.schema, PostgresSchema.tables.joined(separator: ",")]
    ).first { $0.text(0) } ?? nil
  }

  /// The error for tables of a version that cannot be used; nil if they can.
  static func problem(version: Int64) -> String? {
    if version > PostgresSchema.version {
      return "made by a newer geoq (schema \(version), this one knows \(PostgresSchema.version)); "
        + "update geoq"
    }
    guard version < PostgresSchema.oldestVersion else { return nil }
    return "made by a geoq from before its first release (schema \(version)); "
      + "import its feeds into another schema"
  }

  /// The error for a schema that belongs to another program.
  static func foreign(_ address: PostgresAddress) -> StoreError {
    StoreError(
      .foreign,
      path: address.shown,
      "the schema \"\(shortened(address.schema, to: 63))\" has tables of another program; "
        + "choose another with ?schema=NAME"
    )
  }
}

/// The time that a server may take for some statements, and then a second to obey a cancel request.
///
/// `statement_timeout` does not cover a commit's wait for a standby.
final class PostgresTimeLimit {
  /// The limit.
  let seconds: Int

  /// Whether time ran out and a cancel was requested.
  private(set) var isOver = false

  private var end: ContinuousClock.Instant

  init(seconds: Int) {
    self.seconds = seconds
    end = .now + .seconds(seconds)
  }

  /// Waits until a server has sent something.
  ///
  /// - Parameters:
  ///   - socket: The connection's.
  ///   - cancel: Asks the server to stop; called once, when the time is over.
  /// - Returns: False if it does not react to that within a second.
  func wait(for socket: Int32, toCancel cancel: () -> Void) -> Bool {
    while true {
      let rest = ContinuousClock.now.duration(to: end) / .milliseconds(1)
      if rest <= 0 {
        if isOver { return false }
        isOver = true
        end = .now + .seconds(1)
        cancel()
        continue
      }
      var one = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      if poll(&one, 1, Int32(rest.rounded(.up))) > 0 { return true }
    }
  }
}

/// The error of PostgreSQL or libpq for a connection or a statement.
struct PostgresFailure: Error {
  /// The five characters of SQLSTATE; empty if the server did not send it.
  let state: String

  /// The message of the server or of libpq, in one line.
  let message: String

  /// Whether the connection is gone.
  var isLost = false

  /// Shortens libpq's text of a failed connection: drops the lines about its source code, and extracts the
  /// SQLSTATE of the verbose form.
  init(connecting text: String) {
    var lines: [Substring] = []
    var state = ""
    for line in text.utf8.prefix(4_096).split(separator: 0x0A) {
      var line = Substring(line)
      if line.utf8.starts(with: "LOCATION:".utf8) { continue }
      if let found = Self.state(in: line) {
        state = String(line[found])
        line = line[..<found.lowerBound] + line[found.upperBound...].dropFirst(2)
      }
      // one line for each host, with details indented
      lines.append(line.drop { $0 == "\t" || $0 == " " })
    }
    self.state = state
    message = shortened(lines.joined(separator: " "), to: 400)
  }

  /// Makes the failure of a statement.
  init(state: String, message: String, isLost: Bool) {
    self.state = state
    self.isLost = isLost
    let line = message.utf8.prefix(4_096).split(separator: 0x0A).map { String(Substring($0)) }
    self.message = shortened(line.joined(separator: " "), to: 400)
  }

  /// The range of the five characters in `FATAL:  28P01: …`.
  private static func state(in line: Substring) -> Range<String.Index>? {
    let bytes = line.utf8
    var position = bytes.startIndex
    while let colon = bytes[position...].firstIndex(of: UInt8(ascii: ":")) {
      position = bytes.index(after: colon)
      let blanks = bytes[position...].prefix(2)
      guard blanks.elementsEqual("  ".utf8) else { continue }
      let code = bytes[blanks.endIndex...].prefix(5)
      let isCode =
        code.count == 5 && code.allSatisfy { (0x30...0x39).contains($0) || $0 &- 0x41 < 26 }
      if isCode, bytes[code.endIndex...].starts(with: ": ".utf8) {
        return code.startIndex..<code.endIndex
      }
    }
    return nil
  }
}

extension StoreError {
  /// Converts the failure of a connection to an error that says what to do.
  init(connecting failure: PostgresFailure, needsPassword: Bool, shown: String) {
    let (kind, sentence): (Kind, String) =
      switch failure.state {
      case _ where needsPassword:
        (.permission, "the server wants a password; put it into PGPASSWORD or ~/.pgpass")
      case "28P01": (.permission, "the server refused the password; check PGPASSWORD and ~/.pgpass")
      case "28000": (.permission, "the server refused the user; check the name and pg_hba.conf")
      case "42501": (.permission, "the user may not connect to this database; grant CONNECT")
      case "3D000": (.unavailable, "there is no such database; make it with createdb")
      case "53300", "57P03":
        (.busy, "the server takes no connections now; try again")
      default: (.unavailable, "PostgreSQL cannot be reached; check host, port and server")
      }
    self.init(kind, path: shown, "\(sentence) (\(failure.message))")
  }

  /// Converts the failure of a statement to an error that says what to do.
  init(_ failure: PostgresFailure, shown: String) {
    let (kind, sentence) = Self.words(for: failure)
    let said = failure.state.isEmpty ? failure.message : "\(failure.state): \(failure.message)"
    self.init(kind, path: shown, "\(sentence) (\(said))")
  }

  private static func words(for failure: PostgresFailure) -> (Kind, String) {
    if failure.isLost || ["57P01", "57P02", "57P03"].contains(failure.state) {
      return (.unavailable, "the connection to PostgreSQL was lost; try again")
    }
    return switch failure.state {
    case "42501":
      (.permission, "the user has too few rights; docs/scaling.md lists those of reader and writer")
    case "25006":
      (
        .permission,
        "this server is read-only; add target_session_attrs=read-write to the address"
      )
    case "55P03": (.busy, "another session has locked a table; try again when it is done")
    case "40001", "40P01", "53300", "57014":
      (.busy, "PostgreSQL ended the statement; try again")
    case "53100", "53200", "58030":
      (.inputOutput, "PostgreSQL has no room left, or its disk failed; nothing was changed")
    case "54000": (.foreign, "a text is too long for an index of PostgreSQL; nothing was changed")
    case "22P05", "22021": (.foreign, "PostgreSQL rejected a text; nothing was changed")
    case "42P01", "42703", "3F000":
      (.foreign, "the tables are not as geoq made them; choose another schema with ?schema=NAME")
    default: (.corrupt, "PostgreSQL refused a statement; nothing was changed")
    }
  }
}
