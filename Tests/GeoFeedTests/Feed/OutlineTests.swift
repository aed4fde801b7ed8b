import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

/// Ways and areas that have no position of their own.
struct OutlineTests {
  private typealias Corners = [(latitude: Double, longitude: Double)]

  private func middle(of longitudes: [Double]) -> Double? {
    let corners = longitudes.enumerated().map { (latitude: Double($0 % 2), longitude: $1) }
    return (try? CoordinateReading(middleOf: corners))?.coordinate.longitude
  }

  @Test(
    arguments: [
      ([2, 4, 3], 3), ([-4, -2], -3), ([7], 7), ([-90, 90], 0), ([179, -179], 180),
      ([178, 180, -180, -179], 179.5),
      ([-178, 179], -179.5), ([179.5, -180, 180, -178.5], -179.5), ([170, -100], -145),
    ] as [([Double], Double)]
  )
  func `an outline stands in its middle, also across 180`(
    _ longitudes: [Double],
    _ expected: Double
  ) {
    for turned in [longitudes, longitudes.reversed()] { #expect(middle(of: turned) == expected) }
  }

  @Test(
    arguments: [[], [-91, 0, 91], [0, 200], [181], [.nan, 1], [-170, 0, 170]] as [[Double]]
  )
  func `an outline around half the globe, or beyond it, has no middle`(_ longitudes: [Double]) {
    #expect(middle(of: longitudes) == nil)
  }

  @Test func `its latitude is the middle as well`() throws {
    let corners: Corners = [(10, 179), (20, -179), (12, 179.5)]
    #expect(try CoordinateReading(middleOf: corners).coordinate.latitude == 15)
    #expect(throws: FeedProblem.self) { try CoordinateReading(middleOf: [(89, 1), (95, 2)]) }
  }

  private func element(_ place: String) throws -> Feed {
    try Feeds.read(
      #"{"elements":[{"type":"way","id":1,"tags":{"name":"A"},\#(place)}]}"#
    )
  }

  @Test(arguments: [
    (#""bounds":{"minlat":-17,"minlon":179.5,"maxlat":-16,"maxlon":-179.5}"#, -16.5, 180),
    (#""bounds":{"minlat":-17,"minlon":179.5,"maxlat":-16,"maxlon":-179}"#, -16.5, -179.75),
    (#""bounds":{"minlat":1,"minlon":2,"maxlat":3,"maxlon":4}"#, 2, 3),
    (#""geometry":[{"lat":1,"lon":-179},{"lat":3,"lon":179}]"#, 2, 180),
  ])
  func `Overpass's bounds and outlines may cross 180`(
    _ place: String,
    _ latitude: Double,
    _ longitude: Double
  ) throws {
    let found = try #require(try element(place).restaurants.first).coordinate
    #expect((found.latitude, found.longitude) == (latitude, longitude))
  }

  @Test func `bounds wider than half the globe are none of a place`() throws {
    let wide = #""bounds":{"minlat":1,"minlon":-100,"maxlat":2,"maxlon":100}"#
    let problem = try element(wide).rejected.first?.problem
    #expect(problem == "the outline has no center on the globe")
  }
}
