import GeoIndex
import Testing

@testable import GeoService

/// The map above a table of restaurants.
struct PointMapTests {
  private func coordinates(_ pairs: [(Double, Double)]) -> [Coordinate?] {
    pairs.map { Coordinate(latitude: $0.0, longitude: $0.1) }
  }

  private func points(_ html: String) -> [(x: Int, y: Int)] {
    html.matches(of: /cx="(\d+)" cy="(\d+)"/).compactMap { found in
      Int(found.1).flatMap { x in Int(found.2).map { (x, $0) } }
    }
  }

  @Test func `fewer than two restaurants have no map`() {
    #expect(PointMap([]) == nil)
    #expect(PointMap(coordinates([(1, 2)])) == nil)
    #expect(PointMap([nil, Coordinate(latitude: 1, longitude: 2), nil]) == nil)
  }

  @Test(
    arguments: [
      [(0, 0), (1, 1)], [(10, 179), (11, -179)], [(10, 180), (11, -180)], [(5, 5), (5, 5)],
      [(90, 0), (90, 10)], [(-90, 0), (90, 10)], [(-90, 7), (-90, 7)], [(0, -180), (0, 0)],
      [(80, -170), (-80, 170)], [(52.5, 13.4), (52.500001, 13.400001)],
    ]
  )
  func `points are inside, north is up and east is right`(pairs: [(Double, Double)]) throws {
    let html = try #require(PointMap(coordinates(pairs))).html.source
    let found = points(html)
    #expect(found.count == 2)
    for point in found { #expect((8...352).contains(point.x) && (8...212).contains(point.y)) }
    if pairs[0].0 > pairs[1].0 { #expect(found[0].y <= found[1].y) }
    if pairs[0].0 < pairs[1].0 { #expect(found[0].y >= found[1].y) }
    let east = (pairs[1].1 - pairs[0].1 + 540).truncatingRemainder(dividingBy: 360) - 180
    if east > 0 { #expect(found[0].x <= found[1].x) }
    if east < 0, east > -180 { #expect(found[0].x >= found[1].x) }
  }

  @Test func `the scale line is as long as it says`() throws {
    // a degree of longitude at the equator is 111.3 km
    let html = try #require(PointMap(coordinates([(0, 0), (0, 1)]))).html.source
    let found = points(html)
    let line = try #require(html.firstMatch(of: /V\d+H(\d+)V/).flatMap { Int($0.1) }) - 8
    let label = try #require(html.firstMatch(of: />(\d+) km</).flatMap { Double($0.1) })
    let metersPerPixel = 111_319.5 / Double(found[1].x - found[0].x)
    #expect(abs(Double(line) * metersPerPixel - label * 1_000) <= metersPerPixel)
    #expect(label == 20)
  }

  @Test func `a few points lead to their rows, and many are drawn once each`() throws {
    let pairs = (0..<PointMap.maximumNumbers).map { (Double($0) / 10, 1.0) }
    let few = try #require(PointMap(coordinates(pairs)))
    #expect(few.isNumbered)
    #expect(few.html.source.matches(of: /href="#row-\d+"/).count == PointMap.maximumNumbers)
    let gap = try #require(PointMap([nil] + coordinates([(1, 1), (2, 2)])))
    #expect(gap.html.source.contains("#row-3") && !gap.html.source.contains("#row-1\""))
    let many = try #require(PointMap(coordinates(pairs + pairs)))
    #expect(!many.isNumbered && !many.html.source.contains("href"))
    #expect(points(many.html.source).count == PointMap.maximumNumbers)
    #expect(many.html.source.contains("Map of the 100 restaurants"))
  }
}
