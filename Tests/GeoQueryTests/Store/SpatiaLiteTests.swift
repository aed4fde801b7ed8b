import Foundation
import GRDB
import GeoIndex
import Testing

@testable import GeoQuery

struct SpatiaLiteTests {
  @Test func `every connection that closes gives SpatiaLite's memory back`() throws {
    // each of SpatiaLite's caches that has transformed a point keeps PROJ's database open
    for number in 0..<50 {
      let queue = try DatabaseQueue(configuration: .writing)
      try queue.inDatabase { db in
        try db.execute(sql: "SELECT InitSpatialMetaData(1, 'WGS84')")
        let x = try Double.fetchOne(
          db,
          sql: "SELECT ST_X(ST_Transform(MakePoint(9, 50, 4326), 32632))"
        )
        #expect(x.map { abs($0 - 500_000) < 0.001 } == true, "connection \(number)")
      }
      try queue.close()
    }
    #if os(Linux)
    #expect(Self.openDescriptors(of: "proj.db") < 50)
    #endif
  }

  private static func openDescriptors(of name: String) -> Int {
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return descriptors.count { descriptor in
      let link = "/proc/self/fd/\(descriptor)"
      return (try? FileManager.default.destinationOfSymbolicLink(atPath: link))?.hasSuffix(name)
        ?? false
    }
  }

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
    #expect(SpatiaLite.version.first?.isNumber == true)
  }

  @Test func `SpatiaLite measures the same distances to a micrometre`() throws {
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
