import CSpatiaLite
import GeoFeed
import GeoQuery

/// The first bytes of a database file, read without opening the database.
///
/// The file is read through SQLite: when a process closes any descriptor of a file, the
/// system releases all its locks on that file (POSIX, fcntl), including those of SQLite's
/// connections, and another process may then remove the log that they write to. SQLite knows its
/// own descriptors, and closes none of a file while it holds a lock there (SQLite, How To Corrupt
/// An SQLite Database File, §2.2).
enum DatabaseHeader {
  /// The header of a file.
  ///
  /// - Parameter uri: The file as SQLite's URI with `immutable=1`, so that nothing is locked,
  ///   written or interpreted.
  /// - Returns: The bytes; nil if the file is shorter or cannot be read.
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
    var bytes = [UInt8](repeating: 0, count: 100)
    return read(file, &bytes, Int32(bytes.count), 0) == SQLITE_OK ? bytes : nil
  }
}
