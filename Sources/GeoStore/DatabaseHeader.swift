import CSpatiaLite
import GeoFeed
import GeoQuery

/// The first bytes of a database file, read without becoming one of its users.
///
/// A file is never opened behind SQLite's back: when a process closes any descriptor of a file, the
/// system takes away all locks that it has on that file (POSIX, fcntl), those of SQLite's connections
/// too, and another process may then remove the log that they write to. SQLite knows its own
/// descriptors, and closes none of a file while it holds a lock there (SQLite, How To Corrupt An SQLite
/// Database File, §2.2).
enum DatabaseHeader {
  static let length = 100

  /// The header of a file.
  ///
  /// - Parameter uri: The file as SQLite's URI, `immutable=1`: nothing is locked or written, and
  ///   nothing is understood of what the file holds.
  /// - Returns: The bytes; nil where the file is shorter or cannot be read.
  static func bytes(of uri: String) -> [UInt8]? {
    var connection: OpaquePointer?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    let opened = sqlite3_open_v2(uri, &connection, flags, nil)
    defer { sqlite3_close_v2(connection) }
    guard opened == SQLITE_OK else { return nil }
    var file: UnsafeMutablePointer<sqlite3_file>?
    let asked = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard asked == SQLITE_OK, let file, let read = file.pointee.pMethods?.pointee.xRead else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: length)
    return read(file, &bytes, Int32(length), 0) == SQLITE_OK ? bytes : nil
  }
}
