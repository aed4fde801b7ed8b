import GeoIndex
import TestSupport
import Testing

struct CoordinateTests {
  @Test func `what is not a position is refused`() {
    for latitude in [.nan, .infinity, -.infinity, 90.0.nextUp, (-90.0).nextDown, 91] {
      #expect(Coordinate(latitude: latitude, longitude: 0) == nil)
    }
    for longitude in [.nan, .infinity, -.infinity, 180.0.nextUp, (-180.0).nextDown, 181] {
      #expect(Coordinate(latitude: 0, longitude: longitude) == nil)
    }
  }

  @Test(arguments: [-90, (-90.0).nextUp, -0.0, 0, .leastNonzeroMagnitude, 90.0.nextDown, 90])
  func `bits are kept`(_ latitude: Double) throws {
    for longitude in [-180, -0.0, 0, 180, 180.0.nextDown] {
      let made = try #require(Coordinate(latitude: latitude, longitude: longitude))
      #expect(made.latitude.bitPattern == latitude.bitPattern)
      #expect(made.longitude.bitPattern == longitude.bitPattern)
    }
  }

  @Test func `one position has one identity however it is written`() {
    let same: [(Coordinate, Coordinate)] = [
      (.at(0, 0), .at(-0.0, -0.0)), (.at(12, 180), .at(12, -180)),
      (.at(90, 10), .at(90, -120)), (.at(-90, 180), .at(-90, 0)),
    ]
    for (one, other) in same {
      #expect(one == other)
      #expect(one.hashValue == other.hashValue)
      #expect(one.distance(to: other) == 0)
    }
    #expect(Coordinate.at(89.9, 10) != .at(89.9, 11))
    #expect(Coordinate.at(90, 0) != .at(-90, 0))
    #expect(Coordinate.at(0, 180) != .at(0, 180.0.nextDown))
  }

  @Test func `the description is LAT,LON`() {
    #expect("\(Coordinate.at(32.95, -96.82))" == "32.95,-96.82")
    #expect("\(Coordinate.at(-0.0, 180))" == "-0.0,180.0")
  }
}
