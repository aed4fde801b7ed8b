import GRDB
import GeoIndex
import Testing

@testable import GeoQuery

struct EverythingTests {
  @Test func `everything comes by id with the filter and the limit`() throws {
    let restaurants = (0..<12).map { number in
      var restaurant = Restaurant.plain("\(number)", at: .at(0, Double(number)))
      restaurant.category = number % 3 == 0 ? "Pub" : "Thai"
      return restaurant
    }
    let store = try TemporaryStore(restaurants)
    let pubs = Filter(categories: ["pub"])
    let engine = try store.engine()
    func answer(_ query: Query) throws -> (ids: [String], summary: AnswerSummary?) {
      var found: [String] = []
      var summary: AnswerSummary?
      try engine.answer(query, begin: { summary = $0 }, each: { found.append($0.restaurant.id) })
      return (found, summary)
    }
    for (filter, ids) in [
      (Filter.all, ["0", "1", "10", "11", "2", "3", "4", "5", "6", "7", "8", "9"]),
      (pubs, ["0", "3", "6", "9"]), (Filter(text: "nothing"), []),
    ] {
      for limit in [nil, 0, 1, 3, 100] as [Int?] {
        let (found, summary) = try answer(Query(.everywhere, matching: filter, limit: limit))
        #expect(found == Array(ids.prefix(limit ?? .max)))
        #expect(summary?.count == found.count)
        #expect(summary?.total == ids.count)
        #expect(summary?.hasDistance == false)
      }
    }
    let two = try answer(Query(.everywhere, matching: pubs, limit: 2))
    #expect(two.summary?.extent == BoundingBox(west: 0, south: 0, east: 3, north: 0))
    let three = try answer(Query(.everywhere, limit: 3))
    #expect(three.summary?.extent == BoundingBox(west: 0, south: 0, east: 10, north: 0))
    let all = try answer(Query(.everywhere))
    #expect(all.summary?.extent == BoundingBox(west: 0, south: 0, east: 11, north: 0))
  }

  @Test func `a visit that ends early leaves the store as usable as one that ends late`() throws {
    let ids = (0..<3_000).map { "\($0)" }
    let store = try TemporaryStore(ids.map { .plain($0) })
    let expected = ids.sorted { ByteKey($0) < ByteKey($1) }
    let opened = try store.open()
    struct Enough: Error {}
    for count in [0, 1, 255, 256, 257, 1_500, 3_000] {
      var found: [String] = []
      do {
        try opened.read { reader in
          try Everything(reader).visit {
            if found.count == count { throw Enough() }
            found.append($0.restaurant.id)
          }
        }
        #expect(count == 3_000)
      } catch is Enough {}
      #expect(found == Array(expected.prefix(count)))
      #expect(try opened.count() == 3_000)
    }
  }

  @Test func `a row that cannot be read ends the visit after those before it`() throws {
    let store = try TemporaryStore((100..<900).map { .plain("\($0)") })
    try store.sql { try $0.execute(sql: "UPDATE restaurants SET name = x'FF' WHERE id = '700'") }
    var found = 0
    let error = store.error {
      try store.open().read { try Everything($0).visit { _ in found += 1 } }
    }
    #expect(error?.kind == .corrupt)
    // those that were read together with it go with it
    #expect(found == 512)
  }
}
