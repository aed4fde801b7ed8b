import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

/// Explanations against the answers themselves: what a page has, and what each part of a query has alone.
struct ExplanationTests {
  /// The restaurants on a page, by their positions.
  private static func members(_ query: Query, _ engine: QueryEngine) throws -> [Int] {
    let page = try engine.page(query)
    return (0..<page.count).map { page.hits[$0].position }
  }

  /// A query with every kind of filter, region, order and page.
  private static func query(
    _ restaurants: [Restaurant],
    _ engine: QueryEngine,
    _ made: inout MadeUpRestaurants,
    _ random: inout SplitMix64
  ) throws -> Query {
    var query = made.query(restaurants)
    if random.int(below: 3) == 0 { query.filter.require(made.expression(depth: 2)) }
    if random.int(below: 4) == 0 {
      let radius = [0.05, 1, 60][random.int(below: 3)]
      let center = (random.double(in: -97 ... -96.6), random.double(in: 32.8...33.2))
      query.filter.area = try Area([[AreaKind.star(center, radius, 20, &random)]])
    }
    if random.int(below: 4) == 0 {
      let time = LocalTime(day: 20_780 + random.int(below: 30), minute: random.int(below: 1_440))
      query.filter.open = OpenAt(time, includesUnknown: random.int(below: 3) == 0)
    }
    if random.int(below: 8) == 0 {
      query.filter.favoriteIDs = (0..<random.int(below: 60)).map { _ in made.one(of: restaurants).id
      }
    }
    // exactly to a restaurant, or not quite
    if case .radius(_, let center) = query.region, random.int(below: 2) == 0 {
      let distance = center.distance(to: made.one(of: restaurants).coordinate)
      query.region = .radius(
        random.int(below: 2) == 0 ? distance : max(0, distance.nextDown),
        of: center
      )
    }
    if random.int(below: 3) == 0 {
      query.limit = random.int(below: 30)
      switch random.int(below: 3) {
      case 0: query.offset = random.int(below: 20)
      case 1:
        query.limit = 1 + random.int(below: 9)
        query.cursor = try engine.page(query).next
      default: break
      }
    }
    return query
  }

  /// Restaurants of all kinds, with hours and members.
  private static func restaurants(_ count: Int, _ made: inout MadeUpRestaurants) -> [Restaurant] {
    var restaurants = made.restaurants(count)
    let hours = [
      "Mo-Fr 11:00-22:00", "Fr-Sa 18:00-02:00", "24/7", "off", "see website", "10:00-sunset",
    ]
    for index in restaurants.indices {
      if made.number(below: 3) > 0 { restaurants[index].hours = made.one(of: hours) }
      if made.number(below: 2) == 0 { restaurants[index].extra = made.members() }
    }
    return restaurants
  }

