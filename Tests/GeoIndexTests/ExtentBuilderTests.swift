import TestSupport
import Testing

@testable import GeoIndex

struct ExtentBuilderTests {
  private func edges(_ coordinates: [Coordinate]) -> [Double]? {
    BoundingBox(enclosing: coordinates).map { [$0.west, $0.south, $0.east, $0.north] }
  }

  @Test func `no position has no box`() {
    #expect(BoundingBox(enclosing: []) == nil)
    #expect(ExtentBuilder().box == nil)
  }

  @Test func `one position is its own box`() {
    #expect(edges([.at(12, 34)]) == [34, 12, 34, 12])
    #expect(edges([.at(12, 180)]) == [180, 12, 180, 12])
    #expect(edges([.at(12, -180)]) == [-180, 12, -180, 12])
    #expect(edges([.at(1, 180), .at(2, -180)]) == [-180, 1, -180, 2])
  }

  @Test func `the box crosses the antimeridian where that is shorter`() {
    #expect(edges([.at(-16, 179), .at(-18, -179)]) == [179, -18, -179, -16])
    #expect(edges([.at(0, 100), .at(0, -100), .at(0, 179)]) == [100, 0, -100, 0])
    #expect(edges([.at(0, 80), .at(0, -80)]) == [-80, 0, 80, 0])
  }

  @Test func `180 is written by the side the arc lies on`() {
    #expect(edges([.at(0, 180), .at(0, -170)]) == [-180, 0, -170, 0])
    #expect(edges([.at(0, -180), .at(0, 170)]) == [170, 0, 180, 0])
    #expect(edges([.at(0, -180), .at(0, 170), .at(0, -175)]) == [170, 0, -175, 0])
  }

  @Test func `poles do not widen the arc`() {
    #expect(edges([.at(90, 100), .at(0, 1), .at(0, 2)]) == [1, 0, 2, 90])
    #expect(edges([.at(90, 100), .at(-90, -50)]) == [0, -90, 0, 90])
  }

  @Test func `of equal gaps the one over the antimeridian is skipped, then the westernmost`() {
    #expect(edges([.at(0, 90), .at(0, -90)]) == [-90, 0, 90, 0])
    #expect(edges([.at(0, 0), .at(0, -180)]) == [-180, 0, 0, 0])
    // gaps of 120 degrees: -150...-30, -30...90 and 90...-150 over the antimeridian
    #expect(edges([.at(0, 90), .at(0, -30), .at(0, -150)]) == [-150, 0, 90, 0])
    // gaps of 130, 130 and 100 over the antimeridian
    #expect(edges([.at(0, 130), .at(0, -130), .at(0, 0)]) == [0, 0, -130, 0])
  }

  @Test func `a ring without a gap is the whole circle`() {
    let ring = (0..<7_200).map { Coordinate.at(0, Double($0) * 0.05 - 180) }
    #expect(edges(ring) == [-180, 0, 180, 0])
  }

  @Test func `edges keep their bits whatever the order`() throws {
    let points = [Coordinate.at(-0.0, 0), .at(0, -0.0), .at(-0.0, -0.0), .at(0, 0)]
    for turn in points.indices {
      let box = try #require(BoundingBox(enclosing: points[turn...] + points[..<turn]))
      #expect(box.west.sign == .minus && box.south.sign == .minus)
      #expect(box.east.sign == .plus && box.north.sign == .plus)
    }
  }

  @Test func `the box is the smallest one, by comparison with a sorted circle`() throws {
    var random = SplitMix64(stream: "extent")
    for round in 0..<2_000 {
      let layout = Layout.allCases[round % Layout.allCases.count]
      let points = layout.coordinates(count: 1 + random.int(below: 40), using: &random)
      let box = try #require(BoundingBox(enclosing: points))
      #expect(points.allSatisfy(box.contains), "SEED=\(SplitMix64.seed) \(layout)")
      let longitudes = points.filter { $0.latitude.magnitude < 90 }
        .map { $0.longitude == 180 ? -180 : $0.longitude }.sorted()
      guard let first = longitudes.first, let last = longitudes.last else { continue }
      let gaps = zip(longitudes, longitudes.dropFirst()).map { $1 - $0 } + [first + 360 - last]
      let width = box.east - box.west + (box.crossesAntimeridian ? 360 : 0)
      let least = 360 - (gaps.max() ?? 360)
      #expect(abs(width - least) < 1e-9, "SEED=\(SplitMix64.seed) \(layout) \(box)")
      #expect(BoundingBox(enclosing: points.shuffled(using: &random)) == box)
    }
  }
}
