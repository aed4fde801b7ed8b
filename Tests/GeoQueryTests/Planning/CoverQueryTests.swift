import GeoIndex
import Testing

@testable import GeoQuery

@Suite struct CoverQueryTests {
  private static let addison = MadeUpRestaurants.valid(32.95, -96.82)

  private func engine(_ count: Int) throws -> (TemporarySnapshot, [Restaurant]) {
    var random = MadeUpRestaurants(seed: 5)
    let restaurants = random.restaurants(count)
    return (try TemporarySnapshot(of: restaurants), restaurants)
  }

  private let thai = Want("Thai", .filter(Filter(categories: ["Thai"])), amount: 0.1)
  private let cafe = Want("Café", .filter(Filter(categories: ["Café"])), amount: 0.2)

  @Test func `An answer has the outcome of each want`() throws {
    let (file, restaurants) = try engine(120)
    let engine = QueryEngine(file.snapshot)
    let nowhere = Want("x", .set(BitSet(capacity: 120)), amount: 7)
    let distances = restaurants.map { Self.addison.distance(to: $0.coordinate) }
    let cafes = restaurants.indices.filter { restaurants[$0].category == "Café" }
    let nearest = try #require(cafes.min { (distances[$0], $0) < (distances[$1], $1) })
    var query = CoverQuery(near: Self.addison, wants: [thai, nowhere, cafe])
    var cover = try engine.cover(query)
    #expect(cover.met == 2 && cover.of == 3 && cover.isOptimal && cover.bounds == nil)
    #expect(cover.value == 0.3)
    #expect(cover.places.count == 2)
    #expect(cover.cost == cover.places.map(\.distance).max())
    #expect(cover.wants.map(\.label) == ["Thai", "x", "Café"])
    #expect(cover.wants.map(\.unmet) == [nil, .nowhere, nil])
    #expect(cover.wants[2].places == cafes.count)
    #expect(cover.wants[2].nearest == Neighbor(index: nearest, distance: distances[nearest]))
    #expect(cover.places.contains { $0.position == cover.wants[2].by && $0.meets == [2] })
    query.places = 1
    query.preference = .value
    cover = try engine.cover(query)
    #expect(cover.wants.map(\.unmet) == [.places, .nowhere, nil])
    #expect(cover.value == 0.2)
    query.maximumDistance = 0
    cover = try engine.cover(query)
    let here = distances.indices.filter { distances[$0] == 0 }
    let isThere = cafes.contains { here.contains($0) }
    #expect(cover.wants[2].unmet == (isThere ? nil : .beyond))
  }

  @Test(arguments: [CoverQuery.Cost.farthest, .spread])
  private func `cover – equal cost – takes the nearer place of a kind, not the first by id`(
    _ cost: CoverQuery.Cost
  ) throws {
    func place(_ id: String, _ category: String, _ latitude: Double) -> Restaurant {
      var place = Restaurant(
        id: id,
        name: id,
        coordinate: MadeUpRestaurants.valid(latitude, 13.4),
        source: "made up"
      )
      place.category = category
      return place
    }
    // both cafés lie between the center and the only Thai place, as far from the third kind
    let places = [
      place("a", "Café", 52.505), place("b", "Café", 52.5001), place("c", "Thai", 52.51),
      place("d", "Pub", 52.5),
    ]
    let file = try TemporarySnapshot(of: places)
    let pub = Want("Pub", .filter(Filter(categories: ["Pub"])))
    let query = CoverQuery(
      near: MadeUpRestaurants.valid(52.5, 13.4),
      wants: [thai, cafe, pub],
      by: cost
    )
    let cover = try QueryEngine(file.snapshot).cover(query)
    #expect(Set(cover.places.map { places[$0.position].id }) == ["b", "c", "d"])
  }

  @Test func `The places of a walk come in its order`() throws {
    let (file, restaurants) = try engine(120)
    let engine = QueryEngine(file.snapshot)
    let cover = try engine.cover(
      CoverQuery(near: Self.addison, wants: [thai, cafe], by: .walk)
    )
    var (last, length) = (Self.addison, 0.0)
    for place in cover.places {
      length += last.distance(to: restaurants[place.position].coordinate)
      last = restaurants[place.position].coordinate
    }
    #expect(length == cover.cost)
  }

  @Test func `A ranking is by wants met, distance, id`() throws {
    let (file, restaurants) = try engine(200)
    let engine = QueryEngine(file.snapshot)
    let rated = Want("rated", .filter(Filter(conditions: [try Condition("rating >= 3")])))
    let query = CoverQuery(near: Self.addison, wants: [thai, rated, cafe], within: 1e6)
    let all = try engine.ranking(query, .init(count: 500))
    let expected = restaurants.indices.compactMap { position -> Cover.Place? in
      let place = restaurants[position]
      let parts = (place.category ?? "").lowercased().split(separator: ",")
      let meets = [
        parts.contains("thai"), (place.rating ?? 0) >= 3, place.category == "Café",
      ]
      let distance = Self.addison.distance(to: place.coordinate)
      guard meets.contains(true), distance <= 1e6 else { return nil }
      return Cover.Place(
        position: position,
        distance: distance,
        meets: meets.indices.filter { meets[$0] }
      )
    }.sorted {
      (-$0.meets.count, $0.distance, $0.position) < (-$1.meets.count, $1.distance, $1.position)
    }
    #expect(all == expected && all.count > 20)
    #expect(try engine.ranking(query, .init(count: 7)) == Array(expected.prefix(7)))
    let nearest = try engine.ranking(query, .init(count: 9, onlyNearest: true))
    #expect(nearest.map(\.meets.count) == Set(expected.map(\.meets.count)).sorted(by: >))
    for place in nearest {
      #expect(expected.first { $0.meets.count == place.meets.count } == place)
    }
  }

