import Foundation
import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

/// Restaurants that are listed more than once.
struct DuplicatesTests {
  // MARK: - Against brute force

  /// Restaurants of three sources in small clusters: in a city, at the antimeridian and at both poles, some at
  /// one position, with names, numbers and addresses that differ by a little.
  static func listings(_ count: Int, _ random: inout SplitMix64) -> [Restaurant] {
    let names = [
      "Golden Wok", "golden wok!", "The Golden Wok Restaurant", "Goldn Wok", "Luigi's", "Luigis",
      "Café Zoë", "Cafe Zoe", "Zoë's Café & Bar", "寿司 大", "回転寿司 大", "A", "!!!", "Pizza",
      "Pizza Pizza",
      "Joe Joe Joe", "Mc Donald's", "McDonalds", "Old Town Bar and Grill", "Old Town Bar & Grill",
    ]
    let phones = [
      nil, nil, "+1-972-555-0100", "(972) 555-0100", "9725550100", "972 555 0199",
      "0172/5550100; 972-555-0100", "12", "",
    ]
    let addresses = [
      nil, "12 Main St", "12 Main Street", "Main Street, 12-14", "14 Main St", "12a Main St",
      "12 Elm Road, Suite 3", "5th Avenue 12", "Elm Road", "12",
    ]
    let centers = [(32.95, -96.82), (0.0, 180.0), (90.0, 17.0), (-90.0, 0.0), (48.0, 11.0)]
    return (0..<count).map { number in
      let center = centers[random.int(below: centers.count)]
      let isThere = random.int(below: 4) == 0
      func near(_ degrees: Double) -> Double {
        isThere ? degrees : degrees + random.double(in: -0.002...0.002)
      }
      let longitude = near(center.1)
      var restaurant = Restaurant.plain(
        String(format: "p%04d", number),
        at: .at(
          min(90, max(-90, near(center.0))),
          longitude > 180 ? longitude - 360 : longitude
        )
      )
      restaurant.name = names[random.int(below: names.count)]
      restaurant.contact.phone = phones[random.int(below: phones.count)]
      restaurant.address.street = addresses[random.int(below: addresses.count)]
      restaurant.source = ["osm", "yelp", "Yelp"][random.int(below: 3)]
      return restaurant
    }
  }

