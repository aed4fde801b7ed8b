import Foundation
import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

#if DEBUG
/// How much the tests of snapshots do: in debug little, for they share two threads with tests that wait.
let rounds = 1
#else
/// How much the tests of snapshots do.
let rounds = 10
#endif

@Suite struct SnapshotQueryTests {
  @Test(arguments: [0, 1, 2, 33, 120])
  func `Every page of every query is what brute force says`(count: Int) throws {
    var random = MadeUpRestaurants(seed: UInt64(count) + 15)
    let restaurants = random.restaurants(count)
    let file = try TemporarySnapshot(of: restaurants)
    let engine = QueryEngine(file.snapshot)
    let oracle = QueryOracle(restaurants: restaurants)
    for _ in 0..<40 * rounds {
      let query = random.query(restaurants)
      let expected = oracle.matches(query)
      #expect(try engine.count(query).total == expected.count, "\(query)")
      let whole = try engine.page(query)
      #expect(whole.total == expected.count)
      #expect(try whole.matches == expected, "\(query)")
      #expect(whole.next == nil && whole.previous == nil)
      try checkPages(
        query,
        engine,
        expected,
        limit: (count > 33 ? 10 : 1) + random.number(below: 40)
      )
      var skipped = query
      skipped.offset = random.number(below: count + 3)
      skipped.limit = random.number(below: 20)
      let page = try engine.page(skipped)
      #expect(
        try page.matches == Array(expected.dropFirst(skipped.offset).prefix(skipped.limit ?? 0)),
        "\(skipped)"
      )
    }
  }

  /// Forward by cursors to the end, and back again.
  private func checkPages(
    _ query: Query,
    _ engine: QueryEngine,
    _ expected: [Match],
    limit: Int
  ) throws {
    var query = query
    query.limit = limit
    var found: [Match] = []
    var last: Page?
    for _ in 0...expected.count {
      let page = try engine.page(query)
      #expect(page.total == expected.count)
      found += try page.matches
      last = page
      guard let next = page.next else { break }
      query.cursor = next
    }
    #expect(found == expected, "\(query)")
    // the last page's cursor leads back
    var backward: [Match] = try last?.matches ?? []
    var cursor = last?.previous
    for _ in 0...expected.count {
      guard let before = cursor else { break }
      query.cursor = before
      let page = try engine.page(query)
      backward = try page.matches + backward
      cursor = page.previous
    }
    #expect(backward == expected, "\(query)")
  }

  @Test func `A restaurant that stays is on exactly one page, whatever is imported meanwhile`()
    throws
  {
    var random = MadeUpRestaurants(seed: 77)
    let all = random.restaurants(200)
    for _ in 0..<4 * rounds {
      let query = random.query(all, nearest: false)
      var files: [TemporarySnapshot] = []
      var seen: [String: Int] = [:]
      // those that are there from the first page to the last
      var stay = Set(all.map(\.id))
      var paged = query
      paged.limit = 10 + random.number(below: 50)
      for generation in 1...200 {
        let gone = Set((0..<20).map { _ in random.one(of: all).id })
        stay.subtract(gone)
        let file = try TemporarySnapshot(
          of: all.filter { !gone.contains($0.id) },
          generation: generation
        )
        files = [file]
        let page = try QueryEngine(file.snapshot).page(paged)
        for match in try page.matches { seen[match.restaurant.id, default: 0] += 1 }
        guard let next = page.next else { break }
        paged.cursor = next
      }
      #expect(!files.isEmpty)
      let expected = QueryOracle(restaurants: all).matches(query).map(\.restaurant.id)
      for id in expected where stay.contains(id) { #expect(seen[id] == 1, "\(id) \(query)") }
      #expect(seen.values.allSatisfy { $0 == 1 }, "\(query)")
    }
  }

  @Test func `A record is what the writers make of the restaurant, byte for byte`() throws {
    var random = MadeUpRestaurants(seed: 3)
    let restaurants = random.restaurants(300)
    let file = try TemporarySnapshot(of: restaurants)
    for (position, restaurant) in restaurants.enumerated() {
      #expect(try file.snapshot.records.restaurant(at: position) == restaurant)
      for distance in [nil, 0, 12.5, 1e7] {
        var bytes: [UInt8] = []
        file.snapshot.appendFeature(at: position, distance: distance, to: &bytes)
        var json = JSONWriter()
        json.feature(Match(restaurant: restaurant, distance: distance))
        #expect(bytes == json.bytes)
      }
      #expect(try file.snapshot.restaurant(id: restaurant.id) == restaurant)
    }
    #expect(try file.snapshot.restaurant(id: "nobody") == nil)
    try file.snapshot.verify()
  }

  @Test func `Counts by a field add up to the matches`() throws {
    var random = MadeUpRestaurants(seed: 4)
    let restaurants = random.restaurants(500)
    let file = try TemporarySnapshot(of: restaurants)
    let engine = QueryEngine(file.snapshot)
    for _ in 0..<15 * rounds {
      let query = random.query(restaurants)
      let matches = QueryOracle(restaurants: restaurants).matches(query)
      for field in Facet.allFields where field != .extra {
        let stored = try #require(RestaurantField(rawValue: field.rawValue))
        let isList = field == .category
        var expected: [String?: Int] = [:]
        for match in matches {
          let values: Set<String?> =
            switch match.restaurant[stored] {
            case .string(let text)?: isList ? Set(QueryOracle.entries(text)) : [text]
            case .number(let text)?: [Double(text).map { Self.plain($0) }]
            case .bool(let flag)?: [flag.description]
            case .array(let items)?: Set(items.map(\.asText))
            default: [field == .closed ? "false" : nil]
            }
          for value in values { expected[value, default: 0] += 1 }
        }
        let found = try engine.facets(by: field, of: query)
        #expect(found.count == expected.count)
        for facet in found {
          #expect(expected[isList ? facet.value.map(folded) : facet.value] == facet.count)
        }
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.count >= $1.count })
      }
    }
  }

  private static func plain(_ number: Double) -> String {
    number == number.rounded() ? String(Int(number)) : number.description
  }

  @Test func `facets – a member of extra – counts its values, those of lists one by one`() throws {
    let extras = [
      #"{"diet":["vegan","halal"],"deep":{"a":1}}"#, #"{"diet":"vegan","deep":{"a":1.5}}"#,
      #"{"diet":["vegan","vegan"]}"#, #"{"diet":{"x":1},"deep":{"a":[1,true,null]}}"#, "{}",
    ]
    let restaurants = try extras.enumerated().map { number, extra in
      var restaurant = Restaurant.plain("r\(number)", at: .at(0, Double(number)))
      if case .object(let members) = try JSONValue(parsing: Array(extra.utf8)) {
        restaurant.extra = members
      }
      return restaurant
    }
    let engine = QueryEngine(try TemporarySnapshot(of: restaurants).snapshot)
    func counts(_ name: String) throws -> [String] {
      try engine.facets(by: Facet.Key(name), of: Query(.everywhere))
        .map { "\($0.value ?? "-") \($0.count)" }
    }
    #expect(try counts("extra.diet") == ["vegan 3", "- 2", "halal 1"])
    #expect(try counts("EXTRA.deep.a") == ["- 2", "1 2", "1.5 1", "true 1"])
    #expect(try counts("extra.none") == ["- 5"])
    for wrong in ["extra", "nothing", "favorite", "name.first", "", "extra."] {
      #expect(throws: QueryError.self, "\(wrong)") { try counts(wrong) }
    }
  }

  @Test func `facets - each entry of a category - counts what a filter by it finds`() throws {
    let categories = [
      "Thai, Bars", "Thai", "Thai;Vegan", "Pizza|Bar", "Dining > Thai", "thai，BARS", " ; ", ",",
      "Bar;",
      "Wine / Spirits", "Thai, THAI", "a > b > c", nil,
    ]
    let restaurants = categories.enumerated().map { number, category in
      var restaurant = Restaurant.plain("r\(10 + number)", at: .at(0, Double(number)))
      restaurant.category = category
      return restaurant
    }
    let engine = QueryEngine(try TemporarySnapshot(of: restaurants).snapshot)
    let facets = try engine.facets(by: .category, of: Query(.everywhere))
    #expect(
      facets.map { "\($0.value ?? "none") \($0.count)" } == [
        "Thai 6", "Bar 2", "Bars 2", "none 1", " ;  1", ", 1", "Dining 1", "Pizza 1", "Vegan 1",
        "Wine / Spirits 1", "a 1", "b 1", "c 1",
      ]
    )
    for facet in facets {
      guard let value = facet.value else { continue }
      let query = Query(.everywhere, matching: Filter(categories: [value]))
      #expect(try engine.count(query).total == facet.count, "\(value)")
    }
    let whole = Query(.everywhere, matching: Filter(categories: ["thai, bars"]))
    #expect(try engine.count(whole).total == 1)
  }

  @Test func `orders of several keys are refused if a key is repeated or there are five`() {
    let keys: [Order.Key] = [.rating, .name, .city, .chain, .category]
    #expect(throws: Never.self) { try Order(keys.prefix(4).map { Order.Term($0) }) }
    #expect(throws: QueryError.self) { try Order(keys.map { Order.Term($0) }) }
    #expect(throws: QueryError.self) { try Order([]) }
    #expect(throws: QueryError.self) {
      try Order([Order.Term(.name), Order.Term(.city), Order.Term(.name, descending: true)])
    }
  }

  @Test func `A cursor of another query, and one that was cut or typed, are refused`() throws {
    var random = MadeUpRestaurants(seed: 5)
    let file = try TemporarySnapshot(of: random.restaurants(50))
    let engine = QueryEngine(file.snapshot)
    let next = try #require(try engine.page(Query(.everywhere, limit: 3)).next)
    for cursor in ["", "x", String(next.dropLast(3)), next + "AA", "é", "bnVsbA"] {
      #expect(throws: QueryError.self) {
        try engine.page(Query(.everywhere, limit: 3, from: cursor))
      }
    }
    #expect(throws: QueryError.self) {
      try engine.page(Query(.everywhere, in: Order(by: .name), limit: 3, from: next))
    }
    #expect(throws: QueryError.self) {
      try engine.page(Query(.everywhere, matching: Filter(text: "a"), from: next))
    }
    #expect(throws: QueryError.self) {
      try engine.page(Query(.everywhere, in: Order(by: .distance)))
    }
  }

  @Test func `A query whose time has run out says so`() throws {
    var random = MadeUpRestaurants(seed: 6)
    let file = try TemporarySnapshot(of: random.restaurants(50))
    #expect(throws: QueryTimeout.self) {
      try QueryEngine(file.snapshot).page(
        Query(.everywhere, matching: Filter(text: "cafe"), until: Deadline(in: .zero))
      )
    }
  }
}

