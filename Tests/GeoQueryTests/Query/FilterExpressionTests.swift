import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

/// The short grammar of filters.
struct FilterExpressionTests {
  private func condition(
    _ field: Condition.Field,
    _ comparison: Condition.Comparison,
    _ value: String
  ) throws -> FilterExpression {
    .condition(try Condition(field, comparison, value))
  }

  // MARK: - Joints and values

  @Test func `and joins conditions, in any case`() throws {
    let expected = [
      try condition(.rating, .greaterOrEqual, "4"), try condition(.city, .equal, "Dallas"),
      try condition(.closed, .equal, "false"),
    ]
    let found = try FilterExpression("rating >= 4 and city=Dallas AND closed = false")
    #expect(found == .and(expected))
    #expect(try FilterExpression("city = Dallas") == expected[1])
    #expect(Filter(where: found).conditions.map(FilterExpression.condition) == expected)
  }

  @Test func `a word within quotes or another word joins nothing`() throws {
    let salt = try condition(.name, .equal, "Salt and Pepper")
    #expect(try FilterExpression("name = 'Salt and Pepper'") == salt)
    #expect(try FilterExpression("name = \"Salt and Pepper\"") == salt)
    #expect(
      try FilterExpression("name ~ 'Gloria''s or Sons' and city = Anderson")
        == .and([
          try condition(.name, .contains, "gloria's or sons"),
          try condition(.city, .equal, "anderson"),
        ])
    )
    #expect(
      try FilterExpression("name = Gloria's or city = Andover")
        == .or([
          try condition(.name, .equal, "Gloria's"), try condition(.city, .equal, "Andover"),
        ])
    )
    #expect(try FilterExpression("name = ''''") == condition(.name, .equal, "'"))
    #expect(
      try FilterExpression("name ~ \"the \"\"Joe's\"\"\" and city = \"Andover\"")
        == .and([
          try condition(.name, .contains, "the \"Joe's\""), try condition(.city, .equal, "Andover"),
        ])
    )
    #expect(
      try FilterExpression("extra.\"opening 'hours\" = late")
        == .condition(try Condition(.extra, ["opening 'hours"], .equal, [("late", false)]))
    )
    #expect(
      try Condition("name = Salt and Pepper or Oil").operand == .text("salt and pepper or oil")
    )
  }

  @Test(
    arguments: [
      ("city = A or city = B and closed = true", "city = a or city = b and closed = true"),
      ("(city = A or city = B) and closed=yes", "(city = a or city = b) and closed = true"),
      ("not city = A and name = b", "not city = a and name = b"),
      ("not (city = A and name = b)", "not (city = a and name = b)"),
      ("NOT(city = A)OR(name = b)", "not city = a or name = b"),
      ("((city = A) and (name = b)) and state = c", "city = a and name = b and state = c"),
      ("not not closed = no", "not not closed = false"),
      ("rating in (4, 4.5,5)", "rating in (4.0, 4.5, 5.0)"),
      ("city in('New York', Dallas , \"a,b\")", "city in ('new york', dallas, 'a,b')"),
      ("not city in (A, B)", "city not in (a, b)"), ("city NOT IN (A, B)", "city not in (a, b)"),
      ("city in (A)", "city = a"), ("city not in (A)", "not city = a"),
      ("phone is null or phone IS NOT NULL", "phone is null or phone is not null"),
      ("not phone is null", "phone is not null"), ("(phone is null)", "phone is null"),
      ("extra.a.'b c' is null", "extra.'a'.'b c' is null"),
      ("extra.a in (4, x, '5', yes)", "extra.'a' in (4, 'x', '5', yes)"),
      ("name = Foo (Bar) and city = x", "name = 'foo (bar)' and city = x"),
      ("(name = Foo (Bar) or city = x)", "name = 'foo (bar)' or city = x"),
      ("name = :)", "name = ':)'"), ("name = a) b", "name = 'a) b'"),
      ("name = Salt and(Pepper)", "name = 'salt and(pepper)'"),
      ("name = 'a'and city = b", "name = a and city = b"),
      ("name = null", "name = null"), ("name = not", "name = not"),
      ("name = in (a)", "name = 'in (a)'"),
      ("name = or", "name = or"), ("city = Normal or", "city = 'normal or'"),
      ("name = Oregon", "name = oregon"), ("hours ~ 'Mo-Fr'", "hours ~ mo-fr"),
      ("id = X-1 or facebookName = y", "id = x-1 or facebookName = y"),
    ]
  )
  func `it is read as meant, and what is printed reads back as equal`(
    _ text: String,
    _ printed: String
  ) throws {
    let expression = try FilterExpression(text)
    #expect(expression.description == printed)
    #expect(try FilterExpression(printed) == expression)
  }

  @Test(
    arguments: [
      ("", 1, "no field"), (" ", 2, "no field"), ("and", 1, "unknown field \"and\""),
      ("rating >= 4 and ", 17, "no field"), ("rating >= 4 and", 11, "rating is a number"),
      (" and rating >= 4", 2, "unknown field"), ("rating >= 4 or", 11, "rating is a number"),
      ("name = 'Salt and Pepper", 8, "not closed by the quote"), ("name = \"Salt", 8, "not closed"),
      ("name = 'a\"", 8, "not closed"), ("name = \"a\"b\"", 8, "not closed"),
      ("name = 'a'b'", 8, "not closed"), ("name = 'a''", 8, "not closed"),
      ("name = ''", 8, "is empty"),
      ("name = 'a' b", 8, "not closed"), ("name = 'a')", 8, "not closed"),
      ("name ~ Surf OR Turf", 16, "name = 'Surf or Turf'"),
      ("name ~ Salt and Pepper", 17, "name = 'Salt and Pepper'"),
      ("(rating > 4", 1, "the parenthesis is not closed"),
      ("(rating > 4))", 13, "expected and, or"),
      ("((rating > 4)", 1, "the parenthesis is not closed"), ("()", 2, "no field"),
      ("not", 4, "no field"), ("not and", 5, "unknown field"), ("rating is 4", 8, "no operator"),
      ("rating is not 4", 8, "no operator"), ("rating not 4", 8, "no operator"),
      ("city in", 8, "expected values in parentheses"), ("city in x", 9, "expected values"),
      ("city in ()", 10, "no value"), ("city in (a,)", 12, "no value"),
      ("city in (a", 9, "not closed"),
      ("city in (a, 'b' c)", 13, "not closed by the quote"),
      ("rating in (4, x)", 11, "rating is a number"),
      ("rating ~ 4", 10, "its operators are"), ("city <> x", 6, "unknown operator \"<>\""),
      ("é = 1", 1, "unknown field \"é\""), ("city = 'é👩‍🍳' and x = 1", 19, "unknown field \"x\""),
      ("open = true", 1, "closed = false"), ("OPEN = now", 1, "opening hours"),
      ("price > 2", 1, "did you mean priceLevel?"), ("stars = 5", 1, "did you mean rating?"),
      ("zip = 1", 1, "did you mean postalCode?"), ("ratng > 4", 1, "did you mean rating?"),
      ("brand = x", 1, "did you mean chain?"), ("extras.a = 1", 1, "did you mean extra.NAME?"),
      ("zzzzzzzz = 1", 1, "expected FIELD OP VALUE; fields are id, name, category"),
      (
        "city in (" + Array(repeating: "a", count: 101).joined(separator: ",") + ")", 210,
        "at most 100"
      ),
    ]
  )
  func `what is wrong is refused with its column`(_ text: String, _ column: Int, _ problem: String)
  {
    let error = #expect(throws: QueryError.self) { try FilterExpression(text) }
    #expect(error?.column == column, "\(text): \(error?.reason ?? "")")
    #expect(error?.reason.contains(problem) == true, "\(text): \(error?.reason ?? "")")
  }

  @Test func `there are limits`() throws {
    let nine = Array(repeating: "closed = true", count: 9).joined(separator: " or ")
    #expect(try FilterExpression(nine, atMost: 9).subjects.count == 9)
    #expect(throws: QueryError.self) { try FilterExpression(nine, atMost: 8) }
    let text = "name = \(String(repeating: "x", count: 10))"
    _ = try FilterExpression(text, valueLength: 10)
    #expect(throws: QueryError.self) { try FilterExpression(text, valueLength: 9) }
    #expect(throws: QueryError.self) { try FilterExpression("name in (x, yy)", valueLength: 1) }
    func nested(_ count: Int, _ open: String, _ close: String) -> String {
      String(repeating: open, count: count) + "closed = no" + String(repeating: close, count: count)
    }
    for (open, close) in [("(", ")"), ("not ", ""), ("not (", ")")] {
      let step = open == "not (" ? 2 : 1
      _ = try FilterExpression(nested(31 / step, open, close))
      #expect(throws: QueryError.self) { try FilterExpression(nested(32 / step + 1, open, close)) }
    }
  }

  @Test func `hostile texts are refused in bounded time`() {
    let long = FilterExpression.maximumLength
    for piece in ["(", "not ", "not(", "'", "a", "a = (", "a = 'x' or ", "extra.a.", "e\u{301}"] {
      let text = String(repeating: piece, count: long / piece.utf8.count + 1)
      #expect(throws: QueryError.self) { try FilterExpression(text) }
      #expect(throws: QueryError.self) {
        try FilterExpression(String(text.dropLast(text.count / 8)))
      }
    }
    var random = SplitMix64(stream: "hostile expressions")
    let words = [
      "name", "rating", "extra.a", "closed", "=", "!=", "~", "in", "(", ")", "'", "\"", ",", "and",
      "or", "not",
      "is", "null", "4", "x", " ", "\t", "é", "\u{301}", "\u{0}",
    ]
    var readCount = 0
    for _ in 0..<20_000 {
      let text = (0..<random.int(below: 12)).map { _ in
        words[random.int(below: words.count)] + (random.int(below: 3) == 0 ? "" : " ")
      }.joined()
      guard let expression = try? FilterExpression(text) else { continue }
      readCount += 1
      #expect(
        (try? FilterExpression(expression.description)) == expression,
        "\(text) → \(expression)"
      )
    }
    #expect(readCount > 100)
  }

  // MARK: - Against brute force

  @Test func `random expressions find what brute force finds, missing values included`() throws {
    var random = MadeUpRestaurants(seed: SplitMix64.seed)
    var restaurants = random.restaurants(300)
    for index in restaurants.indices where random.number(below: 2) == 0 {
      restaurants[index].extra = random.members()
      if random.number(below: 3) == 0 {
        restaurants[index].hours = random.one(of: ["Mo-Fr", "24/7"])
      }
    }
    let file = try TemporarySnapshot(of: restaurants)
    // one has left its feed
    let favorites = restaurants.map(\.id).filter(ExpressionOracle.isFavorite) + ["gone"]
    let engine = QueryEngine(file.snapshot) { favorites }
    var kinds: [Int] = [0, 0, 0]
    for _ in 0..<600 * rounds {
      let expression = random.expression(depth: 3)
      let expected = restaurants.filter { ExpressionOracle.verdict(expression, $0) == true }
      let filter = Filter(where: expression)
      let found = try engine.page(Query(.everywhere, matching: filter)).matches.map(\.restaurant.id)
      #expect(found == expected.map(\.id), "SEED=\(SplitMix64.seed) \(expression)")
      // and from the text
      #expect(try FilterExpression(expression.description) == expression, "\(expression)")
      // what is not true is false or unknown
      let opposite = try engine.count(Query(.everywhere, matching: Filter(where: .not(expression))))
        .total
      #expect(
        opposite == restaurants.filter { ExpressionOracle.verdict(expression, $0) == false }.count,
        "SEED=\(SplitMix64.seed) not \(expression)"
      )
      kinds[found.isEmpty ? 0 : found.count == restaurants.count ? 2 : 1] += 1
    }
    #expect(kinds[1] > 200 * rounds, "\(kinds)")
  }

  @Test func `favorite tests the favorites of the moment, in every query`() throws {
    var random = MadeUpRestaurants(seed: SplitMix64.seed)
    let restaurants = random.restaurants(200)
    let file = try TemporarySnapshot(of: restaurants)
    let kept = KeptIDs([restaurants[3].id, restaurants[70].id, "gone"])
    let engine = QueryEngine(file.snapshot) { kept.ids }
    func count(_ text: String, _ region: Query.Region = .everywhere) throws -> Int {
      try engine.count(Query(region, matching: Filter(where: try FilterExpression(text)))).total
    }
    #expect(try count("favorite = true") == 2)
    #expect(try count("favorite = false") == 198)
    #expect(try count("favorite != true") == 198)
    #expect(try count("favorite in (true, false)") == 200)
    #expect(try count("favorite is null") == 0)
    #expect(try count("not favorite is null and favorite = yes") == 2)
    let center = restaurants[70].coordinate
    let filter = Filter(where: try FilterExpression("favorite = true"))
    #expect(
      try engine.nearest(to: center, count: 1, matching: filter).first?.restaurant.id
        == restaurants[70].id
    )
    #expect(try count("favorite = true", .radius(0, of: center)) == 1)
    kept.ids = [restaurants[5].id]
    #expect(try count("favorite = true") == 1)
    kept.ids = []
    #expect(try count("favorite = true") == 0)
    #expect(try count("favorite = false") == 200)
    // without favorites there are none
    #expect(try QueryEngine(file.snapshot).count(Query(.everywhere, matching: filter)).total == 0)
    #expect(throws: QueryError.self) { try FilterExpression("favorite = 3") }
    #expect(throws: QueryError.self) { try FilterExpression("favorite > false") }
  }

  @Test func `other filters and an expression must all be true`() throws {
    var random = MadeUpRestaurants(seed: 9)
    let restaurants = random.restaurants(200)
    let file = try TemporarySnapshot(of: restaurants)
    var filter = Filter(
      categories: ["thai"],
      where: try FilterExpression("rating >= 3 or priceLevel is null"),
      conditions: [try Condition("closed = false")]
    )
    filter.require(try FilterExpression("city is not null"))
    #expect(
      filter.expression?.description
        == "(rating >= 3.0 or priceLevel is null) and closed = false and city is not null"
    )
    #expect(filter.conditions.map(\.description) == ["closed = false"])
    let expected = restaurants.filter { restaurant in
      restaurant.category.map { CategoryNames(["thai"]).contain($0) } == true && !restaurant.closed
        && restaurant.address.city != nil
        && (restaurant.rating ?? 0 >= 3 || restaurant.priceLevel == nil)
    }
    let found = try QueryEngine(file.snapshot).page(Query(.everywhere, matching: filter)).matches
    #expect(found.map(\.restaurant.id) == expected.map(\.id) && !expected.isEmpty)
  }
}

