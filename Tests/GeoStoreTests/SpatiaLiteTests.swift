import Foundation
import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct SpatiaLiteTests {
  #if os(Linux)
  /// In a process of its own, because the heap is everyone's.
  @Test func `connections that close give SpatiaLite's memory back`() async {
    await #expect(processExitsWith: .success) {
      func openAndClose(_ times: Int) throws {
        for _ in 0..<times {
          let queue = try DatabaseQueue(configuration: .writing)
          _ = try queue.read { try Int.fetchOne($0, sql: "SELECT SRID(MakePoint(1, 2, 4326))") }
          try queue.close()
        }
      }
      func residentBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return (Int(status.split(separator: " ")[1]) ?? 0) * 4_096
      }
      try openAndClose(50)
      let before = try residentBytes()
      try openAndClose(300)
      // 300 caches that are not freed hold twice the limit, other leftovers less than half of it
      let growth = try residentBytes() - before
      precondition(growth < 1 << 20, "300 connections left \(growth) bytes.")
    }
  }
  #endif

  @Test func `fifty connections at once work side by side`() throws {
    let queues = try (0..<50).map { _ in try DatabaseQueue(configuration: .writing) }
    for (number, queue) in queues.enumerated() {
      let x = try queue.read {
        try Double.fetchOne($0, sql: "SELECT ST_X(MakePoint(?, 1, 4326))", arguments: [number])
      }
      #expect(x == Double(number))
    }
  }

  @Test func `SQL cannot load other libraries`() throws {
    let queue = try DatabaseQueue(configuration: .writing)
    #expect(throws: DatabaseError.self) {
      try queue.read { try Row.fetchOne($0, sql: "SELECT load_extension('mod_spatialite')") }
    }
  }

  @Test func `a function of SpatiaLite that does not answer 1 is an error`() throws {
    let queue = try DatabaseQueue(configuration: .writing)
    try queue.write { db in
      #expect(throws: DatabaseError.self) {
        try SpatiaLite.call(db, "AddGeometryColumn('none','geom',4326,'POINT','XY',1)")
      }
      try SpatiaLite.call(db, "1")
    }
    #expect(try SpatiaLite.version().first?.isNumber == true)
  }

  @Test func `SpatiaLite measures the same distances to a micrometer`() throws {
    var random = SplitMix64(stream: "spatialite distances")
    let store = try TemporaryStore([.plain("a")])
    try store.sql { db in
      var pairs = 0
      for reach in [1e-4, 0.01, 0.5, 20.0] {
        for _ in 0..<40 {
          let start = random.coordinate()
          let end = random.coordinate(near: start, degrees: reach)
          try Self.compare(start, end, db)
          pairs += 1
        }
      }
      for _ in 0..<40 {
        try Self.compare(random.coordinate(), random.coordinate(), db)
        pairs += 1
      }
      #expect(pairs == 200)
    }
  }

  private static func compare(_ start: Coordinate, _ end: Coordinate, _ db: Database) throws {
    let other = try Double.fetchOne(
      db,
      sql: "SELECT ST_Distance(?, ?, 1)",
      arguments: [PointBlob.encode(start), PointBlob.encode(end)]
    )
    let distance = start.distance(to: end)
    let difference = abs(try #require(other) - distance)
    #expect(difference < 1e-6, "\(start) to \(end): \(distance), SEED=\(SplitMix64.seed)")
  }
}
