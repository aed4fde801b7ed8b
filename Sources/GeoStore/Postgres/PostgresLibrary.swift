import CPostgres

/// The library libpq, loaded when a store in PostgreSQL is opened.
///
/// So the build needs neither its headers nor the library, and the tool runs on files without it.
typealias PostgresLibrary = geoq_pq

extension PostgresLibrary {
  /// The library of this process.
  ///
  /// - Throws: `MissingLibrary`.
  static func loaded() throws -> PostgresLibrary { try shared.get() }

  private static let shared = Result { try PostgresLibrary(names: names) }

  #if canImport(Glibc)
  private static let names = ["libpq.so.5"]
  #else
  private static let names = [
    "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib",
    "libpq.5.dylib",
  ]
  #endif

  /// Loads the first of some libraries that is installed.
  ///
  /// - Throws: `MissingLibrary`.
  init(names: [String]) throws {
    let library = try SharedLibrary(
      "libpq, which talks to PostgreSQL,",
      of: "libpq5 on Debian, libpq with Homebrew",
      names: names
    )
    let place = UnsafeMutablePointer<PostgresLibrary>.allocate(capacity: 1)
    defer { place.deallocate() }
    if let missing = geoq_pq_find(place, library.handle) {
      throw library.missing("it has no \(String(cString: missing))")
    }
    self = place.pointee
  }
}
