import Foundation
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct CompactTests {
  @Test func `compacting gives room back and changes nothing else`() throws {
    let store = try TemporaryStore((0..<3_000).map { .plain("id-\($0)") })
    try store.add(Feeds.of((0..<400).map { .plain("id-\($0)") }))
    let before = try store.restaurants().map(\.allBytes)
    let report = try RestaurantStore.compact(path: store.path)
    // the tables of SpatiaLite alone have half a megabyte
    #expect(report.bytesAfter < report.bytesBefore - 500_000)
    #expect(report.bytesAfter == store.bytes.count)
    #expect(try store.restaurants().map(\.allBytes) == before)
    #expect(Verification.examine(path: store.path).filter { !$0.isGood } == [])
    #expect(try store.open().info().generation == 2)
    #expect(store.names == ["lunch.db"] && store.snapshots == ["lunch.db.2.geoqx"])
    let again = try RestaurantStore.compact(path: store.path)
    #expect(again.bytesAfter == report.bytesAfter)
    // the rows keep their numbers: the same feed again changes nothing
    #expect(try store.add(Feeds.of((0..<400).map { .plain("id-\($0)") })).unchanged == 400)
  }

  @Test func `compacting goes on while a user reads`() async throws {
    let store = try TemporaryStore((0..<2_000).map { .plain("id-\($0)") })
    try store.add(Feeds.of((0..<300).map { .plain("id-\($0)") }))
    let opened = try store.open()
    opened.keepLog()
    let count = try await onOwnThread {
      try opened.read { reader in
        _ = try reader.generation()
        _ = try RestaurantStore.compact(path: store.path)
        return try reader.count()
      }
    }
    #expect(count == 300)
    #expect(try opened.count() == 300)
  }

  @Test func `compacting makes no database if there is none`() throws {
    let store = try TemporaryStore()
    #expect(store.error { _ = try RestaurantStore.compact(path: store.path) }?.kind == .unavailable)
    #expect(store.names.isEmpty)
  }
}
