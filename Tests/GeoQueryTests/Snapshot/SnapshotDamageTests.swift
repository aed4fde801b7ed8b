import Foundation
import GeoIndex
import Testing

@testable import GeoQuery

/// Snapshots with wrong bytes: queries may answer wrongly or fail, never crash, and `verify` finds them.
@Suite struct SnapshotDamageTests {
  /// Everything that reads the file.
  private func use(_ snapshot: Snapshot, _ random: inout MadeUpRestaurants) {
    let engine = QueryEngine(snapshot)
    for _ in 0..<6 {
      var query = random.query([])
      query.limit = 20
      guard let page = try? engine.page(query) else { continue }
      for format in [AnswerFormat.geojson, .csv, .ids] {
        try? page.write(with: format.writer()) { _ in }
      }
      query.cursor = page.next
      _ = try? engine.page(query)
      _ = try? engine.count(query)
    }
    for (zoom, x, y) in [(0, 0, 0), (1, 0, 0), (9, 118, 206)] {
      guard let address = TileAddress(zoom: zoom, x: x, y: y) else { continue }
      let limit = random.one(of: [0, 3, 2_000])
      _ = try? engine.tile(address, limit: limit)
      _ = try? engine.tile(address, matching: random.query([]).filter, limit: limit)
    }
    for field in Facet.fields { _ = try? engine.facets(by: field, of: Query(.everywhere)) }
    for order in Order.Key.allCases where order != .distance {
      _ = try? engine.page(Query(.everywhere, in: Order(by: order, descending: true), limit: 5))
    }
    _ = try? snapshot.restaurant(id: "x1")
    _ = snapshot.ids(similarTo: "restaurant-1")
    _ = (snapshot.extent, snapshot.shownExtent)
  }

  @Test func `no damage after the header crashes a query, and verify finds all of it`()
    throws
  {
    var random = MadeUpRestaurants(seed: 99)
    let file = try TemporarySnapshot(of: random.restaurants(60))
    let sound = try Data(contentsOf: URL(fileURLWithPath: file.path))
    let path = file.path + ".damaged"
    defer { try? FileManager.default.removeItem(atPath: path) }
    for round in 0..<30 * rounds {
      var bytes = sound
      // one byte, a few, or a stretch of them
      let first = 4_096 + random.number(below: bytes.count - 4_096)
      let length = random.one(of: [1, 1, 8, 64])
      for offset in first..<min(first + length, bytes.count) {
        bytes[offset] = random.one(of: [0, 0xFF, 0x80, UInt8(random.number(below: 256))])
      }
      try bytes.write(to: URL(fileURLWithPath: path))
      guard let snapshot = try? Snapshot(path: path) else { continue }
      use(snapshot, &random)
      if bytes != sound {
        #expect(throws: SnapshotError.self, "round \(round), byte \(first)") {
          try snapshot.verify()
        }
      }
    }
    try file.snapshot.verify()
  }

  @Test func `a file without one of the sections, or with one of another length, is refused`()
    throws
  {
    var random = MadeUpRestaurants(seed: 98)
    let restaurants = random.restaurants(3)
    let folder = FileManager.default.temporaryDirectory.path
    let path = "\(folder)/geoq-\(UUID().uuidString).geoqx"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try KDTree(restaurants.map(\.coordinate)).write(to: path, storeID: 1, generation: 1)
    #expect(throws: SnapshotError.self) { try Snapshot(path: path) }
    var writer = try SnapshotWriter(for: path, tree: KDTree(restaurants.map(\.coordinate)))
    var batch = PackedRecords()
    PackedRecord.append(restaurants[0], to: &batch.bytes)
    batch.ends.append(batch.bytes.count)
    try writer.append(batch)
    try writer.finish(storeID: 1, generation: 1)
    #expect(throws: SnapshotError.self) { try Snapshot(path: path) }
  }

  @Test func `the same restaurants give the same bytes`() throws {
    var random = MadeUpRestaurants(seed: 97)
    let restaurants = random.restaurants(150)
    let files = try (0..<2).map { _ in try TemporarySnapshot(of: restaurants) }
    let bytes = try files.map { try Data(contentsOf: URL(fileURLWithPath: $0.path)) }
    #expect(bytes[0] == bytes[1])
  }
}