  @Test(arguments: 0..<8)
  func `every restaurant and random queries – the explanation – agrees with the answer`(
    _ part: Int
  ) throws {
    var random = SplitMix64(stream: "explanations \(part)")
    var made = MadeUpRestaurants(seed: random.next())
    let restaurants = Self.restaurants(120, &made)
    let file = try TemporarySnapshot(of: restaurants)
    let favorites = restaurants.map(\.id).filter { $0.utf8.count.isMultiple(of: 2) }
    let engine = QueryEngine(file.snapshot, favorites: { favorites })
    var counts = (included: 0, beyondPage: 0, failing: 0)
    for number in 0..<250 {
      let query = try Self.query(restaurants, engine, &made, &random)
      var whole = query
      (whole.limit, whole.offset, whole.cursor) = (nil, 0, nil)
      let all = try Self.members(whole, engine)
      let ranks = Dictionary(uniqueKeysWithValues: zip(all, 1...))
      let page = Set(try Self.members(query, engine))
      let parts = try QueryParts(query, engine)
      for (position, restaurant) in restaurants.enumerated() {
        let why = try engine.explain(restaurant.id, in: query)
        // printing a query takes longer than all checks
        func context() -> String {
          "SEED=\(SplitMix64.seed) \(part) \(number) \(restaurant.id) \(query)"
        }
        guard why.rank == ranks[position], why.total == all.count,
          why.isOnPage == page.contains(position),
          why.distance == query.center?.distance(to: restaurant.coordinate)
        else {
          Issue.record("\(context()): \(why.json)")
          return
        }
        counts.included += why.isOnPage ? 1 : 0
        if why.isOnPage {
          #expect(why.failures.isEmpty && why.remedy == nil)
          continue
        }
        let remedy = try #require(why.remedy)
        guard try Self.members(remedy, engine).contains(position) else {
          Issue.record("\(context()): the remedy \(remedy) of \(why.json)")
          return
        }
        counts.beyondPage += why.isIncluded ? 1 : 0
        counts.failing += why.isIncluded ? 0 : 1
        let faults = try parts.faults(of: why, at: position)
        guard faults.isEmpty else {
          Issue.record("\(context()): \(faults.joined(separator: "; ")) \(why.json)")
          return
        }
      }
    }
    #expect(
      counts.included > 500 && counts.beyondPage > 200 && counts.failing > 15_000,
      "\(counts)"
    )
  }

  // MARK: - Single cases

  private static func engine(
    _ restaurants: [Restaurant]
  ) throws -> (engine: QueryEngine, file: TemporarySnapshot) {
    let file = try TemporarySnapshot(of: restaurants)
    return (QueryEngine(file.snapshot), file)
  }

  /// a, b, c, …: each a hundredth of a degree further east on the equator, c with hours.
  private static func row(_ count: Int) -> [Restaurant] {
    (0..<count).map { number in
      let letter = String(UnicodeScalar(UInt8(97 + number)))
      var restaurant = Restaurant.plain(letter, at: .at(0, Double(number) / 100))
      restaurant.rating = Double(number)
      if letter == "c" { restaurant.hours = "Mo-Fr 09:00-17:00" }
      return restaurant
    }
  }

  @Test func `radius and maximum – a restaurant beyond – is brought in by its exact distance`()
    throws
  {
    let (engine, file) = try Self.engine(Self.row(5))
    _ = file
    let center = Coordinate.at(0, 0)
    let distance = center.distance(to: .at(0, 0.03))
    let inside = try engine.explain("d", in: Query(.radius(distance, of: center)))
    #expect(inside.rank == 4 && inside.isOnPage && inside.failures == [])
    let outside = try engine.explain("d", in: Query(.radius(distance.nextDown, of: center)))
    #expect(outside.failures == [.radius(beyond: distance - distance.nextDown)])
    guard case .radius(distance, of: _)? = outside.remedy?.region else {
      Issue.record("\(String(describing: outside.remedy))")
      return
    }
    let nearest = Query(.nearest(to: center, count: 2, within: 1_500))
    let both = try engine.explain("d", in: nearest)
    #expect(both.failures == [.radius(beyond: distance - 1_500), .count(before: 3)])
    #expect(both.remedy?.region == .nearest(to: center, count: 4, within: distance))
    #expect(both.rank == nil && both.total == 2)
  }

  @Test func `parts that fail – each – is named with its value`() throws {
    let (engine, file) = try Self.engine(Self.row(5))
    _ = file
    let friday = try #require(LocalTime(year: 2026, month: 11, day: 27, minute: 18 * 60))
    var filter = Filter(
      categories: ["Thai"],
      text: "nowhere c",
      where: try FilterExpression("rating >= 4 and extra.wifi = yes and id = c"),
      ids: ["a"],
      open: OpenAt(friday)
    )
    filter.favoriteIDs = ["b"]
    let why = try engine.explain("c", in: Query(.everywhere, matching: filter))
    let monday = LocalTime(day: friday.day + 3, minute: 9 * 60)
    let values = [("rating", JSONValue.number("2.0")), ("extra.wifi", .null)].map {
      JSONMember(name: $0.0, value: $0.1)
    }
    let words = try #require(
      why.failures.compactMap { if case .text(let words) = $0 { words } else { nil } }.first
    )
    #expect(words.contains("nowhere"))
    #expect(
      why.failures == [
        .ids, .favorites, .text(words: words), .categories,
        .open(
          Explanation.Opening(time: friday, state: .closed, isClosedForGood: false, next: monday)
        ),
        .condition(
          Explanation.Requirement(
            expression: try FilterExpression("rating >= 4"),
            values: [values[0]],
            outside: nil
          )
        ),
        .condition(
          Explanation.Requirement(
            expression: try FilterExpression("extra.wifi = yes"),
            values: [values[1]],
            outside: nil
          )
        ),
      ]
    )
    let remedy = try #require(why.remedy)
    #expect(remedy.filter.expression == (try FilterExpression("id = c")))
    #expect(remedy.filter.ids == nil && remedy.filter.open == nil && remedy.filter.categories == [])
  }

  @Test func `unknown hours – with a time – are brought in by asking for these too`() throws {
    let (engine, file) = try Self.engine(Self.row(3))
    _ = file
    let open = OpenAt(LocalTime(day: 20_784, minute: 600))
    let why = try engine.explain("a", in: Query(.everywhere, matching: Filter(open: open)))
    #expect(why.remedy?.filter.open == OpenAt(open.time, includesUnknown: true))
    #expect(why.addsUnknownHours)
    let opening = Explanation.Opening(
      time: open.time,
      state: .unknown,
      isClosedForGood: false,
      next: nil
    )
    #expect(why.failures == [.open(opening)])
  }

  @Test func `pages – a limit, an offset and a cursor – are told from the answer`() throws {
    let (engine, file) = try Self.engine(Self.row(9))
    _ = file
    let limited = try engine.explain("e", in: Query(.everywhere, limit: 3))
    #expect(limited.rank == 5 && limited.isIncluded && !limited.isOnPage)
    #expect(limited.failures == [.page(before: 4)] && limited.remedy?.limit == 5)
    let skipped = try engine.explain("b", in: Query(.everywhere, limit: 3, offset: 4))
    #expect(skipped.remedy?.limit == 3 && skipped.remedy?.offset == 0)
    var next = Query(.everywhere, limit: 3)
    next.cursor = try engine.page(next).next
    #expect(try engine.explain("e", in: next).isOnPage)
    let before = try engine.explain("a", in: next)
    #expect(!before.isOnPage && before.remedy?.cursor == nil && before.remedy?.limit == 3)
    next.filter.categories = ["x"]
    #expect(throws: QueryError.self) { try engine.explain("a", in: next) }
  }

  @Test func `box and area – a restaurant outside – is told by how far`() throws {
    let (engine, file) = try Self.engine(Self.row(9))
    _ = file
    let box = try #require(BoundingBox(west: 0, south: -1, east: 0.02, north: 1))
    let why = try engine.explain("f", in: Query(.box(box)))
    let distance = Coordinate.at(0, 0.02).distance(to: .at(0, 0.05))
    guard case .box(let outside)? = why.failures.first else {
      Issue.record("\(why.failures)")
      return
    }
    #expect((outside - distance).magnitude < 1e-3 && why.failures.count == 1)
    #expect(
      why.remedy?.region == BoundingBox(west: 0, south: -1, east: 0.05, north: 1).map { .box($0) }
    )
    let corners = [(0.0, -1.0), (0.02, -1), (0.02, 1), (0, 1), (0, -1)]
    let area = try Area([[corners.map { Area.Vertex(longitude: $0.0, latitude: $0.1) }]])
    let within = try engine.explain("f", in: Query(.everywhere, matching: Filter(area: area)))
    guard case .area(let outside)? = within.failures.first else {
      Issue.record("\(within.failures)")
      return
    }
    #expect((outside - distance).magnitude < 1e-3 && within.remedy?.filter.area == nil)
  }

  @Test func `an unknown id, a wrong order and a deadline – are errors`() throws {
    let (engine, file) = try Self.engine(Self.row(9))
    _ = file
    let error = #expect(throws: UnknownRestaurant.self) {
      try engine.explain("nobody", in: Query(.everywhere))
    }
    #expect(error?.id == "nobody")
    #expect(throws: QueryError.self) {
      try engine.explain("a", in: Query(.everywhere, in: Order(by: .distance)))
    }
    let late = Query(.everywhere, until: Deadline(in: .zero))
    #expect(throws: QueryTimeout.self) { try engine.explain("a", in: late) }
  }
}

