import Foundation
import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct StreamedImportTests {
  /// A feed as JSON lines, whose records are larger than a few batches together.
  private func lines(_ restaurants: [Restaurant]) -> [UInt8] {
    var writer = AnswerFormat.geojsonseq.feedWriter()
    writer.begin(
      AnswerSummary(count: 0, total: 0, extent: nil, hasDistance: false)
    )
    for restaurant in restaurants { writer.write(Match(restaurant: restaurant)) }
    writer.end()
    return writer.takeBytes()
  }

  private func many(_ numbers: Range<Int>, changed: Int? = nil) -> [Restaurant] {
    numbers.map { number in
      var restaurant = Restaurant.plain(
        "id-\(number)",
        at: .at(Double(number % 170) - 84.5, Double(number % 350) - 175)
      )
      restaurant.address.formatted = [String(repeating: "x", count: 100)]
      if number == changed { restaurant.rating = 4.5 }
      return restaurant
    }
  }

  private func add(
    _ bytes: [UInt8],
    to store: TemporaryStore,
    _ change: (inout ImportOptions) -> Void = { _ in },
    observer: ImportObserver = ImportObserver()
  ) throws -> ImportReport {
    var options = ImportOptions()
    change(&options)
    return try RestaurantStore.importFeed(
      from: try FeedReader(source: "test").stream(MemoryBytes(bytes)),
      into: store.path,
      options: options,
      observer: observer
    )
  }

  @Test func `a stream gives what the same feed in memory gives`() throws {
    let restaurants = many(0..<3_000)
    let store = try TemporaryStore()
    let report = try add(lines(restaurants), to: store)
    #expect(report.read == 3_000 && report.inserted == 3_000 && report.generation == 1)
    let other = try TemporaryStore(restaurants)
    #expect(try store.restaurants().map(\.allBytes) == other.restaurants().map(\.allBytes))
    #expect(try add(lines(restaurants), to: store).unchanged == 3_000)
  }

  @Test func `only rows that changed are written`() throws {
    let store = try TemporaryStore()
    _ = try add(lines(many(0..<2_000)), to: store)
    try store.sql {
      try $0.execute(
        sql: """
          CREATE TABLE log (pk, what);
          CREATE TRIGGER log_u AFTER UPDATE ON restaurants
          BEGIN INSERT INTO log VALUES (NEW.pk, 'u'); END;
          CREATE TRIGGER log_i AFTER INSERT ON restaurants
          BEGIN INSERT INTO log VALUES (NEW.pk, 'i'); END;
          CREATE TRIGGER log_d AFTER DELETE ON restaurants
          BEGIN INSERT INTO log VALUES (OLD.pk, 'd'); END;
          """
      )
    }
    let report = try add(lines(many(1..<2_001, changed: 1_234)), to: store)
    #expect(report.inserted == 1 && report.updated == 1 && report.removed == 1)
    let log = try store.sql {
      try String.fetchAll($0, sql: "SELECT what || pk FROM log ORDER BY 1")
    }
    #expect(log == ["d1", "i2001", "u1235"])
    #expect(try store.open().restaurant(id: "id-1234")?.rating == 4.5)
  }

  @Test func `of two records with one id the first stays, however far apart they are`() throws {
    var restaurants = many(0..<4_000)
    restaurants.append(restaurants[7])
    restaurants[4_000].name = "later"
    let store = try TemporaryStore()
    var rejected: [String] = []
    var observer = ImportObserver()
    observer.wantsTexts = true
    observer.reject = { error, text in
      rejected.append("\(error.problem) \(String(decoding: text, as: UTF8.self).contains("later"))")
    }
    let report = try add(lines(restaurants), to: store, observer: observer)
    #expect(report.inserted == 4_000 && report.rejectedCount == 1 && report.read == 4_001)
    #expect(report.rejected[0].record == 4_001)
    #expect(rejected == ["id \"id-7\" is the same as in record 8 true"])
    #expect(try store.open().restaurant(id: "id-7")?.name == "Name of id-7")
  }

  @Test func `a feed that breaks off leaves the store unchanged`() throws {
    let store = try TemporaryStore()
    _ = try add(lines(many(0..<100)), to: store)
    let bytes = store.bytes
    var broken = lines(many(0..<3_000, changed: 5))
    broken[broken.count - 3] = 0xFF
    #expect(throws: FeedError.self) { try add(broken, to: store) }
    #expect(store.bytes == bytes)
    #expect(store.names == ["lunch.db"] && store.snapshots == ["lunch.db.1.geoqx"])
    let fresh = try TemporaryStore()
    #expect(throws: FeedError.self) { try add(broken, to: fresh) }
    #expect(fresh.names.isEmpty && fresh.snapshots.isEmpty)
  }

  @Test func `progress counts up to the whole feed`() throws {
    let store = try TemporaryStore()
    let bytes = lines(many(0..<3_000))
    var seen: [ImportProgress] = []
    var observer = ImportObserver()
    observer.progress = { seen.append($0) }
    _ = try add(bytes, to: store, observer: observer)
    #expect(seen.count > 1)
    #expect(seen.last?.records == 3_000 && seen.last?.bytes == bytes.count)
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.records <= $1.records })
  }

  @Test func `changes that do not fit in memory come back from the file in their order`() throws {
    let store = try TemporaryStore()
    let log = ChangeLog(beside: store.path)
    var expected: [String] = []
    for number in 0..<2_000 {
      let text = Array("row \(number) \(String(repeating: "y", count: number % 300))".utf8)
      let row = RowChange(
        number: Int64(number),
        isNew: number % 3 == 0,
        fingerprint: UInt64(number) << 32,
        record: RecordKey(low: UInt64(number), high: .max - UInt64(number))
      )
      try text.withUnsafeBytes { try log.put($0, of: row) }
      expected.append("\(row) \(text)")
    }
    for _ in 0..<2 {
      var found: [String] = []
      try log.visit { found.append("\($1) \(Array($0))") }
      #expect(found == expected)
    }
    #expect(store.names.isEmpty)
  }

  @Test func `a second source as large as the first leaves everything sound`() throws {
    let store = try TemporaryStore(many(0..<1_500))
    let others = (0..<1_500).map { Restaurant.plain("b-\($0)", source: "b") }
    let report = try store.add(Feeds.of(others, source: "b"))
    #expect(report.inserted == 1_500 && report.removed == 0)
    let checks = try store.sql { db in
      try [
        "SELECT rtreecheck('idx_restaurants_geom')",
        "SELECT CheckSpatialIndex('restaurants', 'geom')", "PRAGMA integrity_check",
      ].map { try String.fetchOne(db, sql: $0) }
    }
    #expect(checks == ["ok", "1", "ok"])
    #expect(try store.engine().count(Query(.box(.world))).total == 3_000)
  }

  @Test func `texts of a batch are those of its rows, also if one is too long to be kept`() {
    let texts: [[UInt8]] = [[], Array("b".utf8), []]
    var batch = RowBatch()
    for (index, text) in texts.enumerated() {
      let place = FeedPlace(source: "test", record: index + 1, line: 1, byte: 0)
      let restaurant = Restaurant.plain("\(index)")
      let record = FeedRecord(restaurant: restaurant, place: place, warnings: [], derivesID: false)
      batch.add(.read(.accepted(record), .none), text: text, key: .init(low: 1, high: 2))
    }
    #expect(batch.texts == texts)
    #expect(batch.rows.map(batch.id) == ["0", "1", "2"])
  }
}
