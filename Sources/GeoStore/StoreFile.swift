import Foundation
import GRDB
import GeoFeed
import GeoQuery

/// A database file before it is opened: whether it is geoq's, and how it may be read.
///
/// The first look takes the file's own header, so that another program's database is never opened
/// and keeps every byte.
struct StoreFile {
  let path: String

  /// What a path holds.
  enum Content: Equatable {
    /// Nothing yet: no file.
    case missing
    /// An empty file, or a database without a table.
    case empty
    /// A geoq database.
    case geoq
  }

  /// Looks at the file without changing it.
  ///
  /// - Throws: `StoreError` where it is a folder, unreadable, or not geoq's.
  func content() throws -> Content {
    var facts = stat()
    guard stat(absolutePath, &facts) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return .missing }
      throw StoreError(.permission, path: path, "may not be read; check its permissions")
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      let what = facts.st_mode & S_IFMT == S_IFDIR ? "a folder" : "a pipe or a device"
      throw StoreError(.unavailable, path: path, "is \(what); a database is a file")
    }
    guard access(absolutePath, R_OK) == 0 else {
      throw StoreError(.permission, path: path, "cannot be read; check its permissions")
    }
    if facts.st_size == 0 { return .empty }
    let header = DatabaseHeader.bytes(of: uri("immutable=1"))
    guard let header, header.starts(with: "SQLite format 3\0".utf8) else {
      throw StoreError(.foreign, path: path, "not a database; choose another file with --db")
    }
    let applicationID = header[68..<72].reduce(0 as Int32) { $0 << 8 | Int32($1) }
    if applicationID == Schema.applicationID { return .geoq }
    return try contentBySQLite()
  }

  /// Asks SQLite, which also reads a write-ahead log that has not reached the file yet.
  private func contentBySQLite() throws -> Content {
    try StoreError.wrapping(path) {
      let queue = try DatabaseQueue(
        path: uri(hasLog ? "mode=ro" : "immutable=1"),
        configuration: .reading
      )
      defer { try? queue.close() }
      return try queue.read { db in
        if try Int32.fetchOne(db, sql: "PRAGMA application_id") == Schema.applicationID {
          return .geoq
        }
        if try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0 { return .empty }
        throw StoreError(
          .foreign,
          path: path,
          "a database of another program, not of geoq; choose another file with --db"
        )
      }
    }
  }

  /// Opens the file for reading.
  ///
  /// SQLite's own read-only mode leaves `-wal` and `-shm` files behind, so where the folder can be
  /// written the file is opened normally and only ever asked; elsewhere it is opened as immutable. So
  /// it is where the disk has no room for these files: who writes would have them, and then there is
  /// nothing to make.
  func openForReading(_ configuration: Configuration = .reading) throws -> DatabaseQueue {
    try StoreError.wrapping(path) {
      guard isWritable else {
        return try DatabaseQueue(
          path: uri(hasLog ? "mode=ro" : "immutable=1"),
          configuration: configuration
        )
      }
      do {
        let queue = try DatabaseQueue(path: absolutePath, configuration: configuration)
        // the side files are made by the first look at the file, not by opening it
        _ = try queue.read { try Int.fetchOne($0, sql: "PRAGMA schema_version") }
        return queue
      } catch let error as DatabaseError where Self.meansNoRoom(error) && !hasLog {
        return try DatabaseQueue(path: uri("immutable=1"), configuration: configuration)
      }
    }
  }

  /// Whether SQLite failed because it cannot make or enlarge a file.
  static func meansNoRoom(_ error: DatabaseError) -> Bool {
    let sideFile: [ResultCode] = [
      .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMMAP,
    ]
    return [.SQLITE_FULL, .SQLITE_CANTOPEN].contains(error.resultCode)
      || sideFile.contains(error.extendedResultCode)
  }

  /// Whether the file and its folder may be written.
  var isWritable: Bool { access(path, W_OK) == 0 && access(folder, W_OK) == 0 }

  /// Checks the schema's version on an open database.
  func checkVersion(_ db: Database) throws {
    let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    let isGeoq =
      try Int32.fetchOne(db, sql: "PRAGMA application_id") == Schema.applicationID
    guard !isGeoq || found >= Schema.version else {
      throw StoreError(
        .corrupt,
        path: path,
        "made by a geoq from before its first release (schema \(found)); import its feeds into a "
          + "new file"
      )
    }
    guard found <= Schema.version else {
      throw StoreError(
        .newer,
        path: path,
        "made by a newer geoq (schema \(found), this one knows \(Schema.version)); update geoq"
      )
    }
  }

  /// Checks that a database can be made or written here.
  ///
  /// - Throws: `StoreError` where the folder is missing or may not be written.
  func checkFolder() throws {
    guard FileManager.default.fileExists(atPath: folder) else {
      throw StoreError(.unavailable, path: path, "the folder does not exist; make it first")
    }
    let places = [folder] + (FileManager.default.fileExists(atPath: path) ? [absolutePath] : [])
    for place in places where access(place, W_OK) != 0 {
      throw StoreError(
        .permission,
        path: path,
        "\(place) may not be written; check its permissions"
      )
    }
  }

  /// The path as SQLite gets it: an absolute one is neither an address (`file:…`) nor a keyword
  /// (`:memory:`).
  var absolutePath: String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  }

  /// The path of the file itself, where the path given is a symbolic link.
  var resolvedPath: String { pathBehindLinks(absolutePath) }

  private var folder: String { (resolvedPath as NSString).deletingLastPathComponent }

  private var hasLog: Bool {
    let size = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
    return (size ?? 0) > 0
  }

  private func uri(_ parameters: String) -> String {
    let allowed = CharacterSet(charactersIn: "/._-~").union(.alphanumerics)
    let encoded = absolutePath.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    return "file:\(encoded)?\(parameters)"
  }
}

