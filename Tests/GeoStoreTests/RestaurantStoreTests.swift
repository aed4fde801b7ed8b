import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct RestaurantStoreTests {
  @Test func `a restaurant is found by the bytes of its id`() throws {
    let store = try TemporaryStore([.plain("caf\u{E9}"), .plain("A"), .plain("a")])
    let open = try store.open()
    #expect(try open.restaurant(id: "caf\u{E9}") == .plain("caf\u{E9}"))
    #expect(try open.restaurant(id: "cafe\u{301}") == nil)
    #expect(try open.restaurant(id: "a")?.name == "Name of a")
    #expect(try open.restaurant(id: "A")?.name == "Name of A")
    #expect(try open.restaurant(id: "") == nil)
    #expect(try open.restaurant(id: "' OR 1 = 1 --") == nil)
    #expect(try open.count() == 3)
  }

  @Test func `opening, asking and closing leave the file's bytes and no side files`() throws {
    let store = try TemporaryStore([.plain("a")])
    let bytes = store.bytes
    let open = try store.open()
    #expect(try open.count() == 1)
    try open.close()
    #expect(store.bytes == bytes)
    #expect(store.names == ["lunch.db"])
  }

  @Test func `a connection for reading cannot write`() throws {
    let store = try TemporaryStore([.plain("a")])
    let open = try store.open()
    #expect(
      store.error {
        try open.read { try $0.db.execute(sql: "UPDATE geoq_store SET generation = 9") }
      }?.kind == .permission
    )
    #expect(try open.info().generation == 1)
  }

  @Test func `many readers and a writer share a file`() throws {
    let store = try TemporaryStore([.plain("a")])
    let readers = try (0..<8).map { _ in try store.open() }
    try store.add(Feeds.of([.plain("a"), .plain("b")]))
    #expect(try readers.map { try $0.count() } == Array(repeating: 2, count: 8))
    #expect(try readers[0].read { try $0.generation() } == 2)
  }
}
