import Testing

@testable import GeoQuery

/// Pages of favorites have the engine's orders, and cursors that survive what is added and removed.
struct FavoriteListTests {
  private static let orders: [Order?] =
    [nil]
    + Order.Key.allCases.filter({ $0 != .distance }).flatMap {
      [Order(by: $0), Order(by: $0, descending: true)]
    }

  private static func restaurants(seed: UInt64 = 5) -> [Restaurant] {
    var random = MadeUpRestaurants(seed: seed)
    return random.restaurants(80)
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
