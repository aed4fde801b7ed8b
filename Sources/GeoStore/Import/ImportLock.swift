import Foundation
import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// The snapshot before an import, checked on a separate thread while the feed is read.
struct VerifiedSnapshot {
  private let result = BoundedQueue<Snapshot>(capacity: 1)

  /// Starts the check.
  ///
  /// - Parameters:
  ///   - file: The database.
  ///   - state: The state that the snapshot must be of.
  init(_ file: StoreFile, _ state: StoreState) {
    result.fill { result in
      let snapshot = try SnapshotFiles(database: file.path).open(state)
      try snapshot.verify()
      _ = result.put(snapshot)
    }
  }

  /// The snapshot; nil if it is missing, unusable or damaged.
  ///
  /// Waits for the end of the check, and may be asked once.
  func sound() -> Snapshot? { (try? result.take()) ?? nil }
}

/// The lock of an import: one import at a time, while queries and other writers continue.
///
/// A file next to the database, locked with `flock`, which contains the process id; the lock ends
/// with the process.
final class ImportLock {
  private var descriptor: Int32 = -1
  private let path: String

  /// Takes the lock, and waits for another import to release it.
  ///
  /// If the folder is missing or cannot be written, there is no lock and no import that needs one.
  ///
  /// - Throws: `StoreError` of kind `busy` if another import holds it for too long, or of another
  ///   kind if the file cannot be created.
  init(database: String, seconds: Double = 5) throws {
    path = pathBehindLinks(database) + ".lock"
    // users who may write the database may wait for the lock
    let access = FileAccess(of: database)
    // the time of day may be set meanwhile
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
      let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
      let descriptor = open(path, flags, access == nil ? 0o644 : 0o600)
      guard descriptor >= 0 else {
        if [EACCES, EPERM, EROFS, ENOENT, ENOTDIR].contains(errno) { return }
        let reason = String(cString: strerror(errno))
        throw StoreError(
          .inputOutput,
          path: database,
          "its lock \(path) cannot be made (\(reason)); nothing was changed"
        )
      }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
        if isCurrent(descriptor) {
          self.descriptor = descriptor
          access?.give(to: descriptor)
          let owner = Array("\(getpid())\n".utf8)
          _ = write(descriptor, owner, owner.count)
          return
        }
        // its owner removed the file between the two calls
        close(descriptor)
        continue
      }
      let owner = Self.owner(descriptor)
      close(descriptor)
      guard ContinuousClock.now < end else {
        throw StoreError(
          .busy,
          path: database,
          "another import\(owner) is running on this database; try again when it is done"
        )
      }
      usleep(20_000)
    }
  }

  /// Whether an import of this process has the lock.
  static func isHeldByThisProcess(database: String) -> Bool {
    let descriptor = open(pathBehindLinks(database) + ".lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return owner(descriptor) == " (process \(getpid()))"
  }

  /// Removes the lock file of an import of this process, which is about to end.
  static func remove(database: String) { unlink(pathBehindLinks(database) + ".lock") }

  /// Whether an import is running.
  static func isHeld(database: String) -> Bool {
    let descriptor = open(pathBehindLinks(database) + ".lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0
  }

  deinit {
    guard descriptor >= 0 else { return }
    unlink(path)
    close(descriptor)
  }

  private func isCurrent(_ descriptor: Int32) -> Bool {
    FileIdentity(descriptor).map { $0 == FileIdentity(path) } ?? false
  }

  private static func owner(_ descriptor: Int32) -> String {
    let bytes = [UInt8](unsafeUninitializedCapacity: 32) { space, count in
      count = max(0, pread(descriptor, space.baseAddress, 32, 0))
    }
    let number = String(decoding: bytes.prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
    return number.isEmpty ? "" : " (process \(number))"
  }
}

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
    let answer = try file.read { try String.fetchOne($0.db, sql: "PRAGMA quick_check(1)") }
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
