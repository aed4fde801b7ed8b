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
    try store.open().read { reader in
      for (filter, ids) in [
        (Filter.all, ["0", "1", "10", "11", "2", "3", "4", "5", "6", "7", "8", "9"]),
        (pubs, ["0", "3", "6", "9"]), (Filter(text: "nothing"), []),
      ] {
        for limit in [nil, 0, 1, 3, 100] as [Int?] {
          let answer = try Everything(Query(.everywhere, matching: filter, limit: limit), reader)
          var found: [String] = []
          try answer.visit { found.append($0.restaurant.id) }
          #expect(found == Array(ids.prefix(limit ?? .max)))
          #expect(answer.summary.count == found.count)
          #expect(answer.total == ids.count)
          #expect(!answer.summary.hasDistance)
        }
      }
      let two = try Everything(Query(.everywhere, matching: pubs, limit: 2), reader)
      #expect(two.summary.extent == BoundingBox(west: 0, south: 0, east: 3, north: 0))
    }
  }
}
