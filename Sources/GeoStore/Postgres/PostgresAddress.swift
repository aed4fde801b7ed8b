import Foundation
import GeoFeed
import GeoQuery

/// The address of a store in PostgreSQL: `postgresql://[user@]host[,host2]/database[?schema=NAME&…]`.
///
/// Everything except `schema` is passed to libpq. A password belongs in `PGPASSWORD`, `~/.pgpass` or a
/// service file: other users can see command lines, and shells keep them.
package struct PostgresAddress: Sendable, Hashable {
  /// The address without `schema`, for libpq.
  let connection: String

  /// The schema that has geoq's tables.
  package let schema: String

  /// The address as messages show it: without options.
  package let shown: String

  /// The schema if the address names none.
  package static let defaultSchema = "geoq"

  private static let schemes = ["postgresql://", "postgres://"]
  private static let most = 4_096

  /// Whether a text is an address of PostgreSQL rather than the name of a file.
  package static func isAddress(_ text: String) -> Bool {
    schemes.contains { text.utf8.starts(with: $0.utf8) }
  }

  /// Reads an address.
  ///
  /// - Throws: `Problem`, which never repeats any part of the address.
  package init(_ text: String) throws(Problem) {
    guard text.utf8.count <= Self.most else { throw Problem("it has more than 4096 bytes") }
    guard let scheme = Self.schemes.first(where: { text.utf8.starts(with: $0.utf8) }) else {
      throw Problem("it does not begin with postgresql://")
    }
    let bytes = Array(text.utf8.dropFirst(scheme.utf8.count))
    guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw Problem("it has a blank or a control character; write a blank as %20")
    }
    let query = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
    let place = bytes[..<query]
    let slash = place.firstIndex(of: UInt8(ascii: "/")) ?? place.endIndex
    try Self.refusePassword(in: place, before: slash)
    var options: [ArraySlice<UInt8>] = []
    var schema = Self.defaultSchema
    for option in bytes[min(query + 1, bytes.count)...].split(separator: UInt8(ascii: "&")) {
      let parts = option.split(
        separator: UInt8(ascii: "="),
        maxSplits: 1,
        omittingEmptySubsequences: false
      )
      guard parts.count == 2, let key = Self.decoded(parts[0]) else {
        throw Problem("its options are not NAME=VALUE")
      }
      if ["password", "sslpassword"].contains(key) { throw Problem.password }
      guard key == "schema" else {
        options.append(option)
        continue
      }
      guard let name = Self.decoded(parts[1]) else { throw Problem("its schema is not UTF-8") }
      schema = name
    }
    guard Self.isSchema(schema) else {
      throw Problem(
        "a schema has a name of 1 to 63 bytes that does not begin with pg_ and is not "
          + "information_schema"
      )
    }
    self.schema = schema
    let tail = options.isEmpty ? "" : "?" + options.map(Self.text).joined(separator: "&")
    connection = "postgresql://" + Self.text(place) + tail
    let named = schema == Self.defaultSchema ? "" : "?schema=" + schema
    shown = "postgresql://" + shortened(Self.text(place), to: 200) + named
  }

  /// A name quoted for SQL, whatever it contains.
  static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }

  /// The schema, quoted for SQL.
  var quotedSchema: String { Self.quoted(schema) }

  // text between a colon and @ is a password; one that contains / or @ and is not percent-encoded
  // leaves a remainder that gives it away
  private static func refusePassword(
    in place: ArraySlice<UInt8>,
    before slash: Int
  ) throws(Problem) {
    let authority = place[..<slash]
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
      if authority[..<at].contains(UInt8(ascii: ":")) { throw Problem.password }
    } else if place[slash...].contains(UInt8(ascii: "@")), authority.contains(UInt8(ascii: ":")) {
      throw Problem.password
    }
  }

  private static func isSchema(_ name: String) -> Bool {
    let lowercase = name.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
    return (1...63).contains(name.utf8.count) && !name.utf8.contains { $0 < 0x20 || $0 == 0x7F }
      && !lowercase.starts(with: "pg_".utf8)
      && !lowercase.elementsEqual("information_schema".utf8)
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
    text(bytes).removingPercentEncoding
  }

  /// What is wrong with an address.
  package struct Problem: Error, Sendable, CustomStringConvertible {
    /// What is wrong and what to do, without any part of the address.
    package let description: String

    init(_ problem: String) {
      description =
        "the address of PostgreSQL cannot be used: \(problem); "
        + "expected postgresql://[user@]host/database[?schema=NAME]"
    }

    private init(whole description: String) {
      self.description = description
    }

    static let password = Problem(
      whole: "the address of PostgreSQL must not have a password; "
        + "put it into PGPASSWORD, ~/.pgpass or a service file"
    )
  }
}
