import CPostgres
import Foundation
import GeoFeed
import GeoIndex
import GeoQuery

/// A row in PostgreSQL's binary form, valid until the next one; columns count from 0.
///
/// Numbers are big-endian, texts and JSON are in UTF-8. A value whose length is not that of its type counts
/// as missing.
struct PostgresRow: StoreRow {
  /// The bytes of each column; nil for NULL.
  var fields: [UnsafeRawBufferPointer?] = []

  func utf8(_ column: Int) -> UnsafeRawBufferPointer? { fields[column] }

  /// A `smallint`, `integer` or `bigint`.
  func integer(_ column: Int) -> Int64? {
    guard let bytes = fields[column] else { return nil }
    return switch bytes.count {
    case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    default: nil
    }
  }

  /// A `double precision`.
  func double(_ column: Int) -> Double? {
    guard let bytes = fields[column], bytes.count == 8 else { return nil }
    return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
  }

  /// A `boolean`.
  func bool(_ column: Int) -> Bool? {
    guard let bytes = fields[column], bytes.count == 1 else { return nil }
    return bytes[0] != 0
  }
}

/// The rows of a result, all in memory: for small results.
final class PostgresRows {
  private let library: PostgresLibrary
  private let result: UnsafeMutableRawPointer

  /// Frees the result when it is not used any more.
  init(_ library: PostgresLibrary, _ result: UnsafeMutableRawPointer) {
    self.library = library
    self.result = result
  }

  deinit {
    library.clear(result)
  }

  /// The number of rows.
  var count: Int { Int(library.rowCount(result)) }

  /// The number of rows that a command changed.
  var changedCount: Int {
    library.commandCount(result).flatMap { Int(String(cString: $0)) } ?? 0
  }

  /// The tag of the command, such as `COMMIT`.
  var command: String { library.commandStatus(result).map { String(cString: $0) } ?? "" }

  /// Calls a closure with a row, which is valid only during the call.
  func withRow<Result>(_ number: Int, _ body: (PostgresRow) throws -> Result) rethrows -> Result {
    let columns = library.columnCount(result)
    let row = PostgresRow(
      fields: (0..<columns).map { column in
        guard library.isNull(result, Int32(number), column) == 0 else { return nil }
        return UnsafeRawBufferPointer(
          start: library.value(result, Int32(number), column),
          count: Int(library.length(result, Int32(number), column))
        )
      }
    )
    return try withExtendedLifetime(self) { try body(row) }
  }

  /// The first row; nil if there is none.
  func first<Result>(_ body: (PostgresRow) throws -> Result) rethrows -> Result? {
    count > 0 ? try withRow(0, body) : nil
  }

  /// Every row.
  func map<Result>(_ body: (PostgresRow) throws -> Result) rethrows -> [Result] {
    try (0..<count).map { try withRow($0, body) }
  }
}

extension PostgresConnection: StoreConnection {
  var storeName: String { address.shown }

  static let now = "to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
  static let restaurantColumns = PostgresSchema.columns
  static let remedy = Remedy.verifyStore
  // it is the key of an index
  static let longestSourceName = 2_000

  static func elements(of parameter: String) -> String {
    "SELECT json_array_elements_text(\(parameter)::json)"
  }

  static func coordinate(of row: PostgresRow, from first: Int) -> Coordinate? {
    Coordinate(
      latitude: row.double(first + RestaurantField.latitude.column) ?? .nan,
      longitude: row.double(first + RestaurantField.longitude.column) ?? .nan
    )
  }

  /// Runs a query; nothing is equal to a text with NUL, which PostgreSQL cannot have.
  func fetch<Result>(
    _ sql: String,
    _ arguments: [String?],
    _ body: (PostgresRow) throws -> Result
  ) throws -> [Result] {
    if Self.haveNUL(arguments) { return [] }
    return try rows(sql, arguments).map(body)
  }

  @discardableResult
  func run(_ sql: String, _ arguments: [String?]) throws -> Int {
    Self.haveNUL(arguments) ? 0 : try rows(sql, arguments).changedCount
  }

  private static func haveNUL(_ arguments: [String?]) -> Bool {
    arguments.contains { $0?.utf8.contains(0) == true }
  }

  func insert(_ rows: [[StoreValue]], into table: String, _ columns: [String]) throws {
    var writer = try CopyWriter(self, into: "\(table) (\(columns.joined(separator: ", ")))")
    for row in rows {
      try writer.beginRow(columns: columns.count)
      for value in row {
        switch value {
        case .null: writer.putNull()
        case .text(let text): writer.put(text)
        case .real(let number): writer.put(number)
        case .integer(let number): writer.put(number)
        case .flag(let flag): writer.put(flag)
        }
      }
    }
    try writer.finish()
  }

  func hasColumn(_ column: String, of table: String) throws -> Bool {
    try has(
      "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = $2::name",
      [table, column]
    )
  }

  func owns(_ table: String) throws -> Bool {
    try has(
      "SELECT 1 FROM pg_class WHERE oid = $1::regclass AND pg_has_role(relowner, 'USAGE')",
      [table]
    )
  }

  func upgrade() throws {
    let schema = address.quotedSchema
    if try !hasColumn("field", of: "geoq_corrections") {
      for sql in PostgresSchema.corrections(schema) { try rows(sql) }
    }
    if try !hasColumn("digest", of: "geoq_areas") { try rows(PostgresSchema.areas(schema)) }
    try rows(#"UPDATE geoq_store SET "schemaVersion" = $1::integer"#, ["\(PostgresSchema.version)"])
  }

  func schemaVersion() throws -> Int {
    try number(#"SELECT CAST("schemaVersion" AS bigint) FROM geoq_store"#)
  }

  func announceOffers() throws { try tellListeners(of: try generation()) }

  func moveRestaurants(of source: String, to newName: String, generation: Int) throws {
    try run(
      "UPDATE restaurants SET source = $1, generation = $3::bigint WHERE source = $2",
      [newName, source, "\(generation)"]
    )
    var sources = SourceNumbers(key: try storeID().key)
    let (old, new) = (sources.number(of: source), sources.number(of: newName))
    let difference = sources.bound(sources.bound(0, to: old), to: new)
    try run(
      """
      UPDATE geoq_hashes h SET fingerprint = h.fingerprint # $2::bigint
      FROM restaurants r WHERE r.pk = h.pk AND r.source = $1 AND h.fingerprint <> 0
      """,
      [newName, "\(Int64(bitPattern: difference))"]
    )
  }
}
