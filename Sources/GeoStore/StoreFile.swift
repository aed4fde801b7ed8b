import CSpatiaLite
import Foundation
import GRDB
import GeoFeed
import GeoQuery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A database file before it is opened: whether it is geoq's, and how it can be read.
///
/// The file's header is read first, so that a database of another program is never opened or
/// changed.
struct StoreFile {
  let path: String

  /// What is at a path.
  enum Content: Equatable {
    /// There is no file.
    case missing
    /// An empty file, or a database without a table.
    case empty
    /// A geoq database.
    case geoq
  }

  /// Looks at the file without changing it.
  ///
  /// - Throws: `StoreError` if it is a folder, unreadable, or not geoq's.
  func content() throws -> Content {
    var facts = stat()
    guard stat(absolutePath, &facts) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return .missing }
      throw problem(.permission, "is not readable; check its permissions")
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      let what = facts.st_mode & S_IFMT == S_IFDIR ? "a folder" : "a pipe or a device"
      throw problem(.unavailable, "is \(what); a database is a file")
    }
    guard access(absolutePath, R_OK) == 0 else {
      throw problem(.permission, "cannot be read; check its permissions")
    }
    if facts.st_size == 0 { return .empty }
    guard let header, header.starts(with: "SQLite format 3\0".utf8) else {
      throw problem(.foreign, "not a database; \(Remedy.chooseDatabase)")
    }
    let applicationID = header[68..<72].reduce(0 as Int32) { $0 << 8 | Int32($1) }
    if applicationID == Schema.applicationID { return .geoq }
    return try contentBySQLite()
  }

  /// Finds the content with SQLite, which also reads a write-ahead log that is not in the file yet.
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
        throw problem(.foreign, "a database of another program; \(Remedy.chooseDatabase)")
      }
    }
  }

  /// Opens the file for reading.
  ///
  /// If the file is in WAL mode, SQLite's read-only mode leaves `-wal` and `-shm` files. So if the
  /// folder is writable, the file is opened normally and only read; otherwise it is opened as immutable. It is also opened as
  /// immutable if the disk has no room for these files: if another process were writing, they would
  /// exist already.
  ///
  /// - Returns: The connection, and whether SQLite notices changes of the file through it; a
  ///   connection that does not must be used once only, by `read`.
  func openForReading() throws -> (queue: DatabaseQueue, noticesChanges: Bool) {
    try StoreError.wrapping(path) {
      guard isWritable else {
        let hasLog = hasLog
        let place = uri(hasLog ? "mode=ro" : "immutable=1")
        return (try DatabaseQueue(path: place, configuration: .reading), hasLog)
      }
      do {
        let queue = try DatabaseQueue(path: absolutePath, configuration: .reading)
        // the first read creates the side files, not opening the file
        _ = try queue.read { try Int.fetchOne($0, sql: "PRAGMA schema_version") }
        return (queue, true)
      } catch let error as DatabaseError where Self.meansNoRoom(error) && !hasLog {
        return (try DatabaseQueue(path: uri("immutable=1"), configuration: .reading), false)
      }
    }
  }

  /// Runs a block in one read transaction of a new connection.
  ///
  /// If the file is opened as immutable and changes meanwhile, SQLite may have mixed old pages with
  /// new ones, so the block runs again.
  ///
  /// - Throws: `StoreError`, of kind `busy` if the file changes each time; errors of the block.
  func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    for _ in 0..<5 {
      let before = state
      let (queue, noticesChanges) = try openForReading()
      defer { try? queue.closeFile() }
      let result = Swift.Result {
        try StoreError.wrapping(path) {
          try queue.read { db in
            try checkVersion(db)
            return try body(SQLiteConnection(db, path: path))
          }
        }
      }
      if noticesChanges || before == state { return try result.get() }
    }
    throw problem(.busy, "another process is writing to the database; try again")
  }

  /// Runs a block in one write transaction of a new connection, which is durable when this returns: WAL
  /// and `synchronous = FULL`.
  ///
  /// - Parameters:
  ///   - emptiesLog: Whether the log is emptied then, even if the block fails: a large transaction would
  ///     stay in it if another process has the database open.
  ///   - body: What to do.
  /// - Returns: The result of the block.
  /// - Throws: `StoreError`; errors of the block.
  func write<Result>(
    emptiesLog: Bool = true,
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try checkFolder()
    return try StoreError.wrapping(path) {
      let queue = try DatabaseQueue(path: absolutePath, configuration: .writing)
      defer { try? queue.closeFile() }
      // a busy reader keeps the log for later, and the data is safe in it
      defer {
        if emptiesLog { _ = try? queue.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
      }
      return try queue.write { db in
        try checkVersion(db)
        return try body(SQLiteConnection(db, path: path))
      }
    }
  }

  /// What differs after a change of the file's contents, or if another file has replaced it; nil if there is none.
  ///
  /// These are facts of the file system, and SQLite's change counter, for changes within a tick of its clock.
  private var state: [Int]? {
    var facts = stat()
    guard stat(resolvedPath, &facts) == 0 else { return nil }
    #if canImport(Darwin)
    let times = [facts.st_mtimespec, facts.st_ctimespec]
    #else
    let times = [facts.st_mtim, facts.st_ctim]
    #endif
    let counter = header.map { $0[24..<28].map(Int.init) } ?? []
    return [
      Int(truncatingIfNeeded: facts.st_dev), Int(truncatingIfNeeded: facts.st_ino),
      Int(facts.st_size),
    ]
      + times.flatMap { [Int($0.tv_sec), Int($0.tv_nsec)] } + counter
  }

  private var header: [UInt8]? { DatabaseHeader.bytes(of: uri("immutable=1")) }

  /// Whether SQLite failed because it cannot create or enlarge a file.
  static func meansNoRoom(_ error: DatabaseError) -> Bool {
    let sideFile: [ResultCode] = [
      .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMMAP,
    ]
    return [.SQLITE_FULL, .SQLITE_CANTOPEN].contains(error.resultCode)
      || sideFile.contains(error.extendedResultCode)
  }

  /// The size of the file in bytes; nil if there is none.
  var size: Int? {
    try? FileManager.default.attributesOfItem(atPath: resolvedPath)[.size] as? Int
  }

  /// Whether the file and its folder are writable.
  var isWritable: Bool { access(path, W_OK) == 0 && access(folder, W_OK) == 0 }

  /// Checks the schema's version on an open database, and that geoq's tables are tables.
  func checkVersion(_ db: Database) throws {
    let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    let isGeoq =
      try Int32.fetchOne(db, sql: "PRAGMA application_id") == Schema.applicationID
    guard !isGeoq || found >= Schema.oldestVersion else {
      throw problem(
        .corrupt,
        "made by a geoq from before its first release (schema \(found)); import its feeds into a "
          + "new file"
      )
    }
    guard found <= Schema.version else {
      throw problem(
        .newer,
        "made by a newer geoq (schema \(found), this one knows \(Schema.version)); update geoq"
      )
    }
    if let name = try Schema.foreignObject(db) {
      throw problem(
        .corrupt,
        "another program has replaced a table of geoq or added a trigger (\(shortened(name))); "
          + "import its feeds into a new file"
      )
    }
  }

  /// An error of this file.
  func problem(_ kind: StoreError.Kind, _ message: String) -> StoreError {
    StoreError(kind, path: path, message)
  }

  /// Checks that a database can be created or written here.
  ///
  /// - Throws: `StoreError` if the folder is missing or is not writable.
  func checkFolder() throws {
    guard FileManager.default.fileExists(atPath: folder) else {
      throw problem(.unavailable, "the folder does not exist; create it first")
    }
    let places = [folder] + (FileManager.default.fileExists(atPath: path) ? [absolutePath] : [])
    for place in places where access(place, W_OK) != 0 {
      throw problem(.permission, "\(place) is not writable; check its permissions")
    }
  }

  /// The path for SQLite: an absolute path is neither an address (`file:…`) nor a keyword
  /// (`:memory:`).
  var absolutePath: String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  }

  /// The path at the end of a chain of symbolic links, whether or not the file exists.
  var resolvedPath: String {
    // from an absolute path, because Foundation takes a ~ at the start for the home folder
    var place = URL(fileURLWithPath: absolutePath).resolvingSymlinksInPath().path
    // Foundation leaves a link to a missing file unresolved; like Linux, follows at most 40
    for _ in 0..<40 {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: place) else {
        break
      }
      let folder = (place as NSString).deletingLastPathComponent
      let next = target.hasPrefix("/") ? target : folder + "/" + target
      place = URL(fileURLWithPath: next).resolvingSymlinksInPath().path
    }
    return place
  }

  var folder: String { (resolvedPath as NSString).deletingLastPathComponent }

  private var hasLog: Bool {
    var facts = stat()
    return stat(resolvedPath + "-wal", &facts) == 0 && facts.st_size > 0
  }

  /// The path as SQLite's URI.
  func uri(_ parameters: String) -> String {
    let allowed = CharacterSet(charactersIn: "/._-~").union(.alphanumerics)
    let encoded = absolutePath.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    return "file:\(encoded)?\(parameters)"
  }
}

