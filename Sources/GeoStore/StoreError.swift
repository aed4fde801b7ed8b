public import Foundation
import GRDB
import GeoFeed
import GeoQuery

/// What is wrong with a database file, and what to do about it.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// The kinds of errors.
  public enum Kind: Sendable {
    /// No such file, or SQLite cannot open it.
    case unavailable
    /// Not a geoq database: a file of another program, or not a database.
    case foreign
    /// Made by a newer geoq.
    case newer
    /// A geoq database that is damaged.
    case corrupt
    /// Another process holds the lock.
    case busy
    /// The file or its folder is not readable or writable.
    case permission
    /// No space is left, or the device failed.
    case inputOutput
    /// The import would remove most of a source's records.
    case shrinks
    /// The feed has hardly any of its source's restaurants.
    case replaces
    /// Most of the feed is identical to another source.
    case duplicates
    /// The import would move most of a source's restaurants by more than a kilometer.
    case moves
    /// The import would empty a field that most of a source's restaurants have.
    case empties
    /// There is no such source, or there already is one with that name.
    case source
    /// There is no such correction.
    case correction
    /// There are too many saved areas.
    case area
  }

  /// The kind of error.
  public let kind: Kind

  /// The file.
  public let path: String

  /// What was found, and what to do.
  public let message: String

  /// The source that the error is about.
  public let source: String?

  package init(_ kind: Kind, path: String, _ message: String, source: String? = nil) {
    self.kind = kind
    self.path = path
    self.message = message
    self.source = source
  }

  /// The file and the message as one sentence.
  public var description: String { "\(path): \(message)" }
}

extension StoreError: LocalizedError {
  /// The error as one sentence.
  public var errorDescription: String? { description }
}

extension DatabaseError {
  /// SQLite's number and message.
  var said: String {
    // the message is that of the connection, which may have none
    message == "not an error"
      ? "SQLite \(resultCode)"
      : "SQLite \(extendedResultCode.rawValue): \(message ?? "no reason given")"
  }
}

extension StoreError {
  /// Describes a database error.
  init(_ error: DatabaseError, path: String) {
    let (kind, advice) = Self.kind(of: error.resultCode)
    self.init(kind, path: path, "\(advice) (\(error.said))")
  }

  private static func kind(of code: ResultCode) -> (Kind, String) {
    switch code {
    case .SQLITE_NOTADB: (.foreign, "not a geoq database; \(Remedy.chooseDatabase)")
    case .SQLITE_CORRUPT: (.corrupt, "the database is damaged; import its feeds into a new file")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      (.busy, "another process is writing to the database; try again")
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
      (.permission, "the database or its folder cannot be written")
    case .SQLITE_FULL: (.inputOutput, "no space left for the database; nothing was changed")
    case .SQLITE_IOERR: (.inputOutput, "reading or writing the database failed")
    case .SQLITE_CANTOPEN:
      (.unavailable, "the database or a file next to it cannot be opened; check the folder")
    case .SQLITE_INTERRUPT:
      (.corrupt, "the database does not give a row in time; import its feeds into a new file")
    case .SQLITE_ABORT:
      // SpatiaLite rolls back by itself if a write fails
      (.inputOutput, "the import was undone: no space left, or the disk failed")
    default: (.corrupt, "the database refused a statement; \(Remedy.checkDatabase)")
    }
  }

  /// The error for a row that another program has written.
  static func damagedRow(of table: String, _ what: String, path: String) -> StoreError {
    StoreError(
      .corrupt,
      path: path,
      "a row of \(table) is damaged (\(shortened(what, to: 200))); import its feeds into a new file"
    )
  }

  /// Runs a block, and converts GRDB's errors.
  static func wrapping<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw StoreError(error, path: path)
    } catch is RowDecodingError {
      let reason = "a value is not of the type that geoq writes"
      throw damagedRow(of: "the database", reason, path: path)
    } catch let error as MissingLibrary {
      throw StoreError(.unavailable, path: path, error.description)
    }
  }
}
