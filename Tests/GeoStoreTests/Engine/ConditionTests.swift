import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct ConditionTests {
  @Test(arguments: [
    ("rating>=4", "rating >= number(4.0)"), ("rating >= 4.5", "rating >= number(4.5)"),
    (" pricelevel <= 2 ", "priceLevel <= number(2.0)"),
    ("PriceLevel=2", "priceLevel = number(2.0)"),
    ("city = Dallas", "city = text(\"dallas\")"), ("CITY=Café Town", "city = text(\"cafe town\")"),
    ("name~ =x", "name ~ text(\"=x\")"), ("name= =x", "name = text(\"=x\")"),
    ("name!=x", "name != text(\"x\")"), ("closed = yes", "closed = flag(true)"),
    ("closed!=FALSE", "closed != flag(false)"), ("latitude<-3.5e1", "latitude < number(-35.0)"),
    ("postalCode = 075", "postalCode = text(\"075\")"), ("name < m", "name < text(\"m\")"),
  ])
  func `a condition is a field, an operator and a value`(_ text: String, _ read: String) throws {
    let condition = try Condition(text)
    let found = "\(condition.field) \(condition.comparison.rawValue) \(condition.operand)"
    #expect(found == read)
  }

  @Test(arguments: [
    ("", "no field in \"\""), ("= 4", "no field in \"= 4\""),
    ("ratng > 4", "unknown field \"ratng\""),
    ("1=1", "unknown field \"1\""), ("pk = 1", "unknown field \"pk\""),
    ("rating", "no operator after \"rating\""), ("rating is 4", "no operator after \"rating\""),
    ("city <> x", "unknown operator \"<>\""), ("name==x", "unknown operator \"==\""),
    ("name~=x", "unknown operator \"~=\""), ("rating =< 4", "unknown operator \"=<\""),
    ("rating >", "no value after \"rating >\""), ("rating > \t", "no value after \"rating >\""),
    ("rating > four", "rating > \"four\": rating is a number"),
    ("rating > nan", "rating is a number"), ("rating > 1e999", "rating is a number"),
    ("rating > 0x10", "rating is a number"), ("rating ~ 4", "its operators are = != < <= > >="),
    ("closed > 1", "its operators are = !="), ("closed = maybe", "closed is true or false"),
    ("open = true", "closed = false"),
    ("name; DROP TABLE restaurants = 1", "no operator after \"name\""),
  ])
  func `what is none says what is wrong and what there is`(_ text: String, _ problem: String) {
    let error = #expect(throws: QueryError.self) { try Condition(text) }
    #expect(error?.parameter == "where")
    #expect(error?.reason.contains(problem) == true, "\(error?.reason ?? "")")
    if error?.reason.contains("expected FIELD OP VALUE") == true {
      #expect(error?.reason.contains("id, name, category, chain, address") == true)
      #expect(error?.reason.contains("= != < <= > >= ~") == true)
    }
  }

  /// The oracle: a condition by what the restaurant's own properties say.
  private func holds(_ condition: Condition, _ restaurant: Restaurant) -> Bool {
    func compares<Value: Comparable>(_ value: Value?, _ other: Value) -> Bool {
      guard let value else { return false }
      switch condition.comparison {
      case .equal: return value == other
      case .notEqual: return value != other
      case .less: return value < other
      case .lessOrEqual: return value <= other
      case .greater: return value > other
      case .greaterOrEqual: return value >= other
      case .contains: return false
      }
    }
    switch condition.operand {
    // these have oracles of their own
    case .member, .exact: return false
    case .flag(let flag):
      return (restaurant.closed == flag) == (condition.comparison == .equal)
    case .number(let number):
      let value: Double? =
        switch condition.field {
        case .rating: restaurant.rating
        case .ratingScale: restaurant.ratingScale
        case .reviewCount: restaurant.reviewCount.map(Double.init)
        case .priceLevel: restaurant.priceLevel.map(Double.init)
        case .latitude: restaurant.coordinate.latitude
        default: restaurant.coordinate.longitude
        }
      return compares(value, number)
    case .text(let other):
      let value: String? =
        switch condition.field {
        case .name: restaurant.name
        case .category: restaurant.category
        case .chain: restaurant.chain
        case .description: restaurant.description
        case .address: restaurant.address.street
        case .city: restaurant.address.city
        default: restaurant.source
        }
      guard let value = value.map(folded) else { return false }
      if condition.comparison == .contains {
        let (text, part) = (Array(value.utf8), Array(other.utf8))
        return part.isEmpty
          || (0..<text.count).contains { Array(text[$0...].prefix(part.count)) == part }
      }
      return compares(UTF8Key(value), UTF8Key(other))
    }
  }

  @Test func `conditions take what the restaurants' own properties say`() throws {
    var random = SplitMix64(stream: "conditions")
    let restaurants = random.restaurants(300)
    let store = try TemporaryStore(restaurants)
    defer { withExtendedLifetime(store) {} }
    let engine = try store.engine()
    var foundSome = 0
    for _ in 0..<600 {
      let filter = Filter(
        categories: random.int(below: 6) == 0 ? ["thai"] : [],
        conditions: (0...random.int(below: 2)).compactMap { _ in
          condition(of: restaurants[random.int(below: restaurants.count)], &random)
        }
      )
      let expected = restaurants.filter { restaurant in
        filter.conditions.allSatisfy { holds($0, restaurant) }
          && (filter.categories.isEmpty || restaurant.category.map(folded) == "thai")
      }
      let found = try engine.matches(Query(.everywhere, matching: filter))
      #expect(
        Set(found.map(\.restaurant.id)) == Set(expected.map(\.id)),
        "SEED=\(SplitMix64.seed) \(filter)"
      )
      foundSome += expected.isEmpty ? 0 : 1
    }
    #expect(foundSome > 200)
  }

  /// A condition with a value that some restaurant has.
  private func condition(of restaurant: Restaurant, _ random: inout SplitMix64) -> Condition? {
    let values: [(Condition.Field, String)] = [
      (.name, restaurant.name), (.name, String(restaurant.name.dropFirst().prefix(2))),
      (.category, restaurant.category ?? "x"), (.address, restaurant.address.street ?? "b"),
      (.chain, restaurant.chain ?? "Thai"), (.city, restaurant.address.city ?? "a"),
      (.source, "TEST"), (.description, restaurant.description ?? "a"),
      (.rating, "\(restaurant.rating ?? 2.5)"), (.ratingScale, "10"),
      (.reviewCount, "\(restaurant.reviewCount ?? 3)"),
      (.priceLevel, "\(restaurant.priceLevel ?? 2)"),
      (.latitude, "\(restaurant.coordinate.latitude)"),
      (.longitude, "\(restaurant.coordinate.longitude)"), (.closed, "true"),
    ]
    let (field, value) = values[random.int(below: values.count)]
    let comparisons = field.kind.comparisons
    return try? Condition(field, comparisons[random.int(below: comparisons.count)], value)
  }
}
