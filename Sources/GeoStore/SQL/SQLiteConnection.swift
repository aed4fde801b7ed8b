import CSpatiaLite
import Foundation
import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// A connection to a database file, in a transaction: everything read through it is of one generation.
struct SQLiteConnection: StoreConnection {
  let db: Database
  let path: String

  init(_ db: Database, path: String) {
    self.db = db
    self.path = path
  }

  var storeName: String { path }
  static let now = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
  static let restaurantColumns = ["geom"] + RestaurantField.stored.map { "\"\($0.rawValue)\"" }
  /// The same columns, for SELECT: SQLite would take the quoted name of a missing one for a text.
  static let selection = "geom, " + RestaurantField.stored.map(\.rawValue).joined(separator: ", ")
  static let remedy = Remedy.checkDatabase
  static let longestSourceName = Int.max

  static func elements(of parameter: String) -> String {
    "SELECT value FROM json_each(\(parameter))"
  }

  static func coordinate(of row: SQLiteRow, from first: Int) -> Coordinate? {
    PointBlob.decode(row.bytes(first))
  }

  func fetch<Result>(
    _ sql: String,
    _ arguments: [String?],
    _ body: (SQLiteRow) throws -> Result
  ) throws -> [Result] {
    let statement = try SQLStatement(db, Self.numbered(sql))
    defer { statement.close() }
    for (index, text) in arguments.enumerated() { statement.bind(copyOf: text, at: index + 1) }
    var results: [Result] = []
    while try statement.step() { results.append(try body(statement.row)) }
    return results
  }

  @discardableResult
  func run(_ sql: String, _ arguments: [String?]) throws -> Int {
    try db.execute(sql: Self.numbered(sql), arguments: StatementArguments(arguments))
    return db.changesCount
  }

  func insert(_ rows: [[StoreValue]], into table: String, _ columns: [String]) throws {
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let statement = try db.makeStatement(
      sql: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))"
    )
    for row in rows { try statement.execute(arguments: StatementArguments(row.map(\.inSQLite))) }
  }

  func hasColumn(_ column: String, of table: String) throws -> Bool {
    try has("SELECT 1 FROM pragma_table_info($1) WHERE name = $2", [table, column])
  }

  func owns(_ table: String) -> Bool { true }

  func within<Result>(_ seconds: Int, _ body: () throws -> Result) rethrows -> Result {
    var end = ContinuousClock.now + .seconds(seconds)
    return try withUnsafeMutablePointer(to: &end) { end in
      sqlite3_progress_handler(
        db.sqliteConnection,
        10_000,
        { $0?.load(as: ContinuousClock.Instant.self) ?? .now < .now ? 1 : 0 },
        end
      )
      defer { sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }
      return try body()
    }
  }

  func upgrade() throws {
    for (table, creation) in [
      ("geoq_corrections", Corrections.creation), ("geoq_areas", SavedArea.creation),
    ] where try !db.tableExists(table) {
      try db.execute(sql: creation)
    }
    try db.execute(sql: "PRAGMA user_version = \(Schema.version)")
  }

  func schemaVersion() throws -> Int { try number("SELECT user_version FROM pragma_user_version") }

  // readers look at the file
  func announceOffers() {}

  /// The number of restaurants.
  func count() throws -> Int { try number("SELECT count(*) FROM restaurants") }

  /// A statement with its arguments in the form in which SQLite counts them.
  private static func numbered(_ sql: String) -> String { sql.replacing("$", with: "?") }
}

extension StoreValue {
  /// As SQLite stores it: a truth value is a number.
  fileprivate var inSQLite: DatabaseValue {
    switch self {
    case .null: .null
    case .text(let text): text.databaseValue
    case .real(let number): number.databaseValue
    case .integer(let number): number.databaseValue
    case .flag(let flag): flag.databaseValue
    }
  }
}