/// Favorites that change between queries, of one thread.
private final class KeptIDs: @unchecked Sendable {
  var ids: [String]

  init(_ ids: [String]) {
    self.ids = ids
  }
}

/// What an expression says of a restaurant, by its own values: true, false, or nil for unknown.
enum ExpressionOracle {
  static func verdict(_ expression: FilterExpression, _ restaurant: Restaurant) -> Bool? {
    switch expression {
    case .condition(let condition): verdict(condition, restaurant)
    case .isNull(let field, let path): values(field, path, restaurant, withObjects: true).isEmpty
    case .spatial(let test): test.contains(restaurant.coordinate)
    case .not(let inner): verdict(inner, restaurant).map { !$0 }
    case .and(let parts):
      parts.reduce(true) { known, part in
        let next = verdict(part, restaurant)
        if known == false || next == false { return false }
        return known == nil || next == nil ? nil : true
      }
    case .or(let parts):
      parts.reduce(false) { known, part in
        let next = verdict(part, restaurant)
        if known == true || next == true { return true }
        return known == nil || next == nil ? nil : false
      }
    }
  }

  /// The favorites of the tests.
  static func isFavorite(_ id: String) -> Bool { id.utf8.reduce(0) { $0 &+ Int($1) } % 3 == 0 }

  private static func values(
    _ field: Condition.Field,
    _ path: [String],
    _ restaurant: Restaurant,
    withObjects: Bool = false
  ) -> [JSONValue] {
    func scalars(_ value: JSONValue, _ path: ArraySlice<String>) -> [JSONValue] {
      switch value {
      case .array(let elements): return elements.flatMap { scalars($0, path) }
      case .object(let members):
        guard let name = path.first else { return withObjects ? [value] : [] }
        return members.filter { $0.name == name }.flatMap { scalars($0.value, path.dropFirst()) }
      case .null: return []
      default: return path.isEmpty ? [value] : []
      }
    }
    if field == .extra { return scalars(.object(restaurant.extra), path[...]) }
    if field == .closed { return [.bool(restaurant.closed)] }
    if field == .favorite { return [.bool(isFavorite(restaurant.id))] }
    guard let key = RestaurantField(rawValue: field.rawValue), let value = restaurant[key] else {
      return []
    }
    return scalars(value, [])
  }