extension DatabaseQueue {
  /// Closes the connection, and takes the file out of WAL mode if no other connection is open: every
  /// program can then read it, also in a read-only place.
  ///
  /// If the mode cannot be changed, the file stays as it is, and the next one to close tries again.
  func closeFile() throws {
    try? writeWithoutTransaction { try $0.leaveLog() }
    try close()
  }
}

extension Database {
  /// Puts the file into WAL mode and keeps it there until this connection is closed, so that readers and
  /// a writer do not wait for each other.
  ///
  /// SQLite itself does not wait for readers when the mode changes. A file system without shared memory
  /// keeps its mode.
  ///
  /// - Parameter wait: The maximum time to wait for readers.
  /// - Throws: `DatabaseError` if another program reads for too long, or the file cannot be written.
  func enterLog(wait: Duration = .seconds(5)) throws {
    let end = ContinuousClock.now + wait
    while true {
      do {
        guard try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL") == "wal" else { return }
        // from the first read on, no other connection can change the mode
        _ = try Int.fetchOne(self, sql: "PRAGMA schema_version")
        if try String.fetchOne(self, sql: "PRAGMA journal_mode") == "wal" { return }
      } catch let error as DatabaseError
        where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end
      {}
      usleep(2_000)
    }
  }

  /// Takes the file out of WAL mode, at once or not at all: this needs the file for itself.
  ///
  /// - Throws: `DatabaseError` if another connection is open, or the file cannot be written.
  fileprivate func leaveLog() throws {
    // nil after it was closed
    guard let sqliteConnection, sqlite3_db_readonly(sqliteConnection, "main") == 0,
      try String.fetchOne(self, sql: "PRAGMA journal_mode") == "wal"
    else { return }
    // the side files of this path belong to another file if this one was replaced
    var hasMoved: Int32 = 0
    sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    guard hasMoved == 0 else { return }
    try execute(sql: "PRAGMA busy_timeout = 0")
    try execute(sql: "PRAGMA query_only = OFF")
    try execute(sql: "PRAGMA synchronous = FULL")
    try execute(sql: "PRAGMA journal_mode = DELETE")
  }
}

