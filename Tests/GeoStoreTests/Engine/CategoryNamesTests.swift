import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// A category that is a list or a path is found by each of its parts.
struct CategoryNamesTests {
  @Test(arguments: [
    ("Thai", "thai", true), ("Thai, Bars", "Thai", true), ("Thai, Bars", "bars", true),
    ("Dining > Restaurant > Thaï", "THAI", true), ("Dining > Thai, Bars", "Thai", true),
    ("Thai,Bars", "Bars", true), ("Thai, Bars", "Thai, Bars", true), ("Thai, Bars", "Thai,", false),
    ("Thai Bars", "Thai", false), ("Thailand, Bars", "Thai", false), ("Thai, Bars", "", false),
    (", ", "", false), ("a >", "a", true), ("", "", true),
  ])
  func `a part is found, a piece of one is not`(_ category: String, _ name: String, _ isIn: Bool) {
    #expect(CategoryNames([name]).contain(category) == isIn)
  }

  @Test func `ten nearest Thai are ten Thai, however the feed lists categories`() throws {
    let texts = ["Thai, Food, Bars", "Thai", "A > B > Thai", "Bars", "Thai Bars", "Food, Thaï"]
    let places = texts.enumerated().map { number, text in
      var place = Restaurant.plain("\(number)", at: .at(1, Double(number)))
      place.category = text
      return place
    }
    let store = try TemporaryStore(places)
    let engine = try store.engine()
    let found = try engine.matches(
      Query(.nearest(to: .at(1, 0), count: 3), matching: Filter(categories: ["Thai"]))
    )
    #expect(found.map(\.restaurant.id) == ["0", "1", "2"])
    let filter = Filter(categories: ["thai", "bars"])
    let all = try engine.matches(Query(.everywhere, matching: filter))
    #expect(all.map(\.restaurant.id) == ["0", "1", "2", "3", "5"])
  }
}