  @Test func `pairs and scores are those of brute force, at the antimeridian and the poles too`()
    throws
  {
    var random = SplitMix64(stream: "duplicates")
    for (round, count) in [0, 1, 2, 60, 150, 150, 150, 150].enumerated() {
      let restaurants = Self.listings(count, &random)
      let file = try TemporarySnapshot(of: restaurants)
      let engine = QueryEngine(file.snapshot)
      for sources in [nil, ("osm", "yelp"), ("yelp", "osm"), ("Yelp", "Yelp")] {
        let isKnown = [sources?.0, sources?.1].compactMap(\.self).allSatisfy { source in
          restaurants.contains { $0.source == source }
        }
        for (distance, least) in [(0.0, 0.0), (25, 0.3), (100, 0.5), (100, 0), (1_000, 0.9)] {
          var query = DuplicateQuery()
          (query.distance, query.minimumScore) = (distance, least)
          query.sources = sources.map { ($0, $1) }
          guard isKnown else {
            #expect(throws: QueryError.self) { try engine.duplicates(query) }
            continue
          }
          let found = try engine.duplicates(query)
          let expected = DuplicateOracle.pairs(of: restaurants, query)
          var scores: [String: Double] = [:]
          var last: (score: Double, ids: String)?
          for index in 0..<found.count {
            let pair = try found.pair(at: index)
            let (ids, score) = ("\(pair.first.id) \(pair.second.id)", pair.evidence.score)
            scores[ids] = score
            if let last, !(last.score > score || last.score == score && last.ids < ids) {
              Issue.record("\(last) is before \(ids) \(score)")
            }
            last = (score, ids)
          }
          #expect(scores.count == found.count)
          #expect(
            Set(scores.keys) == Set(expected.keys),
            "SEED=\(SplitMix64.seed) \(round) \(String(describing: sources)) \(distance) \(least)"
          )
          let wrong = expected.filter { !(abs((scores[$0.key] ?? -1) - $0.value) < 1e-9) }
          #expect(wrong.isEmpty, "SEED=\(SplitMix64.seed) \(round) \(wrong)")
        }
      }
    }
  }

  @Test func `of each group one stays, of the named source if it has one`() throws {
    var random = SplitMix64(stream: "duplicate groups")
    for _ in 0..<20 {
      let restaurants = Self.listings(120, &random)
      let file = try TemporarySnapshot(of: restaurants)
      var query = DuplicateQuery()
      query.minimumScore = random.double(in: 0.1...0.95)
      let found = try QueryEngine(file.snapshot).duplicates(query)
      let groups = DuplicateOracle.groups(of: DuplicateOracle.pairs(of: restaurants, query).keys)
      let sources = Dictionary(uniqueKeysWithValues: restaurants.map { ($0.id, $0.source) })
      for keep in [nil, "yelp"] {
        let hidden = found.idsToHide(keeping: keep)
        #expect(hidden == hidden.sorted())
        let left = groups.map { $0.subtracting(hidden) }
        #expect(left.allSatisfy { $0.count == 1 }, "SEED=\(SplitMix64.seed)")
        #expect(Set(hidden).isSubset(of: groups.reduce([]) { $0.union($1) }))
        for (group, one) in zip(groups, left) {
          let preferred = group.filter { sources[$0] == keep }
          #expect(one.first == (preferred.isEmpty ? group : preferred).min())
        }
        // what stays has no pair
        query.filter = Filter(ids: restaurants.map(\.id).filter { !hidden.contains($0) })
        #expect(try QueryEngine(file.snapshot).duplicates(query).count == 0)
        query.filter = .all
      }
    }
  }

  // MARK: - What scores mean

  private typealias Facts = (name: String, phone: String?, address: String?)

  private func score(
    _ one: Facts,
    _ other: Facts,
    meters: Double,
    isOneSource: Bool = false
  ) throws -> Double {
    var (first, second) = (Restaurant.plain("a", at: .at(0, 0)), Restaurant.plain("b"))
    // a degree of the equator has 111 319.49 m
    second.coordinate = .at(0, meters / 111_319.490_793_273_57)
    for (place, facts) in [(0, one), (1, other)] {
      var restaurant = place == 0 ? first : second
      restaurant.name = facts.name
      restaurant.contact.phone = facts.phone
      restaurant.address.street = facts.address
      restaurant.source = place == 0 || isOneSource ? "osm" : "yelp"
      if place == 0 { first = restaurant } else { second = restaurant }
    }
    var query = DuplicateQuery()
    (query.distance, query.minimumScore) = (10_000, 0)
    let file = try TemporarySnapshot(of: [first, second])
    return try QueryEngine(file.snapshot).duplicates(query).pair(at: 0).evidence.score
  }

  @Test func `the same name nearby scores high, with the same phone farther away too`() throws {
    #expect(try score(("Luigi's", nil, nil), ("luigis", nil, nil), meters: 0) > 0.99)
    #expect(try score(("Luigi's", nil, nil), ("Luigi’s", nil, nil), meters: 90) > 0.95)
    let phone: Facts = ("Café Zoë", "+1 972 555 0100", "12 Main Street")
    #expect(try score(phone, ("Cafe Zoe Bar", "972-555-0100", "12 Main St"), meters: 95) > 0.99)
    #expect(
      try score(
        ("Old Town Bar and Grill", nil, nil),
        ("The Old Town Bar & Grill", nil, nil),
        meters: 20
      ) > 0.9
    )
  }

  @Test func `branches of a chain and neighbors score low`() throws {
    let one: Facts = ("Starbucks", "972-555-0100", "100 Main Street")
    let other: Facts = ("Starbucks", "972-555-0199", "180 Main Street")
    #expect(try score(one, other, meters: 90) < 0.6)
    #expect(try score(one, other, meters: 90, isOneSource: true) < 0.2)
    #expect(try score(("Starbucks", nil, nil), ("Starbucks", nil, nil), meters: 500) < 0.01)
    #expect(try score(("Golden Wok", nil, nil), ("Luigi's", nil, nil), meters: 1) < 0.01)
    let wok: Facts = ("Golden Wok", nil, "1 Elm Rd")
    #expect(try score(wok, ("Golden Pizza", nil, "3 Elm Rd"), meters: 10) < 0.5)
  }

  @Test func `each piece of evidence counts in its direction`() throws {
    let plain = try score(("Golden Wok", nil, nil), ("Golden Wok Grill", nil, nil), meters: 50)
    func with(
      _ phones: (String, String),
      _ addresses: (String?, String?) = (nil, nil)
    ) throws -> Double {
      try score(
        ("Golden Wok", phones.0, addresses.0),
        ("Golden Wok Grill", phones.1, addresses.1),
        meters: 50
      )
    }
    #expect(try with(("972 555 0100", "1-972-555-0100")) > plain)
    #expect(try with(("972 555 0100", "972 555 0101")) < plain)
    #expect(try with(("12345", "12345")) == plain)
    #expect(try with(("", ""), ("12 Elm Road", "Elm Rd. 12, Suite 4")) > plain)
    #expect(try with(("", ""), ("12 Elm Road", "14 Elm Road")) < plain)
    #expect(try with(("", ""), ("12 Elm Road", "12 Oak Lane")) == plain)
    #expect(try with(("", ""), ("5th Avenue", "7th Avenue")) == plain)
    #expect(
      try score(
        ("Golden Wok", nil, nil),
        ("Golden Wok Grill", nil, nil),
        meters: 50,
        isOneSource: true
      )
        < plain
    )
  }

  @Test func `long names are compared in bounded time, and names without words only if equal`()
    throws
  {
    let long = String(repeating: "Golden Wok ", count: 50_000)
    #expect(try score((long, nil, nil), (long + "x", nil, nil), meters: 0) > 0.99)
    let letters = String(repeating: "a", count: 100_000)
    #expect(try score((letters, nil, nil), ("b" + letters, nil, nil), meters: 0) > 0.9)
    #expect(try score(("!!!", nil, nil), ("!!!", nil, nil), meters: 0) > 0.99)
    #expect(try score(("!!!", nil, nil), ("???", nil, nil), meters: 0) < 0.01)
    #expect(try score(("!!!", nil, nil), ("Bar", nil, nil), meters: 0) < 0.01)
  }

  @Test func `what cannot be is refused`() throws {
    let file = try TemporarySnapshot(of: [.plain("a")])
    let engine = QueryEngine(file.snapshot)
    for (distance, least): (Double, Double) in [
      (-1, 0), (.nan, 0), (.infinity, 0), (1, -0.1), (1, 1.1), (1, .nan),
    ] {
      var query = DuplicateQuery()
      (query.distance, query.minimumScore) = (distance, least)
      #expect(throws: QueryError.self, "\(distance) \(least)") { try engine.duplicates(query) }
    }
    var query = DuplicateQuery()
    query.deadline = Deadline(in: .zero)
    #expect(throws: QueryTimeout.self) { try engine.duplicates(query) }
  }
}

