import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

/// Pages of favorites have the engine's orders, and cursors that survive what is added and removed.
struct FavoriteListTests {
  private static let orders: [Order?] =
    [nil]
    + Order.Key.allCases.filter({ $0 != .distance }).flatMap {
      [Order(by: $0), Order(by: $0, descending: true)]
    }
    + [
      try? Order([.init(.priceLevel, descending: true), .init(.city), .init(.rating)]),
      try? Order([.init(.category), .init(.chain, descending: true), .init(.name), .init(.rating)]),
    ]

  private static func restaurants(seed: UInt64 = 5) -> [Restaurant] {
    var random = MadeUpRestaurants(seed: seed)
    var restaurants = random.restaurants(80)
    // as good as 0
    for index in restaurants.indices where restaurants[index].rating == 0 && index % 2 == 0 {
      restaurants[index].rating = -0.0
    }
    return restaurants
  }

  @Test(arguments: orders)
  func `the order is that of the engine`(order: Order?) throws {
    let restaurants = Self.restaurants()
    let file = try TemporarySnapshot(of: restaurants)
    let page = try QueryEngine(file.snapshot).page(Query(.everywhere, in: order))
    let list = try FavoriteList.page(
      of: restaurants.shuffled().map { Match(restaurant: $0) },
      in: order
    )
    #expect(list.matches.map(\.restaurant.id) == (try page.matches.map(\.restaurant.id)))
    #expect(list.total == 80 && list.next == nil && list.previous == nil)
  }

  @Test(arguments: orders)
  func `forward and backward, each favorite that stays is on one page`(order: Order?) throws {
    let all = Self.restaurants().map { Match(restaurant: $0) }
    let kept = all.enumerated().filter { $0.offset % 3 != 0 }.map(\.element)
    let whole = try FavoriteList.page(of: kept, in: order).matches.map(\.restaurant.id)
    var found: [String] = []
    var cursor: String?
    var last: FavoriteList?
    for step in 0..<40 {
      // a third of the favorites comes and goes between two pages
      let now = step % 2 == 0 ? all : kept
      let page = try FavoriteList.page(of: now, in: order, limit: 7, from: cursor)
      found += page.matches.map(\.restaurant.id)
      if !page.matches.isEmpty { last = page }
      cursor = page.next
      if cursor == nil { break }
    }
    #expect(found.filter(Set(whole).contains) == whole)
    let back = try #require(last?.previous)
    let before = try FavoriteList.page(of: kept, in: order, limit: 200, from: back)
    #expect(before.previous == nil && !before.startsOver)
    #expect(before.matches.map(\.restaurant.id) == Array(whole.prefix(before.matches.count)))
  }

  @Test
  func `a cursor of another order and an order by distance are refused`() throws {
    let all = Self.restaurants().map { Match(restaurant: $0) }
    let next = try #require(try FavoriteList.page(of: all, limit: 3).next)
    #expect(throws: QueryError.self) {
      try FavoriteList.page(of: all, in: Order(by: .name), from: next)
    }
    #expect(throws: QueryError.self) {
      try FavoriteList.page(of: all, in: Order(by: .distance))
    }
    #expect(throws: QueryError.self) { try FavoriteList.page(of: all, from: "x") }
  }

  @Test(arguments: [false, true])
  func `by distance, the order and the distances are those of the engine`(isDescending: Bool) throws
  {
    let restaurants = Self.restaurants(seed: 18)
    let file = try TemporarySnapshot(of: restaurants)
    let all = restaurants.shuffled().map { Match(restaurant: $0) }
    let order = Order(by: .distance, descending: isDescending)
    for center in [Coordinate.at(32.95, -96.82), .at(-90, 0), .at(0, 180)] {
      let query = Query(.radius(20_037_508, of: center), in: order)
      let expected = try QueryEngine(file.snapshot).page(query).matches
      var found: [Match] = []
      var cursor: String?
      repeat {
        let page = try FavoriteList.page(
          of: all,
          in: order,
          center: center,
          limit: 9,
          from: cursor
        )
        found += page.matches
        cursor = page.next
      } while cursor != nil
      #expect(found.map(\.restaurant.id) == expected.map(\.restaurant.id))
      #expect(found.map(\.distance) == expected.map(\.distance))
    }
    let next = try FavoriteList.page(of: all, in: order, center: .at(1, 1), limit: 3).next
    #expect(throws: QueryError.self) {
      try FavoriteList.page(of: all, in: order, center: .at(1, 2), from: next)
    }
  }

  @Test func `a filter finds among favorites what the engine finds`() throws {
    let restaurants = Self.restaurants(seed: 19)
    let file = try TemporarySnapshot(of: restaurants)
    let engine = QueryEngine(file.snapshot)
    let all = restaurants.map { Match(restaurant: $0) }
    let names = restaurants.map(\.name) + restaurants.compactMap(\.category)
    let words = names.flatMap { $0.split(separator: " ") }.map { String($0.prefix(3)) }
    let categories = Array(Set(restaurants.compactMap(\.category))).sorted()
    var filters = [Filter.all, Filter(text: " "), Filter(text: "--"), Filter(text: "zzzz")]
    filters += names.map { Filter(text: $0) } + words.map { Filter(text: $0.uppercased()) }
    filters += categories.map { Filter(categories: [$0.uppercased()]) }
    filters += zip(categories, words).map { Filter(categories: [$0, "Thai"], text: $1) }
    var hits = 0
    for filter in filters {
      let found = FavoriteList.matching(filter, among: all).map(\.restaurant.id)
      let expected = try engine.page(Query(.everywhere, matching: filter)).matches
      #expect(Set(found) == Set(expected.map(\.restaurant.id)), "\(filter)")
      #expect(found.count == expected.count)
      hits += found.count
      let facets = try engine.facets(by: .category, of: Query(.everywhere, matching: filter))
      let counted = FavoriteList.categories(of: FavoriteList.matching(filter, among: all))
      // of the same entries in other letters, each shows the first that it knows
      let same = { (facet: Facet) in Facet(value: facet.value.map(folded), count: facet.count) }
      #expect(Set(counted.map(same)) == Set(facets.map(same)), "\(filter)")
    }
    #expect(hits > 1_000)
  }

  @Test
  func `a long name is cut between characters, so that its cursor fits`() throws {
    let name = String(repeating: "a", count: 255) + "李家"
    let restaurants = (0..<9).map {
      Restaurant(id: "\($0)", name: name, coordinate: .at(0, 0), source: "s")
    }
    let file = try TemporarySnapshot(of: restaurants)
    let engine = QueryEngine(file.snapshot)
    let order = Order(by: .name)
    let first = try engine.page(Query(.everywhere, in: order, limit: 4))
    let second = try engine.page(Query(.everywhere, in: order, limit: 4, from: first.next))
    #expect(try second.matches.map(\.restaurant.id) == ["4", "5", "6", "7"])
    let list = restaurants.map { Match(restaurant: $0) }
    let cursor = try FavoriteList.page(of: list, in: order, limit: 4).next
    let rest = try FavoriteList.page(of: list, in: order, from: cursor)
    #expect(rest.matches.map(\.restaurant.id) == ["4", "5", "6", "7", "8"])
  }
}
