import Foundation
import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

extension PointBlob {
  /// The blob of a coordinate.
  static func encode(_ coordinate: Coordinate) -> Data {
    var blob = origin
    set(&blob, latitude: coordinate.latitude, longitude: coordinate.longitude)
    return Data(blob)
  }

  /// The coordinate of a blob, or nil if it is not a point in WGS84 degrees.
  fileprivate static func decode(_ blob: Data) -> Coordinate? { blob.withUnsafeBytes(decode) }
}

struct PointBlobTests {
  private static let special: [Coordinate] = [
    .at(-0.0, -0.0), .at(0, 0), .at(-0.0, 180), .at(0, -180), .at(90, 0), .at(-90, -0.0),
    .at(90, 180), .at(-90, -180), .at(.leastNonzeroMagnitude, -.leastNonzeroMagnitude),
    .at(90.0.nextDown, 180.0.nextDown),
    .at(32.950787, -96.821118),
  ]

  private static func coordinates() -> [Coordinate] {
    var random = SplitMix64(stream: "blobs")
    return special + (0..<200).map { _ in random.coordinate() }
  }

  @Test func `a blob is byte for byte what SpatiaLite's MakePoint gives`() throws {
    let queue = try DatabaseQueue(configuration: .writing)
    try queue.read { db in
      for coordinate in Self.coordinates() {
        let made = try Data.fetchOne(
          db,
          sql: "SELECT MakePoint(?, ?, 4326)",
          arguments: [coordinate.longitude, coordinate.latitude]
        )
        #expect(made == PointBlob.encode(coordinate), "\(coordinate) SEED=\(SplitMix64.seed)")
      }
    }
  }

  @Test func `SpatiaLite reads x and y from a blob bit for bit`() throws {
    let queue = try DatabaseQueue(configuration: .writing)
    try queue.read { db in
      for coordinate in Self.coordinates() {
        let row = try #require(
          try Row.fetchOne(
            db,
            sql: "SELECT ST_Y(b), ST_X(b), SRID(b) FROM (SELECT ? AS b)",
            arguments: [PointBlob.encode(coordinate)]
          )
        )
        let bits = [(row[0] as Double).bitPattern, (row[1] as Double).bitPattern]
        #expect(bits == coordinate.bits, "\(coordinate)")
        #expect(row[2] == 4_326)
      }
    }
  }

  @Test func `a coordinate comes back bit for bit`() {
    for coordinate in Self.coordinates() {
      #expect(PointBlob.decode(PointBlob.encode(coordinate))?.bits == coordinate.bits)
    }
  }

  @Test func `what is not a point in WGS84 degrees is not decoded`() throws {
    let good = [UInt8](PointBlob.encode(.at(1, 2)))
    #expect(PointBlob.decode(Data()) == nil)
    for count in good.indices { #expect(PointBlob.decode(Data(good[..<count])) == nil) }
    #expect(PointBlob.decode(Data(good + [0])) == nil)
    // start, byte order, SRID, the mark before the class, the class and the end are checked
    for offset in [0, 1, 2, 3, 4, 5, 38, 39, 40, 41, 42, 59] {
      var damaged = good
      damaged[offset] ^= 0x10
      #expect(PointBlob.decode(Data(damaged)) == nil, "byte \(offset)")
    }
    for (latitude, longitude) in [(95, 0), (0, 181), (.nan, 0), (0, .infinity)]
      as [(Double, Double)]
    {
      var bytes = good
      bytes.replaceSubrange(43..<51, with: Self.bytes(longitude))
      bytes.replaceSubrange(51..<59, with: Self.bytes(latitude))
      #expect(PointBlob.decode(Data(bytes)) == nil)
    }
  }

  private static func bytes(_ value: Double) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt64($0))) }
  }
}