/// The restaurants that each part of a query has if it is all there is to ask.
private struct QueryParts {
  private let query: Query
  private let engine: QueryEngine
  private var members: [String: Set<Int>] = [:]

  init(_ query: Query, _ engine: QueryEngine) throws {
    self.query = query
    self.engine = engine
    let filter = query.filter
    func add(_ name: String, _ region: Query.Region = .everywhere, _ part: Filter = .all) throws {
      members[name] = Set(try Self.members(Query(region, matching: part), engine))
    }
    if let ids = filter.ids { try add("ids", .everywhere, Filter(ids: ids)) }
    if let ids = filter.favoriteIDs { try add("favorites", .everywhere, Filter(ids: ids)) }
    if !filter.categories.isEmpty {
      try add("categories", .everywhere, Filter(categories: filter.categories))
    }
    if let open = filter.open { try add("open", .everywhere, Filter(open: open)) }
    if let area = filter.area { try add("area", .everywhere, Filter(area: area)) }
    for part in filter.expression?.conjuncts ?? [] {
      try add("where \(part)", .everywhere, Filter(where: part))
    }
    if !filter.text.isBlank {
      let words = filter.text.split(separator: " ").map(String.init)
      for word in words { try add("text \(word)", .everywhere, Filter(text: word)) }
    }
    switch query.region {
    case .everywhere: break
    case .box: try add("box", query.region)
    case .radius: try add("radius", query.region)
    case .nearest(let center, _, let maximum): try add("radius", .radius(maximum, of: center))
    }
  }