extension Database {
  /// Whether there is a table; GRDB's own question fetches the whole schema, which SpatiaLite fills with
  /// dozens.
  func tableIsThere(_ name: String) throws -> Bool {
    let sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return try Int.fetchOne(self, sql: sql, arguments: [name]) != nil
  }
}

extension StoreFile {
  /// Gives a complete database its name, where there is none or an empty one, and makes that durable.
  ///
  /// - Throws: `StoreError` where the disk does not take it.
  static func moveNew(_ temporary: String, to path: String, shown: String) throws {
    func failure(_ what: String) -> StoreError {
      let reason = String(cString: strerror(errno))
      return StoreError(.inputOutput, path: shown, "\(what) (\(reason)); nothing was changed")
    }
    guard sync(temporary) else { throw failure("the database cannot be brought to the disk") }
    // what a database left that was removed by hand would be taken for this one's log
    for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
    guard rename(temporary, path) == 0 else { throw failure("the database cannot get its name") }
    let folder = (path as NSString).deletingLastPathComponent
    guard sync(folder.isEmpty ? "/" : folder) else {
      let reason = String(cString: strerror(errno))
      throw StoreError(
        .inputOutput,
        path: shown,
        "the database is made, but its name may not outlive a power cut (\(reason)); import again"
      )
    }
  }

  private static func sync(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }
}

/// Sixteen hexadecimal digits for the name of a temporary file.
func randomDigits() -> String {
  let digits = String(UInt64.random(in: .min ... .max), radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}

extension Configuration {
  /// A connection that only asks.
  ///
  /// SpatiaLite is not set up: points are read from their bytes.
  static var reading: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA trusted_schema = OFF")
      try db.execute(sql: "PRAGMA query_only = ON")
      try db.execute(sql: "PRAGMA cell_size_check = ON")
    }
    return configuration
  }

  /// The one connection that writes: WAL, and every commit on disk before it is acknowledged.
  static var writing: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      try SpatiaLite.prepare(db)
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      try db.execute(sql: "PRAGMA synchronous = FULL")
      try db.execute(sql: "PRAGMA cache_size = -32768")
    }
    return configuration
  }
}