  private static func verdict(_ condition: Condition, _ restaurant: Restaurant) -> Bool? {
    if case .exact = condition.operand { return ExactOracle.verdict(condition, restaurant) }
    let found = values(condition.field, condition.path, restaurant)
    if found.isEmpty { return nil }
    let sign = condition.comparison
    func fits(_ sign: Condition.Comparison) -> Bool {
      found.contains { value in condition.operands.contains { Self.fits(value, sign, $0) } }
    }
    return sign == .notEqual ? !fits(.equal) : fits(sign)
  }

  private static func fits(
    _ value: JSONValue,
    _ sign: Condition.Comparison,
    _ operand: Condition.Operand
  ) -> Bool {
    switch (value, operand) {
    case (.bool(let flag), .flag(let wanted)): return compares(flag ? 1 : 0, wanted ? 1 : 0, sign)
    case (.bool(let flag), .member(let wanted)): return sign == .equal && flag == wanted.flag
    case (.number(let token), .number(let wanted)): return compares(Double(token), wanted, sign)
    case (.number(let token), .member(let wanted)):
      return compares(Double(token), wanted.number, sign)
    case (.string(let text), .text(let wanted)): return compares(folded(text), wanted, sign)
    case (.string(let text), .member(let wanted)):
      guard let number = wanted.number, sign != .contains else {
        return compares(folded(text), wanted.text, sign)
      }
      return compares(decimal(folded(text)), number, sign)
    default: return false
    }
  }

