import GeoIndex
import TestSupport
import Testing

struct BoundingBoxTests {
  /// A box and positions on both sides of its rules.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let edges: [Double]
    let inside: [Coordinate]
    let outside: [Coordinate]
  }

  static let cases = [
    Case(
      testDescription: "an ordinary box is closed",
      edges: [10, 40, 20, 50],
      inside: [.at(40, 10), .at(50, 20), .at(45, 15), .at(40, 20)],
      outside: [.at(40.0.nextDown, 15), .at(50.0.nextUp, 15), .at(45, 10.0.nextDown)]
    ),
    Case(
      testDescription: "west above east crosses the antimeridian",
      edges: [170, -10, -170, 10],
      inside: [.at(0, 180), .at(0, -180), .at(0, 170), .at(0, -170), .at(10, 175)],
      outside: [.at(0, 170.0.nextDown), .at(0, (-170.0).nextUp), .at(0, 0)]
    ),
    Case(
      testDescription: "an eastern edge of 180 takes -180 in",
      edges: [170, -10, 180, 10],
      inside: [.at(0, -180), .at(0, 180)],
      outside: [.at(0, (-180.0).nextUp)]
    ),
    Case(
      testDescription: "a western edge of -180 takes 180 in",
      edges: [-180, -10, -170, 10],
      inside: [.at(0, -180), .at(0, 180)],
      outside: [.at(0, 180.0.nextDown)]
    ),
    Case(
      testDescription: "a pole lies in every box that reaches it",
      edges: [10, 80, 20, 90],
      inside: [.at(90, -120), .at(90, 0), .at(85, 15)],
      outside: [.at(90.0.nextDown, -120), .at(-90, 15)]
    ),
    Case(
      testDescription: "no latitude and no longitude of height",
      edges: [5, 6, 5, 6],
      inside: [.at(6, 5)],
      outside: [.at(6, 5.0.nextUp), .at(6.0.nextDown, 5)]
    ),
    Case(
      testDescription: "negative zero is zero",
      edges: [0, 0, 1, 1],
      inside: [.at(-0.0, -0.0)],
      outside: [.at(-.leastNonzeroMagnitude, 0)]
    ),
    Case(
      testDescription: "from 180 on eastward",
      edges: [180, -10, 170, 10],
      inside: [.at(0, 180), .at(0, -180), .at(0, 0), .at(0, 170)],
      outside: [.at(0, 175)]
    ),
    Case(
      testDescription: "eastward to -180",
      edges: [-170, -10, -180, 10],
      inside: [.at(0, 180), .at(0, 0), .at(0, -170)],
      outside: [.at(0, -175)]
    ),
  ]

  @Test(arguments: cases) func `membership is closed`(_ test: Case) throws {
    let edges = test.edges
    let box = try #require(
      BoundingBox(west: edges[0], south: edges[1], east: edges[2], north: edges[3])
    )
    for coordinate in test.inside {
      #expect(box.contains(coordinate), "\(coordinate)")
    }
    for coordinate in test.outside {
      #expect(!box.contains(coordinate), "\(coordinate)")
    }
  }

  @Test(arguments: [(180.0, 180.0), (-180, -180), (180, -180)])
  func `these three are the one meridian of 180`(_ west: Double, _ east: Double) throws {
    let box = try #require(BoundingBox(west: west, south: -90, east: east, north: 90))
    #expect(box.contains(.at(0, 180)))
    #expect(box.contains(.at(0, -180)))
    #expect(!box.contains(.at(0, 180.0.nextDown)))
    #expect(!box.contains(.at(0, (-180.0).nextUp)))
    #expect(!box.contains(.at(0, 0)))
  }

  @Test func `the world contains everything`() {
    var random = SplitMix64(stream: "world")
    for _ in 0..<1_000 {
      #expect(BoundingBox.world.contains(random.coordinate()))
    }
    #expect(BoundingBox.world.contains(.at(90, 180)))
    #expect(!BoundingBox.world.crossesAntimeridian)
  }

  @Test func `what is not a box is refused`() {
    #expect(BoundingBox(west: 0, south: 1, east: 0, north: 0) == nil)
    #expect(BoundingBox(west: .nan, south: 0, east: 0, north: 0) == nil)
    #expect(BoundingBox(west: 0, south: .nan, east: 0, north: 0) == nil)
    #expect(BoundingBox(west: 0, south: 0, east: .infinity, north: 0) == nil)
    #expect(BoundingBox(west: 0, south: 0, east: 0, north: 90.0.nextUp) == nil)
    #expect(BoundingBox(west: (-180.0).nextDown, south: 0, east: 0, north: 0) == nil)
    #expect(BoundingBox(west: 0, south: 0, east: 0, north: 0) != nil)
  }

  @Test func `the description is W,S,E,N`() throws {
    let box = try #require(BoundingBox(west: 177, south: -21, east: -178, north: -12))
    #expect("\(box)" == "177.0,-21.0,-178.0,-12.0")
    #expect(box.crossesAntimeridian)
  }
}
