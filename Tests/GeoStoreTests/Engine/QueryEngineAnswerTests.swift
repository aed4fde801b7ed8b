import Foundation
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// What an answer promises next to its members: order, limits, counts, one generation.
struct QueryEngineAnswerTests {
  private let center = Coordinate.at(10, 20)

  @Test func `restaurants at one point come by id as UTF-8 bytes, at every limit`() throws {
    let ids = ["f", "e\u{301}", "\u{E9}", "Z", "a", "", "a\u{10000}", "a\u{FFFF}", "a-", "10", "9"]
    let store = try TemporaryStore(ids.shuffled().map { .plain($0, at: center) })
    let sorted = ids.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
      .map { Array($0.utf8) }
    let engine = try store.engine()
    for count in 0...ids.count {
      let answers = [
        try engine.nearest(to: center, count: count),
        try engine.matches(Query(.radius(0, of: center), limit: count)),
        try engine.matches(Query(.box(.world), limit: count)),
        try engine.matches(Query(.everywhere, limit: count)),
      ]
      for answer in answers {
        #expect(answer.map { Array($0.restaurant.id.utf8) } == Array(sorted.prefix(count)))
      }
    }
  }

  @Test func `ten nearest of a category are ten of that category, however far`() throws {
    var random = SplitMix64(stream: "category")
    let near = (0..<200).map {
      Restaurant.plain("near-\($0)", at: random.coordinate(near: center, degrees: 0.01))
    }
    let far = (0..<12).map { number in
      var restaurant = Restaurant.plain("far-\(number)", at: .at(-10 - Double(number), 20))
      restaurant.category = "Café"
      return restaurant
    }
    let store = try TemporaryStore(near + far)
    let found = try store.engine().nearest(
      to: center,
      count: 10,
      matching: Filter(categories: ["CAFE"])
    )
    #expect(found.map(\.restaurant.id) == (0..<10).map { "far-\($0)" })
  }

  @Test func `a summary counts what follows and what there would be without the limit`() throws {
    let restaurants = (0..<20).map { Restaurant.plain("\($0)", at: .at(Double($0), 0)) }
    let engine = try TemporaryStoreHolder(restaurants)
    for (region, hasDistance, total) in [
      (.nearest(to: .at(0, 0), count: 8), true, 8), (.radius(1e6, of: .at(0, 0)), true, 10),
      (.box(.world), false, 20), (.everywhere, false, 20),
    ] as [(Query.Region, Bool, Int)] {
      for limit in [0, 3, 100] {
        let query = Query(region, limit: limit)
        var summaries: [AnswerSummary] = []
        var count = 0
        try engine.engine.answer(query) {
          summaries.append($0)
        } each: { _ in
          count += 1
        }
        #expect(summaries.count == 1)
        #expect(summaries.first?.count == count)
        #expect(count == min(limit, total))
        #expect(summaries.first?.total == total)
        #expect(summaries.first?.hasDistance == hasDistance)
        #expect(try engine.engine.count(query).total == total)
        #expect(try engine.engine.matches(query).allSatisfy { ($0.distance != nil) == hasDistance })
      }
    }
  }

  @Test func `an answer's extent is the smallest arc around what follows`() throws {
    let restaurants = [
      Restaurant.plain("a", at: .at(1, 179)), .plain("b", at: .at(-2, -178)),
      .plain("c", at: .at(5, 10)),
    ]
    let engine = try TemporaryStoreHolder(restaurants)
    func extent(_ region: Query.Region, limit: Int? = nil) throws -> BoundingBox? {
      var extent: BoundingBox?
      try engine.engine.answer(Query(region, limit: limit)) {
        extent = $0.extent
      } each: { _ in
      }
      return extent
    }
    let pair = BoundingBox(west: 179, south: -2, east: -178, north: 1)
    let all = BoundingBox(west: 10, south: -2, east: -178, north: 5)
    for region in [.everywhere, .box(.world)] as [Query.Region] {
      #expect(try extent(region) == all)
      #expect(try extent(region, limit: 2) == pair)
      #expect(try extent(region, limit: 0) == nil)
    }
    #expect(try extent(.nearest(to: .at(0, 180), count: 2)) == pair)
    #expect(try extent(.radius(1, of: .at(0, 0))) == nil)
  }

  @Test func `an import is in the store's next snapshot, and leaves an open one as it is`() throws {
    let store = try TemporaryStore([.plain("a", at: .at(1, 1)), .plain("b", at: .at(2, 2))])
    let first = try store.engine()
    var engine = first
    #expect(try engine.nearest(to: .at(1, 1), count: 1).map(\.restaurant.id) == ["a"])
    try store.add(Feeds.of([.plain("b", at: .at(2, 2)), .plain("c", at: .at(1, 1))]))
    engine = try store.engine()
    #expect(try engine.nearest(to: .at(1, 1), count: 9).map(\.restaurant.id) == ["c", "b"])
    #expect(try engine.within(.world).map(\.restaurant.id) == ["b", "c"])
    #expect(try engine.count(Query(.box(.world))).total == 2)
    // a change of a text only, at the same places
    var renamed = Feeds.of([.plain("b", at: .at(2, 2)), .plain("c", at: .at(1, 1))])
    renamed.restaurants[0].category = "Pub"
    try store.add(renamed)
    engine = try store.engine()
    let pubs = try engine.nearest(to: .at(1, 1), count: 9, matching: Filter(categories: ["pub"]))
    #expect(pubs.map(\.restaurant.id) == ["b"])
    #expect(try first.within(.world).map(\.restaurant.id) == ["a", "b"])
  }

  @Test func `the order of the feed changes no answer`() throws {
    var random = SplitMix64(stream: "shuffle")
    let restaurants = RestaurantLayout.grid.restaurants(count: 60, using: &random)
    let engines = try (0..<3).map { _ in
      try TemporaryStoreHolder(restaurants.shuffled(using: &random))
    }
    for center in (0..<10).map({ _ in restaurants[random.int(below: 60)].coordinate }) {
      let answers = try engines.map {
        try $0.engine.nearest(to: center, count: 13).exactly
          + $0.engine.within(radius: 60_000, of: center).exactly + $0.engine.within(.world).exactly
      }
      #expect(answers[0] == answers[1] && answers[1] == answers[2], "SEED=\(SplitMix64.seed)")
    }
  }

  @Test func `queries from many threads give the same answers`() async throws {
    let holder = try TemporaryStoreHolder(
      (0..<200).map { .plain("\($0)", at: .at(Double($0 % 17), Double($0 % 13))) }
    )
    let expected = try holder.engine.nearest(to: center, count: 20)
    let engine = holder.engine
    let center = center
    let answers = try await withThrowingTaskGroup(of: [Match].self) { group in
      for _ in 0..<16 { group.addTask { try engine.nearest(to: center, count: 20) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers == Array(repeating: expected, count: 16))
  }

  @Test func `what a block throws ends the visit and comes out`() throws {
    struct Stop: Error {}
    let holder = try TemporaryStoreHolder((0..<5).map { .plain("\($0)") })
    for region in [.everywhere, .box(.world)] as [Query.Region] {
      var visited = 0
      #expect(throws: Stop.self) {
        try holder.engine.answer(Query(region)) { _ in
        } each: { _ in
          visited += 1
          if visited == 2 { throw Stop() }
        }
      }
      #expect(visited == 2)
    }
  }
}

/// A store together with one engine on it.
private struct TemporaryStoreHolder {
  let store: TemporaryStore
  let engine: QueryEngine

  init(_ restaurants: [Restaurant]) throws {
    store = try TemporaryStore(restaurants)
    engine = try store.engine()
  }
}