  private static func compares(
    _ one: Double?,
    _ other: Double?,
    _ sign: Condition.Comparison
  ) -> Bool {
    guard let one, let other else { return false }
    switch sign {
    case .equal: return one == other
    case .less: return one < other
    case .lessOrEqual: return one <= other
    case .greater: return one > other
    case .greaterOrEqual: return one >= other
    case .notEqual, .contains: return false
    }
  }

  private static func compares(_ one: String, _ other: String, _ sign: Condition.Comparison) -> Bool
  {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    switch sign {
    case .equal: return one == other
    case .less: return one.lexicographicallyPrecedes(other)
    case .lessOrEqual: return !other.lexicographicallyPrecedes(one)
    case .greater: return other.lexicographicallyPrecedes(one)
    case .greaterOrEqual: return !one.lexicographicallyPrecedes(other)
    case .contains: return other.isEmpty || one.indices.contains { one[$0...].starts(with: other) }
    case .notEqual: return false
    }
  }
}

extension MadeUpRestaurants {
  /// Members that conditions on `extra` test.
  mutating func members() -> [JSONMember] {
    func value(_ random: inout MadeUpRestaurants, _ depth: Int) -> JSONValue {
      switch random.number(below: depth > 1 ? 4 : 6) {
      case 0: .null
      case 1: .bool(random.number(below: 2) == 0)
      case 2: .number(random.one(of: ["4", "40.0", "-4.5", "0"]))
      case 3: .string(random.one(of: ["yes", "Café", "4", "", "a or b"]))
      case 4: .array((0..<random.number(below: 3)).map { _ in value(&random, depth + 1) })
      default: .object([JSONMember(name: "b", value: value(&random, depth + 1))])
      }
    }
    return ["a", "b", "it's"].filter { _ in number(below: 2) == 0 }
      .map { JSONMember(name: $0, value: value(&self, 0)) }
  }

