import GeoIndex
import Testing

@testable import GeoQuery

/// Orders, and answers in pages.
struct PageCursorTests {
  private let center = Coordinate.at(10, 20)

  private var regions: [Query.Region] {
    [
      .everywhere, .box(.world), .radius(60_000, of: center), .radius(.infinity, of: center),
      .nearest(to: center, count: 37),
    ]
  }

  private var orders: [Order?] {
    [nil]
      + [Order.Key.name, .rating, .price, .distance].flatMap { key in
        [Order(by: key), Order(by: key, descending: true)]
      }
  }

  /// The oracle: all answers sorted by what their own properties say.
  private func sorted(_ matches: [Match], _ order: Order) -> [String] {
    func key(_ match: Match) -> [Double]? {
      let restaurant = match.restaurant
      switch order.key {
      case .distance: return match.distance.map { [$0] }
      case .rating: return restaurant.rating.map { [$0 / (restaurant.ratingScale ?? 5)] }
      case .price: return restaurant.priceLevel.map { [Double($0)] }
      case .name: return folded(restaurant.name).utf8.map(Double.init)
      }
    }
    return
      matches
      .map { (id: $0.restaurant.id, key: key($0)) }
      .sorted { one, other in
        if one.key == other.key { return one.id < other.id }
        guard let left = one.key, let right = other.key else { return one.key != nil }
        return order.isDescending
          ? right.lexicographicallyPrecedes(left) : left.lexicographicallyPrecedes(right)
      }
      .map(\.id)
  }

  @Test func `an order is by its key, then by id, and what lacks the key is last`() throws {
    var random = SplitMix64(stream: "orders")
    let store = try TemporaryStore(random.restaurants(120))
    defer { withExtendedLifetime(store) {} }
    let engine = try store.engine()
    for region in regions {
      let all = try engine.matches(Query(region))
      for case let order? in orders {
        let query = Query(region, in: order)
        if order.key == .distance, query.center == nil {
          #expect(throws: QueryError("sort", "distance needs a point to measure from")) {
            try engine.matches(query)
          }
          continue
        }
        let found = try engine.matches(query).map(\.restaurant.id)
        #expect(found == sorted(all, order), "SEED=\(SplitMix64.seed) \(region) \(order)")
      }
    }
  }

  @Test func `pages are disjoint and together the whole answer, whatever their limits`() throws {
    var random = SplitMix64(stream: "pages")
    let store = try TemporaryStore(random.restaurants(90))
    defer { withExtendedLifetime(store) {} }
    let engine = try store.engine()
    for region in regions {
      for filter in [Filter.all, Filter(text: "x"), Filter(categories: ["thai", "café"])] {
        for order in orders {
          var query = Query(region, matching: filter, in: order)
          if order?.key == .distance, query.center == nil { continue }
          let whole = try engine.matches(query).exactly
          var pages: [Match] = []
          var rounds = 0
          repeat {
            query.limit = 1 + random.int(below: 30)
            var summary: AnswerSummary?
            try engine.answer(query) {
              summary = $0
            } each: {
              pages.append($0)
            }
            #expect(summary?.total == whole.count)
            query.cursor = summary?.next
            rounds += 1
          } while query.cursor != nil && rounds < 200
          #expect(pages.exactly == whole, "SEED=\(SplitMix64.seed) \(query)")
        }
      }
    }
  }

  @Test func `only an answer with a limit has a next page, and only where some are left`() throws {
    let store = try TemporaryStore((0..<10).map { .plain("\($0)", at: center) })
    defer { withExtendedLifetime(store) {} }
    let engine = try store.engine()
    func next(_ query: Query) throws -> String? {
      var next: String?
      try engine.answer(query, begin: { next = $0.next }, each: { _ in })
      return next
    }
    for region in regions {
      #expect(try next(Query(region)) == nil)
      #expect(try next(Query(region, limit: 10)) == nil)
      #expect(try next(Query(region, limit: 9)) != nil)
      #expect(try next(Query(region, limit: 0)) != nil)
    }
    let cursor = try next(Query(.everywhere, limit: 4))
    #expect(try engine.matches(Query(.everywhere, from: cursor)).count == 6)
  }

  @Test func `a cursor fits its own query on its own generation only`() throws {
    let store = try TemporaryStore((0..<10).map { .plain("\($0)") })
    let engine = try store.engine()
    let query = Query(.radius(1e6, of: .at(32, -96)), matching: Filter(text: "name"), limit: 3)
    func cursor() throws -> String? {
      var cursor: String?
      try engine.answer(query, begin: { cursor = $0.next }, each: { _ in })
      return cursor
    }
    func problem(_ change: (inout Query) -> Void) throws -> String? {
      var changed = query
      changed.cursor = try cursor()
      change(&changed)
      do {
        _ = try engine.matches(changed)
        return nil
      } catch let error as QueryError {
        #expect(error.parameter == "cursor")
        return error.reason
      }
    }
    #expect(try problem { _ in } == nil)
    #expect(try problem { $0.limit = 7 } == nil)
    let changes: [(inout Query) -> Void] = [
      { $0.region = .radius(1e6 + 1, of: .at(32, -96)) }, { $0.region = .everywhere },
      { $0.filter.text = "nam" }, { $0.filter.categories = ["a"] },
      { $0.filter.conditions = (try? [Condition("rating > 4")]) ?? [] },
      { $0.order = Order(by: .name) }, { $0.order = Order(by: .name, descending: true) },
    ]
    for change in changes {
      #expect(try problem(change)?.hasPrefix("belongs to another query") == true)
    }
    let given = try #require(try cursor())
    for text in [
      "", "x", String(given.dropLast()), given + "A", String(given.reversed()),
      "*" + given.dropFirst(),
      String(repeating: "A", count: given.count),
      given.replacing(given.prefix(12), with: "AAAAAAAAAAAA"),
    ] {
      #expect(try problem { $0.cursor = text }?.hasPrefix("not a cursor that geoq gave") == true)
    }
    try store.open().addFavorites(["3"])
    #expect(try problem { $0.cursor = given } == nil)
    try store.add(Feeds.of((0..<11).map { .plain("\($0)") }))
    #expect(try problem { $0.cursor = given }?.hasPrefix("the restaurants have changed") == true)
  }
}
