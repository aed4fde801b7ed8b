import Foundation
import GRDB
import GeoFeed
import GeoQuery

/// SQLite's check of a database, on a separate thread while the feed is read.
struct IntegrityCheck {
  private let result = BoundedQueue<String>(capacity: 1)

  /// Starts the check.
  init(_ file: StoreFile) {
    // `read` closes before the result is reported: the last connection to close removes the side
    // files
    result.fill { _ = $0.put(try Self.answer(file)) }
  }

  private static func answer(_ file: StoreFile) throws -> String {
    let answer = try file.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
    return answer ?? "no answer"
  }

  /// The problem of the database; nil if there is none.
  ///
  /// Waits for the end of the check.
  ///
  /// - Throws: `StoreError` if the database cannot be read.
  func problem() throws -> String? {
    guard let answer = try result.take() else { return nil }
    return answer == "ok" ? nil : answer
  }

  /// Waits for the end of the check.
  func wait() { result.waitForEnd() }
}
