import Foundation
import GeoFeed
import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery
@testable import GeoStore

/// A snapshot that the library writes is the store's.
struct StoreSnapshotTests {
  /// The bytes of the store's snapshot, and those that the library writes of the same restaurants.
  private func files(_ feed: Feed) throws -> (store: Data?, library: Data?) {
    let store = try TemporaryStore()
    try store.add(feed)
    let snapshot = try store.open().snapshot()
    let path = store.file("library.geoqx")
    try Snapshot.write(
      feed.restaurants.reversed(),
      to: path,
      storeID: snapshot.storeID,
      generation: snapshot.generation
    )
    return (
      FileManager.default.contents(atPath: snapshot.path),
      FileManager.default.contents(atPath: path)
    )
  }

  @Test func `the sample feed's is the same, byte for byte`() throws {
    let (store, library) = try files(Feeds.sample())
    #expect(store != nil)
    #expect(store == library)
  }

  @Test func `that of awkward restaurants is the same, byte for byte`() throws {
    var random = SplitMix64(stream: "store snapshot")
    for count in [1, 2, 300] {
      let (store, library) = try files(Feeds.of(random.restaurants(count)))
      #expect(store == library)
    }
    let full = [
      Restaurant.full("a", at: .at(90, 17)) { "x\u{1}" }, .full("b", at: .at(-0.0, 180)) { "é" },
    ]
    let (store, library) = try files(Feeds.of(full))
    #expect(store == library)
  }
}