/// The pairs, by the definitions in the documentation, with Swift's own means.
enum DuplicateOracle {
  /// The scores of all pairs by both ids.
  static func pairs(of restaurants: [Restaurant], _ query: DuplicateQuery) -> [String: Double] {
    var scores: [String: Double] = [:]
    for one in restaurants {
      for other in restaurants where one.id != other.id {
        if let sources = query.sources {
          guard one.source == sources.first, other.source == sources.second else { continue }
          if sources.first == sources.second, one.id > other.id { continue }
        } else if one.id > other.id {
          continue
        }
        let distance = one.coordinate.distance(to: other.coordinate)
        guard distance <= query.distance else { continue }
        let score = 1 / (1 + pow(10, -logOdds(one, other, distance)))
        if score >= query.minimumScore { scores["\(one.id) \(other.id)"] = score }
      }
    }
    return scores
  }

  /// The sets of ids that pairs connect.
  static func groups(of pairs: some Sequence<String>) -> [Set<String>] {
    var groups: [Set<String>] = []
    for pair in pairs {
      let ids = Set(pair.split(separator: " ").map(String.init))
      let touched = groups.filter { !$0.isDisjoint(with: ids) }
      groups.removeAll { !$0.isDisjoint(with: ids) }
      groups.append(touched.reduce(ids) { $0.union($1) })
    }
    return groups
  }

