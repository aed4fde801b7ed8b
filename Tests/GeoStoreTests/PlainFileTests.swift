import Foundation
import GRDB
import GeoFeed
import GeoQuery
import TestSupport
import Testing

@testable import GeoStore

/// A database that no connection has open is out of WAL mode; while one is kept, it stays in it.
struct PlainFileTests {
  /// Byte 18 of the header: 1 with a rollback journal, 2 with WAL.
  private func mode(_ store: TemporaryStore) -> UInt8 { store.bytes[18] }

  /// SQLite's count of the changes of the file itself.
  private func counter(_ store: TemporaryStore) -> Data { store.bytes[24..<28] }

  @Test func `after each way to write, the file is plain and alone`() throws {
    let store = try TemporaryStore([.plain("a"), .plain("b")])
    let path = store.path
    let writes: [(name: String, body: () throws -> Void)] = [
      ("first import", {}),
      ("import", { _ = try store.add(Feeds.of([.plain("a"), .plain("b"), .plain("c")])) }),
      ("favorite", { try store.open().addFavorites(["a"]) }),
      ("compact", { _ = try RestaurantStore.compact(path: path) }),
      ("rename", { try RestaurantStore.renameSource("test", to: "other", in: path) }),
      (
        "snapshot made again",
        {
          try store.removeSnapshot()
          _ = try store.restaurants()
        }
      ),
      ("verification", { _ = Verification.examine(path: path) }),
      ("removal", { try RestaurantStore.removeSource("other", from: path) }),
    ]
    for (name, body) in writes {
      try body()
      #expect(mode(store) == 1, "\(name)")
      #expect(store.names == ["lunch.db"], "\(name)")
    }
  }

  @Test func `a query does not change a plain file`() throws {
    let store = try TemporaryStore([.plain("a")])
    let bytes = store.bytes
    #expect(try store.restaurants().count == 1)
    #expect(try store.open().favorites().isEmpty)
    #expect(store.bytes == bytes)
  }

  @Test func `a kept store keeps the file in WAL, and its end leaves it`() throws {
    let store = try TemporaryStore((0..<20).map { .plain("\($0)") })
    let kept = KeptStore(.file(store.path))
    #expect(try kept.use { try $0.state().generation } == 1)
    #expect(mode(store) == 2)
    let before = counter(store)
    for number in 0..<20 { try store.open().addFavorites(["\(number)"]) }
    #expect(try store.restaurants().count == 20)
    #expect(mode(store) == 2)
    #expect(counter(store) == before)
    #expect(try kept.use { try $0.favorites().count } == 20)
    kept.close()
    #expect(mode(store) == 1)
    #expect(store.names == ["lunch.db"])
    #expect(try store.open().favorites().count == 20)
  }

  @Test func `what a killed process has left in WAL is mended by the next one that closes`() throws
  {
    let ways: [(TemporaryStore) throws -> Void] = [
      { _ = try $0.open().addFavorites(["a"]) }, { _ = try $0.restaurants() },
    ]
    for mends in ways {
      let store = try TemporaryStore([.plain("a")])
      let killed = try DatabaseQueue(path: store.path, configuration: .writing)
      try killed.close()
      #expect(mode(store) == 2)
      try mends(store)
      #expect(mode(store) == 1)
    }
  }

  @Test func `a writer waits for a reader of a plain file`() throws {
    let store = try TemporaryStore([.plain("a")])
    let reader = try store.open()
    let thread = Thread { _ = try? reader.read { _ in usleep(300_000) } }
    thread.start()
    usleep(50_000)
    #expect(try store.open().addFavorites(["a"]) == ["a"])
    #expect(try reader.favorites().count == 1)
    try reader.close()
    #expect(mode(store) == 1)
  }

  @Test func `a reader that takes its time lets others write`() throws {
    let store = try TemporaryStore([.plain("a")])
    let reader = try store.open()
    reader.keepLog()
    try reader.read { connection in
      #expect(try connection.count() == 1)
      try store.add(Feeds.of([.plain("a"), .plain("b")]))
      #expect(try connection.count() == 1)
    }
    #expect(try reader.count() == 2)
    try reader.close()
    #expect(mode(store) == 1)
  }

  @Test func `the side files of a database that replaced this one stay`() throws {
    let store = try TemporaryStore([.plain("a")])
    let other = try TemporaryStore([.plain("b")])
    let kept = try store.open()
    kept.keepLog()
    #expect(rename(other.path, store.path) == 0)
    try Data("log of the other".utf8).write(to: URL(fileURLWithPath: store.path + "-journal"))
    let bytes = store.bytes
    try kept.close()
    #expect(store.bytes == bytes)
    #expect(FileManager.default.fileExists(atPath: store.path + "-journal"))
  }
}