  @Test(arguments: [0, 1, 5, 500])
  func `a ranking with one place of each chain is the ranking without the others`(count: Int) throws
  {
    var random = MadeUpRestaurants(seed: 77)
    var restaurants = random.restaurants(200)
    for index in restaurants.indices {
      restaurants[index].chain =
        random.number(below: 4) == 0 ? nil : "Chain \(random.number(below: 12))"
      restaurants[index].category = random.number(below: 2) == 0 ? "Thai" : "Café"
      restaurants[index].rating = Double(random.number(below: 5))
    }
    let file = try TemporarySnapshot(of: restaurants)
    let engine = QueryEngine(file.snapshot)
    let rated = Want("rated", .filter(Filter(conditions: [try Condition("rating >= 3")])))
    let query = CoverQuery(near: Self.addison, wants: [thai, rated, cafe])
    var seen: Set<String> = []
    let all = try engine.ranking(query, .init(count: 500))
    let expected = try all.filter { place in
      let chain = try file.snapshot.records.restaurant(at: place.position).chain
      return chain.map { seen.insert($0).inserted } ?? true
    }
    #expect(all.count == 200 && expected.count < 100)
    let found = try engine.ranking(query, .init(count: count, onePerChain: true))
    #expect(found == Array(expected.prefix(count)))
  }

  @Test func `A meeting is what sorting says, with a filter too`() throws {
    let (file, restaurants) = try engine(200)
    let engine = QueryEngine(file.snapshot)
    var random = MadeUpRestaurants(seed: 9)
    for _ in 0..<20 * rounds {
      let points = (0..<2 + random.number(below: 5)).map { _ in random.coordinate() }
      let cost = random.one(of: GroupCost.allCases)
      let isFiltered = random.number(below: 2) == 0
      let meeting = try engine.meet(
        points,
        by: cost,
        count: 6,
        matching: isFiltered ? Filter(categories: ["Café"]) : .all
      )
      let expected = restaurants.indices
        .filter { !isFiltered || restaurants[$0].category == "Café" }
        .map { position in
          let distances = points.map { $0.distance(to: restaurants[position].coordinate) }
          return Meeting.Item(position: position, cost: cost(distances), distances: distances)
        }
        .sorted { ($0.cost, $0.position) < ($1.cost, $1.position) }
      #expect(meeting.items == Array(expected.prefix(6)))
      #expect(meeting.page.count == 6)
    }
  }

  @Test func `A deadline ends a hard search with the best found`() throws {
    var random = MadeUpRestaurants(seed: 11)
    let file = try TemporarySnapshot(of: random.restaurants(500))
    let wants = (0..<64).map { want in
      let places = (0..<500).filter { _ in random.number(below: 8) == 0 }
      return Want("\(want)", .set(BitSet(capacity: 500, places)))
    }
    let query = CoverQuery(
      near: Self.addison,
      wants: wants,
      places: 5,
      until: Deadline(in: .zero)
    )
    // over at the first look at the clock; to its end it would take hours
    let cover = try QueryEngine(file.snapshot).cover(query)
    let bounds = try #require(cover.bounds)
    #expect(!cover.isOptimal && cover.met > 30 && cover.places.count == 5)
    #expect(bounds.met >= Double(cover.met) && bounds.places <= 5 && bounds.cost <= cover.cost)
    #expect(cover.cost == cover.places.last?.distance)
  }

  @Test func `Bad input is refused with a sentence`() throws {
    let (file, _) = try engine(3)
    let engine = QueryEngine(file.snapshot)
    func refusal(_ change: (inout CoverQuery) -> Void) -> String? {
      var query = CoverQuery(near: Self.addison, wants: [thai])
      change(&query)
      do {
        _ = try engine.cover(query)
        return nil
      } catch {
        return "\(error)"
      }
    }
    #expect(refusal { _ in } == nil)
    #expect(refusal { $0.wants = [] } == "want: there must be 1 to 64 wants, not 0")
    #expect(
      refusal { $0.wants = Array(repeating: thai, count: 65) }
        == "want: there must be 1 to 64 wants, not 65"
    )
    #expect(refusal { $0.places = 0 } == "places must be 1 to 5, not 0")
    #expect(refusal { $0.places = 6 } == "places must be 1 to 5, not 6")
    #expect(refusal { $0.maximumDistance = .nan } == "max must be zero or more meters")
    #expect(
      refusal { $0.wants[0].amount = -1 } == "want: the amount of Thai must be 0 to 1000000000"
    )
    #expect(throws: QueryError("at", "there must be 2 to 64 points, not 1")) {
      try engine.meet([Self.addison], count: 1)
    }
    #expect(throws: QueryTimeout.self) {
      try engine.cover(
        CoverQuery(near: Self.addison, wants: [cafe], until: Deadline(in: .zero))
      )
    }
  }
}
