import GeoFeed
import GeoQuery

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
    self.init(kind, path: shown, "\(sentence) (\(failure.message))", sqlState: failure.state)
  }

  /// Converts the failure of a statement to an error that says what to do.
  init(_ failure: PostgresFailure, shown: String, sql: String?) {
    let (kind, sentence) = Self.words(for: failure)
    let said = failure.state.isEmpty ? failure.message : "\(failure.state): \(failure.message)"
    self.init(kind, path: shown, "\(sentence) (\(said))", sql: sql, sqlState: failure.state)
  }

  private init(
    _ kind: Kind,
    path: String,
    _ message: String,
    sql: String? = nil,
    sqlState: String
  ) {
    self.init(kind, path: path, message, code: Int(sqlState), sql: sql)
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