  private static func members(_ query: Query, _ engine: QueryEngine) throws -> [Int] {
    let page = try engine.page(query)
    return (0..<page.count).map { page.hits[$0].position }
  }

  /// What is wrong with the failures that an explanation names; empty if they are right.
  func faults(of why: Explanation, at position: Int) throws -> [String] {
    var (named, faults): (Set<String>, [String]) = ([], [])
    for failure in why.failures {
      switch failure {
      case .ids: named.insert("ids")
      case .favorites: named.insert("favorites")
      case .text(let words): named.formUnion(words.map { "text \($0)" })
      case .categories: named.insert("categories")
      case .open: named.insert("open")
      case .area(let meters):
        named.insert("area")
        if meters < 0 || !meters.isFinite { faults.append("\(meters) m outside the area") }
      case .condition(let requirement): named.insert("where \(requirement.expression)")
      case .radius: named.insert("radius")
      case .box(let meters):
        named.insert("box")
        if meters < 0 || !meters.isFinite { faults.append("\(meters) m outside the box") }
      case .count, .page: break
      }
    }
    if !why.isIncluded {
      // texts are compared without case
      let failing = members.filter { !$0.value.contains(position) }.keys
      let expected = Set(failing.map { $0.hasPrefix("text") ? folded($0) : $0 })
      if named != expected {
        faults.append("named \(named.sorted()), failing \(expected.sorted())")
      }
    }
    guard let remedy = why.remedy else { return faults }
    faults += try placeFaults(of: why, remedy, at: position)
    faults += try changes(of: remedy, from: why).filter { change in
      try Self.members(change.query, engine).contains(position)
    }.map { "\($0.name) is not needed" }
    return faults
  }

  /// What is wrong with the numbers of restaurants that come before, told by whole answers.
  private func placeFaults(
    of why: Explanation,
    _ remedy: Query,
    at position: Int
  ) throws -> [String] {
    var expected: [Explanation.Failure] = []
    if !why.isIncluded, case .nearest(let center, let count, _) = query.region,
      case .nearest(_, _, let maximum) = remedy.region
    {
      let all = Query(
        .nearest(to: center, count: engine.snapshot.count, within: maximum),
        matching: remedy.filter
      )
      let before = try Self.members(all, engine).firstIndex(of: position) ?? -1
      if before >= count { expected.append(.count(before: before)) }
    }
    var whole = remedy
    (whole.limit, whole.offset, whole.cursor) = (nil, 0, nil)
    let before = try Self.members(whole, engine).firstIndex(of: position) ?? -1
    let hasOwnCursor = why.isIncluded && query.cursor != nil
    let isLate = before >= query.offset + (query.limit ?? .max / 2)
    if hasOwnCursor || before < query.offset || isLate { expected.append(.page(before: before)) }
    let named = why.failures.filter { failure in
      switch failure {
      case .count, .page: true
      default: false
      }
    }
    return named == expected ? [] : ["named \(named), not \(expected)"]
  }

  /// The remedy with each number of it a little smaller, where it differs from the query.
  private func changes(
    of remedy: Query,
    from why: Explanation
  ) -> [(name: String, query: Query)] {
    var found: [(name: String, query: Query)] = []
    func add(_ name: String, _ change: (inout Query) -> Void) {
      var less = remedy
      change(&less)
      found.append((name, less))
    }
    let query = why.query
    switch (query.region, remedy.region) {
    case (.radius(let radius, _), .radius(let newRadius, let center)) where radius != newRadius:
      add("radius") { $0.region = .radius(newRadius.nextDown, of: center) }
    case (.nearest(_, let count, let maximum), .nearest(let center, let newCount, let newMaximum)):
      if newMaximum != maximum {
        add("maximum") {
          $0.region = .nearest(to: center, count: newCount, within: newMaximum.nextDown)
        }
      }
      if newCount != count {
        add("count") {
          $0.region = .nearest(to: center, count: newCount - 1, within: newMaximum)
        }
      }
    case (.box(let box), .box(let newBox)) where box != newBox:
      add("box") { $0.region = query.region }
    default: break
    }
    if remedy.limit != query.limit { add("limit") { $0.limit = $0.limit.map { $0 - 1 } } }
    if remedy.offset != query.offset { add("offset") { $0.offset = query.offset } }
    return found
  }
}