extension MadeUpRestaurants {
  mutating func query(_ restaurants: [Restaurant], nearest: Bool = true) -> Query {
    let center =
      number(below: 2) == 0 ? coordinate() : Self.valid(32.95, -96.82)
    let region: Query.Region
    switch number(below: nearest ? 4 : 3) {
    case 0: region = .everywhere
    case 1: region = .radius(one(of: [0, 500, 5_000, 1e6, 2e7, .infinity]), of: center)
    case 2:
      let west = Double(number(below: 361)) - 180
      let east = Double(number(below: 361)) - 180
      let south = Double(number(below: 90)) - 90
      region = .box(
        number(below: 4) == 0
          ? .world
          : BoundingBox(
            west: west,
            south: south,
            east: east,
            north: south + Double(number(below: 91))
          ) ?? .world
      )
    default:
      region = .nearest(to: center, count: number(below: 50), within: one(of: [.infinity, 1e5]))
    }
    var filter = Filter()
    if number(below: 3) == 0 { filter.categories = [one(of: ["thai", "PIZZA", "cafe", "none"])] }
    if number(below: 3) == 0 {
      filter.text = one(of: ["c", "glorias", "grill", "dal th", " ", "!", "李"])
    }
    if number(below: 3) == 0 {
      let texts = [
        "rating >= 3", "rating != 5", "city = dallas", "city != Dallas", "name ~ gr", "name < d",
        "closed = true", "closed = false", "closed != true", "priceLevel <= 2", "latitude > 10",
        "longitude = 180",
        "postalCode >= 1", "source ~ csv", "phone ~ 972", "address > 5", "reviewCount < 500",
        "ratingScale = 5", "category != thai", "website ~ example.com/1", "crossStreet = x",
      ]
      for _ in 0...number(below: 2) {
        if let condition = try? Condition(one(of: texts)) { filter.require(.condition(condition)) }
      }
    }
    if number(below: 8) == 0, !restaurants.isEmpty {
      filter.ids = (0..<10).map { _ in one(of: restaurants).id } + ["nobody"]
    }
    var query = Query(region, matching: filter)
    if number(below: 2) == 0 {
      var keys = Order.Key.allCases.filter { $0 != .distance || query.center != nil }
      // one key in half of the orders
      let terms = (0..<max(1, number(below: 7) - 2)).map { _ in
        Order.Term(keys.remove(at: number(below: keys.count)), descending: number(below: 2) == 0)
      }
      query.order = try? Order(terms)
    }
    if query.center != nil, number(below: 4) == 0 {
      return Query(
        region,
        matching: filter,
        in: Order(by: .distance, descending: number(below: 2) == 0)
      )
    }
    return query
  }
}
