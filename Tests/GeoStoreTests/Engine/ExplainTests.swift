import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// An explained query has the answer of a plain one, and says what it took.
struct ExplainTests {
  private let center = Coordinate.at(10, 20)

  private func store() throws -> TemporaryStore {
    var random = SplitMix64(stream: "explain")
    return try TemporaryStore(
      (0..<500).map { .plain("\($0)", at: random.coordinate(near: center, degrees: 1)) }
    )
  }

  private var regions: [Query.Region] {
    let box = BoundingBox(west: 19.8, south: 9.8, east: 20.2, north: 10.2) ?? .world
    return [.nearest(to: center, count: 9), .radius(40_000, of: center), .box(box), .box(.world)]
  }

  @Test func `asking for an explanation changes no answer`() throws {
    let store = try store()
    let engine = try store.engine()
    for region in regions {
      for filter in [Filter.all, Filter(text: "1")] {
        let plain = Query(region, matching: filter, limit: 5)
        var explained = plain
        explained.isExplained = true
        #expect(try engine.matches(explained).exactly == engine.matches(plain).exactly)
        #expect(try engine.count(explained).total == engine.count(plain).total)
      }
    }
  }

  @Test func `only who asks is told`() throws {
    let store = try store()
    let engine = try store.engine()
    for region in regions + [.everywhere] {
      for isExplained in [false, true] {
        let query = Query(region, explained: isExplained)
        var summary: AnswerSummary?
        try engine.answer(query, begin: { summary = $0 }, each: { _ in })
        #expect((summary?.statistics != nil) == isExplained)
        #expect(try (engine.count(query).statistics != nil) == isExplained)
      }
    }
  }

  @Test func `the counts are those of the tree`() throws {
    let store = try store()
    let engine = try store.engine()
    let restaurants = try engine.matches(Query(.everywhere)).map(\.restaurant)
    let tree = KDTree(restaurants.map(\.coordinate))
    var expected = SearchStatistics()
    _ = tree.nearest(to: center, count: 9, statistics: &expected)
    var found: SearchStatistics?
    try engine.answer(
      Query(regions[0], explained: true),
      begin: { found = $0.statistics },
      each: { _ in }
    )
    #expect(found == expected)
    #expect(expected.distancesSolved >= 9)
    #expect(expected.members.map(\.count).reduce(0, +) > 0)
  }
}
