import GeoIndex
import Testing

@testable import geoq

/// The made-up points, and the arithmetic of the report.
struct BenchDataTests {
  @Test
  func `clustered points have seven decimals, lie on land's latitudes, and crowd`() {
    var random = SeededRandom(seed: 1)
    let source = ClusteredPoints(size: 20_000, using: &random)
    let points = (0..<20_000).map { _ in source.point(using: &random) }
    for point in points {
      let scaled = point.latitude * 1e7
      #expect(abs(scaled - scaled.rounded()) < 1e-6)
    }
    #expect(points.allSatisfy { (-61...73).contains($0.latitude) })
    // the largest city expects a few percent of all points; spread evenly a cell would have two
    let cells = Dictionary(grouping: points) { point in
      "\(point.latitude.rounded()) \(point.longitude.rounded())"
    }
    #expect(cells.values.map(\.count).max() ?? 0 > 200)
  }

  @Test
  func `normal numbers have mean 0 and deviation 1`() {
    var random = SeededRandom(seed: 3)
    let numbers = (0..<100_000).map { _ in random.normal() }
    let mean = numbers.reduce(0, +) / 100_000
    let variance = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 100_000
    #expect(abs(mean) < 0.02 && abs(variance - 1) < 0.03)
  }

  @Test
  func `percentiles are by the nearest rank`() {
    let percentiles = Percentiles(of: Array((1...1_000).reversed()))
    #expect(percentiles.p50 == 500 && percentiles.p99 == 990 && percentiles.p999 == 999)
    let one = Percentiles(of: [7])
    #expect(one.p50 == 7 && one.p99 == 7 && one.p999 == 7)
  }

  @Test(
    arguments: [
      (0, 0, 1, "-1.0,-1.0,1.0,1.0"), (89.5, 0, 1, "-1.0,88.5,1.0,90.0"),
      (0, 179.5, 1, "178.5,-1.0,-179.5,1.0"), (0, -179.5, 1, "179.5,-1.0,-178.5,1.0"),
      (10, 20, 180, "-180.0,-90.0,180.0,90.0"), (0, 5, 0, "5.0,0.0,5.0,0.0"),
    ] as [(Double, Double, Double, String)]
  )
  func `a box ends at the poles and goes on over the antimeridian`(
    latitude: Double,
    longitude: Double,
    halfWidth: Double,
    expected: String
  ) throws {
    let center = try #require(Coordinate(latitude: latitude, longitude: longitude))
    #expect(BoundingBox.around(center, halfWidth: halfWidth).description == expected)
  }
}
