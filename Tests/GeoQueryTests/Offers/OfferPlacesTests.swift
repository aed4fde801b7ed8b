import GeoIndex
import Testing

@testable import GeoQuery

/// Which places have an offer, against a look at each restaurant by itself.
struct OfferPlacesTests {
  private static let chainNames = [
    "Wendy's®", "WENDYS", "7-Eleven", "7 eleven", "Target", "Targets", "Café Zoë", "Cafe Zoe™", "☕",
    "42", "Any Restaurant",
  ]
  private static let categories = [
    "Thai", "thai", "Thai, Bars", "Dining > Thai Restaurant", "fast_food", "Bar and Grill",
    "Supermarket", "Restaurant Supply", "Gas Station", "Shop",
  ]

  private struct Made {
    let restaurants: [Restaurant]
    var book: OfferBook
  }

  private func made(_ random: inout MadeUpRestaurants) -> Made {
    var restaurants = random.restaurants(random.number(below: 300))
    for index in restaurants.indices {
      restaurants[index].chain =
        random.number(below: 2) == 0 ? nil : random.one(of: Self.chainNames)
      restaurants[index].category =
        random.number(below: 4) == 0 ? nil : random.one(of: Self.categories)
    }
    let names = Self.chainNames + PseudoChain.allCases.map(\.rawValue)
    let chains = names.enumerated().filter { _ in random.number(below: 3) > 0 }
      .map { Chain(id: "\($0.offset)", name: $0.element, source: "chains") }
    let offers = (0..<40).map { number in
      var offer = Offer(id: "o\(number)", name: "Offer", source: "offers")
      for _ in 0..<random.number(below: 4) {
        offer.chains.append(
          random.number(below: 3) > 0 ? "\(random.number(below: 20))" : random.one(of: names)
        )
      }
      for _ in 0..<random.number(below: 3) where !restaurants.isEmpty {
        offer.restaurants.append(random.one(of: restaurants.map(\.id) + ["nobody"]))
      }
      if random.number(below: 4) == 0 {
        offer.restaurantCategories = [random.one(of: ["thai", "Bars", "SHOP", "nothing"])]
      }
      return offer
    }
    return Made(
      restaurants: restaurants,
      book: OfferBook(revision: 1, offers: offers, chains: chains)
    )
  }

  /// The words of the names above, written down.
  private static let words: [UTF8Key: String] = [
    "Wendy's®": "wendys", "WENDYS": "wendys", "7-Eleven": "7 eleven", "7 eleven": "7 eleven",
    "Target": "target", "Targets": "targets", "Café Zoë": "cafe zoe", "Cafe Zoe™": "cafe zoe",
    "☕": "☕", "42": "42", "Any Restaurant": "any restaurant",
  ]
  private static let kinds: [UTF8Key: Set<UTF8Key>] = [
    "Any Restaurant": [
      "Thai", "thai", "Thai, Bars", "Dining > Thai Restaurant", "fast_food", "Bar and Grill",
    ],
    "Any Bar": ["Thai, Bars", "Bar and Grill"], "Any Grocery Store": ["Supermarket"],
    "Any Gas Station": ["Gas Station"], "Any Liquor Store": [], "Any Convenience Store": [],
  ]

  private func has(_ offer: Offer, _ restaurant: Restaurant, _ book: OfferBook) -> Bool {
    if offer.restaurants.contains(where: { UTF8Key($0) == UTF8Key(restaurant.id) }) { return true }
    for reference in offer.chains {
      let chain = book.chains.first { UTF8Key($0.id) == UTF8Key(reference) }
      if chain == nil, Int(reference) != nil { continue }
      let name = UTF8Key(chain?.name ?? reference)
      if let kind = Self.kinds[name] {
        if let category = restaurant.category, kind.contains(UTF8Key(category)) { return true }
      } else if let chain = restaurant.chain, Self.words[UTF8Key(chain)] == Self.words[name] {
        return true
      }
    }
    let parts = (restaurant.category ?? "").lowercased().split { ",>".contains($0) }
      .map { $0.drop { $0 == " " } }
    return offer.restaurantCategories.contains { wanted in
      parts.contains { $0.lowercased() == wanted.lowercased() }
    }
  }

