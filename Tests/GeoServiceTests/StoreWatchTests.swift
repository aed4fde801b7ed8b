import Foundation
import GeoFeed
import GeoQuery
import GeoStore
import Testing

@testable import GeoService

/// How the service follows a store, and what it does about a damaged snapshot.
struct StoreWatchTests {
  /// A database in a folder of its own, which goes with it.
  private final class Database {
    let folder = FileManager.default.temporaryDirectory.path + "/geoq-watch-\(UUID().uuidString)"
    var path: String { folder + "/lunch.db" }

    init() throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
      try? FileManager.default.removeItem(atPath: folder)
    }

    func importPlaces(_ count: Int) throws {
      let places = (0..<count).map {
        #"{"id":"p\#($0)","name":"Place \#($0)","latitude":\#($0 % 80 + 1),"longitude":\#($0 % 170)}"#
      }
      let feed = try FeedReader(source: "test").read(Array(places.joined(separator: "\n").utf8))
      _ = try RestaurantStore.importFeed(feed, into: path)
    }
  }

  @Test func `an import is served at the next look`() throws {
    let database = try Database()
    try database.importPlaces(50)
    let live = try LiveData(.file(database.path))
    let watch = StoreWatch(.file(database.path), live: live)
    defer { watch.close() }
    #expect(try watch.look() == nil)
    let first = live.current
    try database.importPlaces(60)
    #expect(try watch.look() == first.number + 1)
    #expect(live.current.snapshot.count == 60)
    // a request that began before goes on with what it had
    #expect(first.snapshot.count == 50)
    #expect(try first.engine.page(Query(.everywhere)).matches.count == 50)
  }

  @Test
  func `areas – saved, replaced and removed by another process – are served at the next look`()
    throws
  {
    let database = try Database()
    try database.importPlaces(50)
    let live = try LiveData(.file(database.path))
    let watch = StoreWatch(.file(database.path), live: live)
    defer { watch.close() }
    func save(_ outlines: [String]) throws {
      let store = try StorePlace.file(database.path).open()
      defer { try? store.close() }
      try store.removeAreas(store.areas().map(\.name))
      let areas = try outlines.enumerated().map { number, outline in
        NamedArea("area \(number)", try AreaList(parsing: Array(outline.utf8)).joined())
      }
      _ = try store.saveAreas(areas)
    }
    let generation = live.current.number
    for outlines in [
      ["POLYGON((0 0,9 0,9 9,0 0))"], ["POLYGON((0 0,8 0,8 8,0 0))"],
      ["POLYGON((0 0,8 0,8 8,0 0))", "POLYGON((0 0,7 0,7 7,0 0))"], [],
    ] {
      try save(outlines)
      #expect(try watch.look() == generation)
      #expect(live.current.areas.count == outlines.count)
      for (number, outline) in outlines.enumerated() {
        let wanted = try AreaList(parsing: Array(outline.utf8)).joined()
        #expect(try live.current.area(named: "area \(number)").area().area == wanted)
      }
      #expect(try watch.look() == nil)
    }
  }

  @Test func `a damaged snapshot is noticed and made again`() throws {
    let database = try Database()
    try database.importPlaces(2_000)
    let store = try RestaurantStore(path: database.path)
    let snapshot = try store.snapshot()
    try store.close()
    let file = try #require(FileHandle(forUpdatingAtPath: snapshot.path))
    try file.seek(toOffset: UInt64(snapshot.byteCount / 2))
    let byte = try #require(try file.read(upToCount: 1)?.first)
    try file.seek(toOffset: UInt64(snapshot.byteCount / 2))
    try file.write(contentsOf: Data([byte ^ 0x55]))
    try file.close()
    // it opens all the same: only the checksums tell
    let live = LiveData(try Snapshot(path: snapshot.path))
    let damaged = live.current
    let watch = StoreWatch(.file(database.path), live: live)
    var notices: [String] = []
    #expect(try watch.check { notices.append($0) })
    #expect(notices.count == 2)
    #expect(live.current !== damaged)
    try live.current.snapshot.verify()
    #expect(try watch.look() == nil)
    #expect(try !watch.check { notices.append($0) })
    #expect(notices.count == 2)
  }
}
