import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

struct AreaQueryTests {
  /// Stars around the made-up restaurants, and areas of every kind.
  private static func areas(using random: inout SplitMix64) throws -> [Area] {
    let kinds: [AreaKind] = [.polarCap, .world, .cutAtAntimeridian, .beyondAntimeridian, .grid]
    let stars = try [0.02, 0.1, 30].flatMap { radius in
      try (0..<4).map { _ in
        let center = (random.double(in: -96.9 ... -96.7), random.double(in: 32.9...33.1))
        return try Area([[AreaKind.star(center, radius, 30, &random)]])
      }
    }
    return try stars + kinds.map { try $0.area(using: &random) }
  }

  @Test(arguments: [0, 1, 60, 5_000])
  func `every kind of query with an area equals a linear scan`(_ count: Int) throws {
    var made = MadeUpRestaurants(seed: 40)
    var random = SplitMix64(stream: "area queries \(count)")
    let file = try TemporarySnapshot(of: made.restaurants(count))
    let oracle = QueryOracle(
      restaurants: try (0..<count).map { try file.snapshot.records.restaurant(at: $0) }
    )
    let orders: [Order?] = [nil, nil, Order(by: .name), Order(by: .rating, descending: true)]
    var answers = 0
    for area in try Self.areas(using: &random) {
      for others in [Filter(), Filter(categories: ["thai"]), Filter(text: "cafe")] {
        var filter = others
        filter.area = area
        let center = random.int(below: 3) == 0 ? random.coordinate() : .at(32.95, -96.8)
        let box = try #require(BoundingBox(west: -97, south: 32, east: 10, north: 80))
        for region: Query.Region in [
          .nearest(to: center, count: 10), .nearest(to: center, count: 3, within: 20_000),
          .radius(5_000, of: center), .box(box), .everywhere,
        ] {
          // an engine of its own, which remembers no filter
          let engine = QueryEngine(file.snapshot)
          let query = Query(region, matching: filter, in: orders[random.int(below: 4)])
          let expected = oracle.matches(query)
          let page = try engine.page(query)
          #expect(try page.matches == expected, "\(region)")
          #expect(page.total == expected.count)
          #expect(try engine.count(query).total == expected.count)
          #expect(try engine.page(query).matches == expected, "\(region) again")
          answers += expected.count
        }
      }
    }
    #expect(answers > count || count == 0)
  }

  @Test func `filters differ if their areas do`() throws {
    var random = SplitMix64(stream: "area bytes")
    let one = try Area([[AreaKind.star((1, 2), 3, 9, &random)]])
    let other = try Area([[AreaKind.star((1, 2), 3, 9, &random)]])
    var filter = Filter(area: one)
    #expect(!filter.takesAll)
    #expect(filter.bytes == Filter(area: one).bytes)
    #expect(filter.bytes != Filter(area: other).bytes)
    filter.area = other
    #expect(filter.bytes == Filter(area: other).bytes)
    filter.area = nil
    #expect(filter.bytes == Filter.all.bytes)
    #expect(filter.takesAll)
  }

  @Test func `a search in an area ends when the time is up`() throws {
    var made = MadeUpRestaurants(seed: 41)
    let file = try TemporarySnapshot(of: made.restaurants(3_000))
    var random = SplitMix64(stream: "area time")
    let area = try Area([[AreaKind.star((-96.8, 33), 0.1, 30, &random)]])
    for region: Query.Region in [.everywhere, .nearest(to: .at(33, -97), count: 5)] {
      let query = Query(region, matching: Filter(area: area), until: Deadline(in: .zero))
      #expect(throws: QueryTimeout.self) { try QueryEngine(file.snapshot).page(query) }
    }
  }
}
