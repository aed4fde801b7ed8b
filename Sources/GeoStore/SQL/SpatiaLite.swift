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
  /// - Throws: `MissingLibrary`.
  static func version() throws -> String {
    try SpatiaLiteLibrary.loaded().version().map { String(cString: $0) } ?? ""
  }

  /// The version of SQLite in use.
  static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

  /// Registers SpatiaLite's functions with a connection, and frees them when it closes.
  ///
  /// - Throws: `MissingLibrary`; `DatabaseError` if SQLite is out of memory.
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

/// The SpatiaLite library, loaded when the first connection needs it.
///
/// Queries do not need it, because they read points from their bytes. If it were linked, each start
/// of the tool would load it and the forty libraries that it needs, which takes longer than a
/// query.
struct SpatiaLiteLibrary: Sendable {
  let version: geoq_spatialite_version
  let initialize: geoq_spatialite_initialize
  let allocConnection: geoq_spatialite_alloc_connection
  let initConnection: geoq_spatialite_init_ex
  let setSilentMode: geoq_spatialite_set_silent_mode
  let cleanUp: geoq_spatialite_cleanup_ex

  /// The library of this process.
  ///
  /// - Throws: `MissingLibrary`.
  static func loaded() throws -> SpatiaLiteLibrary { try shared.get() }

  private static let shared = Result {
    let library = try SpatiaLiteLibrary()
    library.initialize()
    return library
  }

  #if canImport(Glibc)
  private static let names = ["libspatialite.so.8", "libspatialite.so.7", "libspatialite.so"]
  #else
  private static let names = ["/opt/homebrew/lib/libspatialite.dylib", "libspatialite.dylib"]
  #endif

  private init() throws {
    let library = try SharedLibrary(
      "SpatiaLite",
      of: "libspatialite-dev on Debian, libspatialite with Homebrew",
      names: Self.names
    )
    version = try library.function("spatialite_version")
    initialize = try library.function("spatialite_initialize")
    allocConnection = try library.function("spatialite_alloc_connection")
    initConnection = try library.function("spatialite_init_ex")
    setSilentMode = try library.function("spatialite_set_silent_mode")
    cleanUp = try library.function("spatialite_cleanup_ex")
  }
}