extension StoreFile {
  /// Renames a complete database, unless another one is there that is not empty, and makes that
  /// durable.
  ///
  /// - Throws: `StoreError` if it cannot be written.
  static func moveNew(_ temporary: String, to path: String, shown: String) throws {
    func failure(_ what: String) -> StoreError {
      let reason = String(cString: strerror(errno))
      return StoreError(.inputOutput, path: shown, "\(what) (\(reason)); nothing was changed")
    }
    guard sync(temporary) else { throw failure("the database cannot be synced to the disk") }
    // the log of a database that was removed by hand would be taken for this one's
    for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
    guard rename(temporary, path) == 0 else { throw failure("the database cannot be renamed") }
    let folder = (path as NSString).deletingLastPathComponent
    guard sync(folder.isEmpty ? "/" : folder) else {
      let reason = String(cString: strerror(errno))
      throw StoreError(
        .inputOutput,
        path: shown,
        "the database is complete, but may be lost in a power failure (\(reason)); import again"
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
  /// A connection that only reads.
  ///
  /// SpatiaLite is not set up, because points are read from their bytes.
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

  /// A connection that writes, in WAL mode, with every commit on the disk before it returns.
  static var writing: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      try SpatiaLite.prepare(db)
      try db.enterLog()
      try db.execute(sql: "PRAGMA synchronous = FULL")
      try db.execute(sql: "PRAGMA cache_size = -32768")
    }
    return configuration
  }
}

/// A database of another program, before GDAL reads it.
package enum ForeignDatabase {
  /// Modules of virtual tables that are part of the formats, and that read nothing but the file.
  private static let modules: Set = [
    "rtree", "fts3", "fts4", "fts5", "virtualspatialindex", "virtualelementary", "virtualknn",
    "virtualknn2",
  ]

  /// Looks for a virtual table that may read other files.
  ///
  /// - Parameter path: The file; one that is not a database has none.
  /// - Returns: The table's name; nil if there is none.
  package static func tableOfOtherFiles(_ path: String) -> String? {
    var configuration = Configuration()
    configuration.readonly = true
    let tables = try? DatabaseQueue(path: path, configuration: configuration).read { db in
      // as SQLite has read them, however their SQL is written
      try Row.fetchAll(
        db,
        sql: """
          SELECT l.name, m.sql FROM pragma_table_list AS l LEFT JOIN sqlite_master AS m ON m.name = l.name
          WHERE l.schema = 'main' AND l.type = 'virtual'
          """
      )
    }
    return tables?.lazy.compactMap { row -> String? in
      let (name, sql) = (row["name"] as String? ?? "", (row["sql"] as String? ?? "").lowercased())
      let start = "create virtual table "
      let rest = sql.hasPrefix(start) ? sql.dropFirst(start.count) : ""
      let isKnown = [name, "\"\(name)\"", "'\(name)'", "[\(name)]", "`\(name)`"].contains {
        written in
        let start = written.lowercased()
        guard rest.hasPrefix(start) else { return false }
        let words = rest.dropFirst(start.count).split { " \t\n(".contains($0) }
        return words.count > 1 && words[0] == "using" && modules.contains(String(words[1]))
      }
      return isKnown ? nil : name
    }.first
  }
}

/// The identity of a file: equal for two paths or descriptors of the same file.
package struct FileIdentity: Equatable, Sendable {
  private let device: UInt64
  private let number: UInt64

  /// The file at a path; nil if there is none or it is not accessible.
  package init?(_ path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    self.init(facts)
  }

  /// The file that is open; nil for a descriptor that is not.
  init?(_ descriptor: Int32) {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return nil }
    self.init(facts)
  }

  private init(_ facts: stat) {
    device = UInt64(truncatingIfNeeded: facts.st_dev)
    number = UInt64(truncatingIfNeeded: facts.st_ino)
  }
}
