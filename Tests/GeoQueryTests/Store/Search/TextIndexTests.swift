import Foundation
import GRDB
import Testing

@testable import GeoQuery

/// The index on texts against the filter that looks at every row.
struct TextIndexTests {
  private func ids(_ matches: [Match]) -> [String] { matches.map(\.restaurant.id).sorted() }

  /// What the filter takes, row by row.
  private func oracle(_ filter: Filter, _ restaurants: [Restaurant]) -> [String] {
    let compiled = CompiledFilter(filter)
    return restaurants.filter { restaurant in
      compiled?.matches(
        FilterTexts(
          name: restaurant.name,
          category: restaurant.category,
          address: restaurant.address.street,
          city: restaurant.address.city
        )
      ) ?? true
    }
    .map(\.id).sorted()
  }

  private func expectSame(
    _ store: TemporaryStore,
    _ restaurants: [Restaurant],
    _ random: inout SplitMix64,
    rounds: Int = 400
  ) throws {
    defer { withExtendedLifetime(store) {} }
    let engine = try store.engine()
    var foundSome = 0
    for _ in 0..<rounds {
      let filter = Filter(
        categories: random.int(below: 4) == 0 ? [random.words(upTo: 0), "THAI"] : [],
        text: random.int(below: 8) == 0 ? random.hostileText(upTo: 6) : random.words(upTo: 1)
      )
      let expected = oracle(filter, restaurants)
      let found = ids(try engine.matches(Query(.everywhere, matching: filter)))
      #expect(found == expected, "SEED=\(SplitMix64.seed) \(filter)")
      #expect(try engine.count(Query(.everywhere, matching: filter)) == expected.count)
      foundSome += expected.isEmpty || expected.count == restaurants.count ? 0 : 1
    }
    #expect(foundSome > rounds / 4, "the texts must find something, and not all")
  }

  @Test func `the index finds what looking at every row finds`() throws {
    var random = SplitMix64(stream: "text index")
    let restaurants = random.restaurants(400)
    try expectSame(TemporaryStore(restaurants), restaurants, &random)
  }

  @Test func `the index follows rows that come, change and go`() throws {
    var random = SplitMix64(stream: "text changes")
    var restaurants = random.restaurants(600)
    let store = try TemporaryStore(restaurants)
    // few changes are written one by one, many make the index anew
    for changed in [1, 5, 20, 400] {
      var next = restaurants.filter { _ in random.int(below: 600) >= changed / 2 }
      for other in random.restaurants(changed) {
        let place = random.int(below: next.count)
        var changed = other
        changed.id = next[place].id
        next[place] = changed
      }
      next += random.restaurants(changed, first: 10_000 * changed)
      restaurants = next.shuffled(using: &random)
      try store.add(Feeds.of(restaurants))
      try expectSame(store, restaurants, &random, rounds: 150)
      try expectSound(store, restaurants.count)
    }
  }

  /// The index has the entries that it would have if it were made anew.
  private func expectSound(_ store: TemporaryStore, _ count: Int) throws {
    try store.sql { db in
      let dump = "CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, geoq_text, instance)"
      try db.execute(sql: dump)
      let words = "SELECT term || ' ' || doc FROM temp.words ORDER BY 1"
      let kept = try String.fetchAll(db, sql: words)
      try TextIndex.rebuild(db)
      #expect(try String.fetchAll(db, sql: words) == kept)
      #expect(kept.count > count)
    }
  }

  @Test(arguments: [
    "\"", "'", "*", "a*", "\"a\" OR \"b\"", "a AND b", "a OR b", "NOT a", "NEAR(a b)", "name:a",
    "words : a", "{name} : a", "^a", "a + b", "(a", "a)", "-a", "in-n-out", "; DROP TABLE x; --",
    "%", "_", "a\u{0}b", "\u{FFFD}", "\u{10FFFF}", "\\", "rowid", "rank",
  ])
  func `any text is only a text`(_ text: String) throws {
    let restaurants = [
      "a or b", "a and b near not", "name words rank rowid", "in n out drop table x",
    ]
    .enumerated().map { number, name in
      var restaurant = Restaurant.plain("\(number)")
      restaurant.name = name
      return restaurant
    }
    let filter = Filter(text: text)
    let store = try TemporaryStore(restaurants)
    let found = try store.engine().matches(Query(.everywhere, matching: filter))
    #expect(ids(found) == oracle(filter, restaurants))
  }

  @Test func `very long words and lists of words are answered too`() throws {
    var long = Restaurant.plain("long")
    long.name =
      String(repeating: "ab", count: 40_000) + " "
      + (0..<300).map { "w\($0)" }.joined(separator: " ")
    let store = try TemporaryStore([long, .plain("b")])
    defer { withExtendedLifetime(store) {} }
    let engine = try store.engine()
    for (text, isFound) in [
      (String(repeating: "ab", count: 40_000), true),
      (String(repeating: "ab", count: 20_000), true),
      (String(repeating: "ab", count: 40_000) + "a", false),
      (String(repeating: "ba", count: 900), false),
      ((0..<300).map { "w\($0)" }.joined(separator: " "), true),
      ((0..<301).map { "w\($0)" }.joined(separator: " "), false),
    ] {
      let found = try engine.matches(Query(.everywhere, matching: Filter(text: text)))
      #expect(found.map(\.restaurant.id) == (isFound ? ["long"] : []), "\(text.count)")
    }
  }

  @Test func `an import that changes no text leaves the index alone`() throws {
    var random = SplitMix64(stream: "same texts")
    var restaurants = random.restaurants(50)
    let store = try TemporaryStore(restaurants)
    func index() throws -> [Data] {
      try store.sql { try Data.fetchAll($0, sql: "SELECT block FROM geoq_text_data ORDER BY id") }
    }
    let before = try index()
    for place in restaurants.indices { restaurants[place].rating = 4.25 }
    let report = try store.add(Feeds.of(restaurants))
    #expect(report.updated == 50)
    #expect(try index() == before)
  }

  @Test func `a store of an older version is searched without the index, and gets it`() throws {
    var random = SplitMix64(stream: "older version")
    var restaurants = random.restaurants(200)
    let store = try TemporaryStore(restaurants)
    try store.sql { db in
      for sql in [
        "DROP TABLE geoq_records",
        "DROP TABLE geoq_text", "DROP TABLE geoq_favorites", "DROP INDEX restaurants_category",
        "PRAGMA user_version = 1",
      ] { try db.execute(sql: sql) }
    }
    try expectSame(store, restaurants, &random, rounds: 60)
    #expect(try store.open().favorites().isEmpty)
    restaurants[7].name = "Changed"
    try store.add(Feeds.of(restaurants))
    #expect(try store.open().info().schemaVersion == 3)
    try expectSame(store, restaurants, &random, rounds: 60)
    try expectSound(store, 200)
  }

  @Test func `ASCII is folded as every other text`() {
    var random = SplitMix64(stream: "ascii words")
    for _ in 0..<500 {
      let bytes = (0..<random.int(below: 20)).map { _ in UInt8(random.int(below: 128)) }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(
        FoldedWords(text + " é").words == FoldedWords(text).words + [Array("e".utf8)[...]],
        "SEED=\(SplitMix64.seed) \(bytes)"
      )
    }
  }
}
