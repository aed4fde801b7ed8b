import CPostgres
import Foundation
import GeoFeed
import GeoQuery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The library libpq, loaded when a store in PostgreSQL is opened.
///
/// So the build needs neither its headers nor the library, and the tool runs on files without it.
typealias PostgresLibrary = geoq_pq

extension PostgresLibrary {
  /// The library of this process.
  ///
  /// - Throws: `PostgresMissing`.
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
  /// - Throws: `PostgresMissing`.
  init(names: [String]) throws {
    // it stays until the process ends
    let handle = names.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first
    guard let handle else {
      throw PostgresMissing(reason: dlerror().map { String(cString: $0) } ?? "no reason given")
    }
    let place = UnsafeMutablePointer<PostgresLibrary>.allocate(capacity: 1)
    defer { place.deallocate() }
    if let missing = geoq_pq_find(place, handle) {
      throw PostgresMissing(reason: "it has no \(String(cString: missing))")
    }
    self = place.pointee
  }
}

/// libpq is not installed, or not in a version that has all functions.
struct PostgresMissing: Error, CustomStringConvertible {
  let reason: String

  /// What is missing, why, and what to do.
  var description: String {
    "libpq, which talks to PostgreSQL, cannot be loaded (\(shortened(reason, to: 200))); install it: "
      + "libpq5 on Debian, libpq with Homebrew"
  }
}
