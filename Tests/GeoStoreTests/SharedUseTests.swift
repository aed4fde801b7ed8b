#if os(Linux)
import Foundation
import GRDB
import Testing
import TestSupport

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// A process with a connection must stay one of the file's users, whatever else it does with the file:
/// else the next one to leave takes itself for the last, and removes the log with what is in it.
struct SharedUseTests {
  private static let uses: [(String, @Sendable (TemporaryStore) throws -> Void)] = [
    ("another store", { try $0.open().close() }),
    ("a favourite", { try $0.open().addFavorites(["a"]) }),
    (
      "a list of favourites",
      { _ = try StoredFavorites(.file($0.path)).favorites(after: nil, limit: 9) }
    ),
    ("an import that changes nothing", { try $0.add(Feeds.of([.plain("a"), .plain("b")])) }),
    ("an import", { try $0.add(Feeds.of([.plain("a"), .plain("b"), .plain("c")])) }),
    ("verify", { _ = Verification.examine(path: $0.path) }),
    ("doctor", { _ = Diagnosis.examine(path: $0.path) }),
    ("an import that is refused", { _ = try? $0.add(Feeds.of([])) }),
  ]

  @Test(arguments: uses.map(\.0))
  func `a store that is open stays a user of its file`(_ name: String) throws {
    let use = try #require(Self.uses.first { $0.0 == name }?.1)
    let store = try TemporaryStore([.plain("a"), .plain("b")])
    let reader = try store.open()
    // in a plain file it would have no lock between its reads
    reader.keepLog()
    _ = try reader.count()
    try #require(isInUse(store.path))
    try use(store)
    #expect(isInUse(store.path))
    _ = try reader.count()
    try reader.close()
  }

  /// Whether SQLite holds its shared lock on a file (bytes 2 to 511 from a gigabyte on).
  ///
  /// The descriptor by which that is asked would take the lock away when it is closed: it stays open,
  /// and so does the file.
  private func isInUse(_ path: String) -> Bool {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0x4000_0002
    lock.l_len = 510
    let askForOpenFile: Int32 = 36  // F_OFD_GETLK: also finds a lock of this process
    return fcntl(descriptor, askForOpenFile, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }
}
#endif
