import Foundation
import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// A value that another thread computes, while the feed is read.
struct Background<Value: Sendable> {
  private let result = BoundedQueue<Value>(capacity: 1)

  /// Starts to compute it.
  init(_ compute: @escaping @Sendable () throws -> Value) {
    result.fill { _ = $0.put(try compute()) }
  }

  /// Waits for the value, which may be asked for once.
  ///
  /// - Throws: The error of the other thread.
  func value() throws -> Value? { try result.take() }

  /// Waits until the other thread has ended.
  func wait() { result.waitForEnd() }
}

extension StoreFile {
  /// Checks the snapshot of a state; it is an error if it is missing, unusable or damaged.
  func verifiedSnapshot(_ state: StoreState) -> Background<Snapshot> {
    Background {
      let snapshot = try SnapshotFiles(database: path).open(state)
      try snapshot.verify()
      return snapshot
    }
  }

  /// SQLite's check of the database: its problem, or `ok`.
  func checkIntegrity() -> Background<String> {
    // `read` closes before the result is reported: the last connection to close removes the side
    // files
    Background {
      try read { try String.fetchOne($0.db, sql: "PRAGMA quick_check(1)") } ?? "no answer"
    }
  }
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
    path = Self.path(of: database)
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
    let descriptor = open(path(of: database), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return owner(descriptor) == " (process \(getpid()))"
  }

  /// The lock of a database, next to the file itself.
  static func path(of file: String) -> String { StoreFile(path: file).resolvedPath + ".lock" }

  /// Removes the lock file of an import of this process, which is about to end.
  static func remove(database: String) { unlink(path(of: database)) }

  /// Whether an import is running.
  static func isHeld(database: String) -> Bool {
    let descriptor = open(path(of: database), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
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