  @Test(arguments: 1...30)
  func `the places of an offer are those that have it one by one`(_ seed: Int) throws {
    var random = MadeUpRestaurants(seed: UInt64(seed))
    let made = made(&random)
    let file = try TemporarySnapshot(of: made.restaurants)
    let places = OfferPlaces(QueryEngine(file.snapshot), made.book)
    for offer in made.book.offers {
      let found = try places.positions(of: offer)
      let expected = made.restaurants.indices.filter { has(offer, made.restaurants[$0], made.book) }
      #expect(made.restaurants.indices.filter(found.contains) == expected, "\(offer)")
      #expect(found.count == expected.count)
    }
  }

  @Test(arguments: 1...30)
  func `the offers of a restaurant are those that have it, and their places come nearest first`(
    _ seed: Int
  ) throws {
    var random = MadeUpRestaurants(seed: UInt64(seed) + 2_000)
    let made = made(&random)
    let file = try TemporarySnapshot(of: made.restaurants)
    let places = OfferPlaces(QueryEngine(file.snapshot), made.book)
    for restaurant in made.restaurants.prefix(60) {
      let expected = made.book.offers.filter { has($0, restaurant, made.book) }.map(\.id)
      #expect(try places.offers(ofRestaurant: restaurant.id).map(\.id) == expected)
      var query = OfferQuery()
      query.restaurant = restaurant.id
      #expect(try places.page(query).hits.map(\.offer.id) == expected)
    }
    #expect(try places.offers(ofRestaurant: "nobody").isEmpty)
    for offer in made.book.offers.prefix(10) {
      let own = made.restaurants.filter { has(offer, $0, made.book) }
      let center = random.coordinate()
      let near = try places.places(of: offer, near: center, limit: 7)
      let sorted = own.map { (center.distance(to: $0.coordinate), UTF8Key($0.id)) }.sorted(by: <)
      #expect(near.total == own.count && near.hasDistance)
      #expect(try near.matches.map { UTF8Key($0.restaurant.id) } == sorted.prefix(7).map(\.1))
      #expect(try near.matches.map(\.distance) == sorted.prefix(7).map(\.0))
      let first = try places.places(of: offer, limit: 7)
      #expect(first.total == own.count && !first.hasDistance)
      #expect(
        try first.matches.map { UTF8Key($0.restaurant.id) }
          == Array(own.map { UTF8Key($0.id) }.sorted().prefix(7))
      )
    }
  }

  @Test func `the categories of offers are counted once for each offer`() {
    var offers = (0..<5).map { Offer(id: "\($0)", name: "Offer", source: "s") }
    offers[0].categories = ["Drinks", "Drinks"]
    offers[1].categories = ["Lunch", "Drinks"]
    offers[2].categories = ["Lunch"]
    offers[3].categories = ["Breakfast"]
    let book = OfferBook(revision: 1, offers: offers, chains: [])
    let categories = book.categories()
    #expect(categories.map(\.name) == ["Drinks", "Lunch", "Breakfast"])
    #expect(categories.map(\.count) == [2, 2, 1])
    offers[0].expiration = "2026-11-30"
    let later = OfferBook(revision: 1, offers: offers, chains: [])
    let day = CalendarDay(parsing: "2026-12-01")
    #expect(later.categories(on: day).map(\.count) == [2, 1, 1])
    #expect(later.categories(on: CalendarDay(parsing: "2026-11-30")).map(\.count) == [2, 2, 1])
  }

  @Test(arguments: 1...10)
  func `expired offers are in no list and meet no want, unless they are asked for`(
    _ seed: Int
  ) throws {
    var random = MadeUpRestaurants(seed: UInt64(seed) + 3_000)
    var made = made(&random)
    made.book = OfferBook(
      revision: 1,
      offers: made.book.offers.map { offer in
        var offer = offer
        if random.number(below: 4) > 0 {
          offer.expiration = "2026-11-\(10 + random.number(below: 20))"
        }
        return offer
      },
      chains: made.book.chains
    )
    let file = try TemporarySnapshot(of: made.restaurants)
    let engine = QueryEngine(file.snapshot)
    let places = OfferPlaces(engine, made.book)
    var query = OfferQuery()
    query.on = CalendarDay(parsing: "2026-11-20")
    // a text of this form sorts as its day
    let ended = Set(made.book.offers.filter { ($0.expiration ?? "3") < "2026-11-20" }.map(\.id))
    #expect(!ended.isEmpty && ended.count < 40)
    for center in [nil, random.coordinate()] {
      query.center = center
      query.expired = false
      let valid = try places.page(query)
      query.expired = true
      let all = try places.page(query)
      #expect(all.total == 40 && Set(all.hits.filter(\.isExpired).map(\.offer.id)) == ended)
      #expect(valid.total == 40 - ended.count)
      #expect(
        valid.hits.map(\.offer.id) == all.hits.map(\.offer.id).filter { !ended.contains($0) }
      )
    }
    let center = random.coordinate()
    for offer in made.book.offers {
      let wants = [Want("offer:" + offer.id, .offer(offer.id))]
      let answer = try engine.answer(
        CoverQuery(near: center, wants: wants),
        offers: places.lookup(on: query.on)
      )
      guard case .group(let cover) = answer.result else { continue }
      let isMet = try !ended.contains(offer.id) && places.positions(of: offer).count > 0
      #expect(
        cover.wants[0].unmet == (isMet ? nil : ended.contains(offer.id) ? .expired : .nowhere)
      )
      let counting = try engine.answer(
        CoverQuery(near: center, wants: wants),
        offers: places.lookup()
      )
      #expect(try counting.places.isEmpty == places.positions(of: offer).isEmpty)
    }
  }

  @Test(arguments: 1...10)
  func `an offer names those that have it, the nearest first, each once`(_ seed: Int) throws {
    var random = MadeUpRestaurants(seed: UInt64(seed) + 4_000)
    let made = made(&random)
    let file = try TemporarySnapshot(of: made.restaurants)
    let places = OfferPlaces(QueryEngine(file.snapshot), made.book)
    let center = random.coordinate()
    for offer in made.book.offers {
      let near = try places.places(of: offer, near: center, limit: 30).matches.map {
        $0.restaurant.chain ?? $0.restaurant.name
      }
      var expected: [String] = []
      for name in near + offer.chains.compactMap(made.book.chainName)
      where !expected.contains(where: { $0.isUTF8Equal(to: name) }) {
        expected.append(name)
      }
      #expect(try places.retailers(of: offer, near: center) == expected)
      for chain in offer.chains {
        var alone = Offer(id: offer.id, name: "", source: "")
        alone.chains = [chain]
        #expect(try places.count(ofChain: chain) == places.positions(of: alone).count)
      }
    }
  }

  @Test(arguments: 1...30)
  func `a list of offers is what a look at each by itself gives`(_ seed: Int) throws {
    var random = MadeUpRestaurants(seed: UInt64(seed) + 1_000)
    var made = made(&random)
    let words = ["Wings", "fresh", "Käse", "2"]
    made.book = OfferBook(
      revision: 1,
      offers: made.book.offers.map { offer in
        var offer = offer
        offer.name = "Offer " + random.one(of: words)
        offer.description = random.number(below: 2) == 0 ? nil : random.one(of: words)
        offer.categories =
          random.number(below: 2) == 0 ? [] : [random.one(of: ["Lunch", "Drinks"])]
        return offer
      },
      chains: made.book.chains
    )
    let file = try TemporarySnapshot(of: made.restaurants)
    let places = OfferPlaces(QueryEngine(file.snapshot), made.book)
    for _ in 0..<40 {
      var query = OfferQuery()
      if random.number(below: 3) == 0 { query.text = random.one(of: ["wing", "KAS", "of 2", "!"]) }
      if random.number(below: 3) == 0 { query.categories = ["lunch"] }
      if random.number(below: 3) == 0 { query.chain = random.one(of: Self.chainNames + ["3"]) }
      if random.number(below: 3) > 0 { query.center = random.coordinate() }
      if query.center != nil, random.number(below: 2) == 0 {
        query.maximumDistance = Double(random.number(below: 4_000_000))
      }
      query.offset = random.number(below: 4)
      query.limit = random.number(below: 2) == 0 ? nil : random.number(below: 20)
      let page = try places.page(query)
      let expected = expected(query, made)
      #expect(page.total == expected.count)
      let shown = expected.dropFirst(query.offset).prefix(query.limit ?? .max)
      #expect(page.hits.map(\.offer.id) == shown.map(\.id), "\(query)")
      #expect(page.hits.map(\.placeCount) == shown.map(\.count))
      #expect(page.hits.map { $0.nearest?.distance } == shown.map(\.distance))
      #expect(page.hits.map { $0.nearest?.id } == shown.map(\.nearest))
    }
  }

  /// What a list is to have, by a look at each offer and each restaurant.
  private func expected(
    _ query: OfferQuery,
    _ made: Made
  ) -> [(id: String, count: Int, distance: Double?, nearest: String?)] {
    let fitting = made.book.offers.filter { offer in
      let text =
        "\(offer.name) \(offer.description ?? "") \(offer.categories.joined(separator: " "))"
      let own = folded(text).split(separator: " ")
      let wanted = folded(query.text).split(separator: " ")
      guard query.text != "!",
        wanted.allSatisfy({ word in own.contains { $0.hasPrefix(word) } }),
        query.categories.isEmpty || offer.categories.contains("Lunch")
      else { return false }
      guard let chain = query.chain else { return true }
      func name(_ reference: String) -> String? {
        let known = made.book.chains.first { $0.id == reference }
        return known?.name ?? (Int(reference) == nil ? reference : nil)
      }
      func words(_ name: String) -> String { Self.words[UTF8Key(name)] ?? name.lowercased() }
      return offer.chains.contains { reference in
        reference == chain
          || name(reference).map { words($0) == words(name(chain) ?? chain) } == true
      }
    }
    let rows =
      fitting.compactMap { offer in
        let own = made.restaurants.filter { has(offer, $0, made.book) }
        let nearest = query.center.flatMap { center in
          own.map { (distance: center.distance(to: $0.coordinate), id: $0.id) }
            .min { ($0.distance, UTF8Key($0.id)) < ($1.distance, UTF8Key($1.id)) }
        }
        let isNear = nearest.map { $0.distance <= query.maximumDistance } ?? false
        if query.maximumDistance < .infinity, !isNear { return nil }
        return (offer.id, own.count, nearest?.distance, nearest?.id)
      } as [(id: String, count: Int, distance: Double?, nearest: String?)]
    guard query.center != nil else { return rows }
    return rows.sorted {
      ($0.distance ?? .infinity, UTF8Key($0.id)) < ($1.distance ?? .infinity, UTF8Key($1.id))
    }
  }

  @Test func `an offer of unknown chains alone has no places`() throws {
    var restaurant = Restaurant(
      id: "a",
      name: "A",
      coordinate: MadeUpRestaurants.valid(1, 2),
      source: "s"
    )
    restaurant.chain = "9"
    let file = try TemporarySnapshot(of: [restaurant])
    var offer = Offer(id: "1", name: "Offer", source: "s")
    offer.chains = ["9"]
    let book = OfferBook(revision: 1, offers: [offer], chains: [])
    #expect(try OfferPlaces(QueryEngine(file.snapshot), book).positions(of: offer).isEmpty)
    #expect(book.chainName(of: "9") == nil)
    #expect(book.chainName(of: "Nine") == "Nine")
  }
}