  /// A random expression of the short grammar.
  mutating func expression(depth: Int) -> FilterExpression {
    switch number(below: depth > 0 ? 8 : 4) {
    case 0: return .isNull(one(of: Condition.Field.allCases.filter { $0 != .extra }), path: [])
    case 1: return .isNull(.extra, path: [one(of: ["a", "b", "it's", "c"])])
    case 2, 3: return leaf()
    case 4: return .not(expression(depth: depth - 1))
    case 5, 6: return .all(of: (0..<2 + number(below: 2)).map { _ in expression(depth: depth - 1) })
    default: return .any(of: (0..<2 + number(below: 3)).map { _ in expression(depth: depth - 1) })
    }
  }

  private mutating func leaf() -> FilterExpression {
    let field = one(of: Condition.Field.allCases)
    let path =
      field == .extra ? (0...number(below: 2)).map { _ in one(of: ["a", "b", "it's"]) } : []
    let texts = [
      "thai", "Café Zoë", "Dallas", "köln", "one", "CHUY'S", "the grill 3", "75254", "5", "yes",
      "Mo-Fr", "a or b",
      "https://example.com/a; b", "(x", "x)", "null",
    ]
    let numbers = ["4", "2.5", "0", "3", "1", "-96.82", "180", "5", "10", "500"]
    let values: [String] = (0..<(number(below: 3) == 0 ? 1 + number(below: 4) : 1)).map { _ in
      switch field.kind {
      case .number: one(of: numbers)
      case .flag: one(of: ["true", "false"])
      case .text: one(of: texts)
      case .member: one(of: texts + numbers)
      }
    }
    let comparison = values.count > 1 ? .equal : one(of: field.kind.comparisons)
    let isQuoted = field == .extra && number(below: 3) == 0
    guard let condition = try? Condition(field, path, comparison, values.map { ($0, isQuoted) })
    else {
      preconditionFailure("\(field) \(comparison) \(values)")
    }
    return .condition(condition)
  }
}
