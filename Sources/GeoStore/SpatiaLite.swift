import CSpatiaLite
import GRDB
import GeoFeed
import GeoQuery

/// SpatiaLite's part of a connection.
///
/// The library is called directly, not loaded as an extension, so that SQL cannot load other
/// extensions.
enum SpatiaLite {
  /// The version of the library in use.
  ///
  /// - Throws: `SpatiaLiteMissing`.
  static func version() throws -> String {
    try SpatiaLiteLibrary.loaded().version().map { String(cString: $0) } ?? ""
  }

  /// The version of SQLite in use.
  static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

  /// Registers SpatiaLite's functions with a connection, and frees them when it closes.
  ///
  /// - Throws: `SpatiaLiteMissing`; `DatabaseError` if SQLite is out of memory.
  static func prepare(_ db: Database) throws {
    let library = try SpatiaLiteLibrary.loaded()
    let cache = library.allocConnection()
    library.initConnection(db.sqliteConnection, cache, 0)
    library.setSilentMode(cache)
    // GRDB has no hook for closing: SQLite destroys a function's context with its connection
    let code = sqlite3_create_function_v2(
      db.sqliteConnection,
      "geoq_spatialite_cache",
      0,
      SQLITE_UTF8,
      cache,
      { context, _, _ in sqlite3_result_null(context) },
      nil,
      nil,
      unsafeBitCast(library.cleanUp, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
    )
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  /// Calls one of SpatiaLite's functions that return 1 for success and never raise an error.
  ///
  /// - Throws: `DatabaseError` with the call, if it returns anything else.
  static func call(_ db: Database, _ expression: String) throws {
    guard try Int.fetchOne(db, sql: "SELECT \(expression)") == 1 else {
      throw DatabaseError(message: "SpatiaLite refused \(expression)")
    }
  }
}