  private static func logOdds(_ one: Restaurant, _ other: Restaurant, _ distance: Double) -> Double
  {
    var sum = 5.5 * similarity(one.name, other.name) - 3 - distance / 100
    let phones = [one, other].map { numbers($0.contact.phone ?? "") }
    if !phones[0].isEmpty, !phones[1].isEmpty {
      let isSame = phones[0].contains { left in
        phones[1].contains { right in
          let (short, long) = left.count < right.count ? (left, right) : (right, left)
          return long.hasSuffix(short) && long.count - short.count < 4
        }
      }
      sum += isSame ? 2 : -1
    }
    let parts = [one, other].map { words($0.address.street ?? "") }
    let houses = parts.map { Set($0.compactMap(house)) }
    let streets = parts.map { $0.filter { house($0) == nil } }.sorted { $0.count < $1.count }
    if !houses[0].isEmpty, !houses[1].isEmpty {
      let common = streets[0].filter { word in
        streets[1].contains { $0.hasPrefix(word) || word.hasPrefix($0) }
      }
      if houses[0].isDisjoint(with: houses[1]) {
        sum -= 1
      } else if !streets[0].isEmpty, Double(common.count) >= Double(streets[0].count) / 2 {
        sum += 0.5
      }
    }
    return one.source == other.source ? sum - 1 : sum
  }

  private static func words(_ text: String) -> [String] {
    // by scalars: a letter with its mark is one character
    let scalars = text.decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars
    let plain = String(
      String.UnicodeScalarView(
        scalars.filter { !(0x300...0x36F).contains($0.value) && $0 != "'" && $0 != "’" }
      )
    )
    return plain.split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }

  private static func house(_ word: String) -> String? {
    guard let match = word.wholeMatch(of: /([0-9]+).?/) else { return nil }
    return String(match.1)
  }

  private static func numbers(_ text: String) -> [String] {
    text.split { ",;".contains($0) }
      .map { $0.filter { ("0"..."9").contains($0) }.drop { $0 == "0" } }
      .filter { $0.count >= 7 }.map(String.init)
  }

  private static func similarity(_ one: String, _ other: String) -> Double {
    let (left, right) = (words(one), words(other))
    if left.isEmpty || right.isEmpty {
      return left.isEmpty && right.isEmpty && one.lowercased() == other.lowercased() ? 1 : 0
    }
    func pairs(_ words: [String]) -> [String] {
      let letters = words.joined().unicodeScalars.map(String.init)
      return letters.count == 1 ? letters : zip(letters, letters.dropFirst()).map { $0 + $1 }
    }
    var (rest, common) = (pairs(right), 0)
    for pair in pairs(left) {
      guard let index = rest.firstIndex(of: pair) else { continue }
      rest.remove(at: index)
      common += 1
    }
    let dice = 2 * Double(common) / Double(pairs(left).count + pairs(right).count)
    var (lefts, rights, sum) = (Array(left.enumerated()), Array(right.enumerated()), 0.0)
    while true {
      var best: (Double, Int, Int)?
      for (i, one) in lefts.enumerated() {
        for (j, other) in rights.enumerated() {
          let found = jaroWinkler(one.element, other.element)
          if found >= 0.85, found > best?.0 ?? 0 { best = (found, i, j) }
        }
      }
      guard let (found, i, j) = best else { break }
      sum += found
      lefts.remove(at: i)
      rights.remove(at: j)
    }
    return (dice + 2 * sum / Double(left.count + right.count)) / 2
  }

  private static func jaroWinkler(_ one: String, _ other: String) -> Double {
    let (left, right) = (Array(one.unicodeScalars), Array(other.unicodeScalars))
    let window = max(0, max(left.count, right.count) / 2 - 1)
    var used: Set<Int> = []
    var matched: [(Unicode.Scalar, Int)] = []
    for (i, letter) in left.enumerated() {
      if let j = right.indices.first(where: {
        abs($0 - i) <= window && right[$0] == letter && !used.contains($0)
      }) {
        used.insert(j)
        matched.append((letter, j))
      }
    }
    if matched.isEmpty { return 0 }
    let inOrder = used.sorted().map { right[$0] }
    let transposed = zip(matched, inOrder).count { $0.0 != $1 }
    let count = Double(matched.count)
    let jaro =
      (count / Double(left.count) + count / Double(right.count)
        + (count - Double(transposed) / 2) / count) / 3
    let prefix = zip(left, right).prefix(4).prefix { $0 == $1 }.count
    return jaro + Double(prefix) / 10 * (1 - jaro)
  }
}
