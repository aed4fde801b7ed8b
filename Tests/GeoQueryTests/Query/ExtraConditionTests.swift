import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

/// Conditions on members that have no key of their own, and on descriptions.
struct ExtraConditionTests {
  // MARK: - The grammar

  @Test(
    arguments: [
      ("extra.outdoor_seating = yes", ["outdoor_seating"], "= yes"),
      ("extra.attributes.WiFi=free", ["attributes", "WiFi"], "= 'free'"),
      ("EXTRA.brand:wikidata = Q1", ["brand:wikidata"], "= 'q1'"),
      ("extra.'opening hours'.'a.b' ~ x", ["opening hours", "a.b"], "~ 'x'"),
      ("extra.'it''s' >= 4", ["it's"], ">= 4"), ("extra.x = '4'", ["x"], "= '4'"),
      ("extra.x = \"4\"", ["x"], "= '4'"),
      ("extra.'a = b and c' != 'd and e'", ["a = b and c"], "!= 'd and e'"),
      ("extra.x = false", ["x"], "= false"), ("extra.x = 'false'", ["x"], "= 'false'"),
      ("extra.é<2", ["é"], "< 2"),
    ]
  )
  func `a path leads to a member`(_ text: String, _ path: [String], _ rest: String) throws {
    let expression = try FilterExpression(text)
    guard case .condition(let condition) = expression else {
      Issue.record("\(text) is not one condition")
      return
    }
    #expect(condition.field == .extra && condition.path == path)
    #expect(condition.description.hasSuffix(" " + rest), "\(condition.description)")
    // what names a filter reads back as the same
    #expect(try FilterExpression(condition.description) == expression)
  }

  @Test(
    arguments: [
      ("extra = 1", "extra.NAME"), ("extra. = 1", "no name after a dot"),
      ("extra.a. = 1", "no name after a dot"), ("extra.'a = 1", "not closed by the quote"),
      ("extra.a b = 1", "no operator"), ("extra.a", "no operator"), ("extra.a =", "no value"),
      ("extras.a = 1", "unknown field \"extras\""),
      ("extra." + String(repeating: "a", count: 257) + " = 1", "at most 256 bytes, got 257"),
      ("extra" + String(repeating: ".a", count: 33) + " = 1", "at most 32 names, got 33"),
    ]
  )
  func `what is not a path says what is wrong`(_ text: String, _ problem: String) {
    let error = #expect(throws: QueryError.self) { try FilterExpression(text) }
    #expect(error?.reason.contains(problem) == true, "\(error?.reason ?? "")")
  }

  // MARK: - What fits

  private static let record = #"""
    {"a":"Yes","n":4,"t":"40","z":"075","list":["x",7,{"k":"deep"}],"none":null,"empty":[],"b":true,
     "o":{"p":{"q":"Café"},"WiFi":"u'free'"},"a.b":1,"it's":"x","e\"\\\n":"line\nbreak \"q\"","big":1e300,
     "objects":[{"k":1},{"k":"two"}],"":{"":"blank"},"id":12345678901234567,"tenth":0.1}
    """#

  @Test(
    arguments: [
      ("extra.a = yes", true), ("extra.a = 'yes'", true), ("extra.a != yes", false),
      ("extra.a = true", false), ("extra.a ~ ES", true), ("extra.a > xyz", true),
      ("extra.id = 12345678901234567", true), ("extra.id = 12345678901234568", false),
      ("extra.id = 1.2345678901234567e16", true), ("extra.id != 12345678901234568", true),
      ("extra.id < 12345678901234568", true), ("extra.id > 12345678901234566", true),
      ("extra.id >= 12345678901234568", false), ("extra.id <= 12345678901234566", false),
      ("extra.id <= 12345678901234567", true), ("extra.tenth = 0.10", true),
      ("extra.tenth = 0.1000000000000000055511151231257827", false), ("extra.n = 4", true),
      ("extra.n = 4.0", true), ("extra.n > 3.5", true),
      ("extra.n = '4'", false), ("extra.n = \"4\"", false), ("extra.n != '4'", true),
      ("extra.n ~ 4", false),
      ("extra.n < x", false), ("extra.n != x", true), ("extra.t > 9", true),
      ("extra.t > '9'", false), ("extra.z = 75", true), ("extra.z = '75'", false),
      ("extra.z ~ 7", true), ("extra.list = x", true), ("extra.list = 7", true),
      ("extra.list = y", false), ("extra.list != x", false), ("extra.list != y", true),
      ("extra.list > 8", false), ("extra.list.k = deep", true), ("extra.objects.k = two", true),
      ("extra.objects.k = 1", true), ("extra.objects.k != 1", false), ("extra.none = x", false),
      ("extra.none != x", false), ("extra.empty != x", false), ("extra.missing != x", false),
      ("extra.b = true", true), ("extra.b = YES", true), ("extra.b != no", true),
      ("extra.b = 1", false), ("extra.b = 'true'", false), ("extra.b ~ true", false),
      ("extra.o = x", false), ("extra.o != x", false), ("extra.o.p.q = CAFE", true),
      ("extra.o.p.q.r = x", false), ("extra.o.WiFi ~ free", true), ("extra.o.wifi ~ free", false),
      ("extra.'a.b' = 1", true), ("extra.a.b = 1", false), ("extra.'it''s' = x", true),
      ("extra.'e\"\\\n' ~ 'break \"q'", true), ("extra.big > 1e299", true),
      ("extra.''.'' = blank", true), ("extra.n != nan", true), ("description ~ PATIO", true),
      ("description = 'a patio, \"quiet\"'", true), ("description != x", true),
    ]
  )
  func `a member is compared as what it is`(_ text: String, _ fits: Bool) throws {
    var restaurant = Restaurant.plain("a")
    restaurant.description = "A patio, \"quiet\""
    guard case .object(let extra) = try JSONValue(parsing: Array(Self.record.utf8)) else { return }
    restaurant.extra = extra
    let file = try TemporarySnapshot(of: [restaurant, .plain("b")])
    let filter = Filter(where: try FilterExpression(text))
    let found = try QueryEngine(file.snapshot).count(Query(.everywhere, matching: filter)).total
    #expect(found == (fits ? 1 : 0))
  }

  // MARK: - Against brute force

  /// The oracle: a condition by the parsed values of a restaurant.
  private func holds(_ condition: Condition, _ restaurant: Restaurant) -> Bool {
    guard case .member(let wanted) = condition.operand else { return false }
    func scalars(_ value: JSONValue, _ path: ArraySlice<String>) -> [JSONValue] {
      switch value {
      case .array(let elements): return elements.flatMap { scalars($0, path) }
      case .object(let members):
        guard let name = path.first else { return [] }
        return members.filter { UTF8Key($0.name) == UTF8Key(name) }
          .flatMap { scalars($0.value, path.dropFirst()) }
      case .null: return []
      default: return path.isEmpty ? [value] : []
      }
    }
    func compares<Value: Comparable>(_ value: Value, _ other: Value, _ sign: String) -> Bool {
      switch sign {
      case "=": value == other
      case "<": value < other
      case "<=": value <= other
      case ">": value > other
      default: value >= other
      }
    }
    func fits(_ value: JSONValue, _ sign: String) -> Bool {
      switch value {
      case .bool(let flag): return sign == "=" && wanted.flag == flag
      case .number(let token):
        guard sign != "~", let number = wanted.number, let own = Double(token) else { return false }
        return compares(own, number, sign)
      case .string(let text):
        let text = folded(text)
        if sign == "~" {
          return text.utf8.isEmpty ? wanted.text.isEmpty : text.contains(wanted.text)
        }
        guard let number = wanted.number else {
          return compares(UTF8Key(text), UTF8Key(wanted.text), sign)
        }
        let isDecimal =
          !text.isEmpty
          && text.unicodeScalars.allSatisfy { "0123456789+-.e".unicodeScalars.contains($0) }
        guard isDecimal, let own = Double(text), own.isFinite else { return false }
        return compares(own, number, sign)
      default: return false
      }
    }
    let values = scalars(.object(restaurant.extra), condition.path[...])
    if values.isEmpty { return false }
    return condition.comparison == .notEqual
      ? !values.contains { fits($0, "=") }
      : values.contains { fits($0, condition.comparison.rawValue) }
  }

  @Test func `random members of random records are found as brute force finds them`() throws {
    var random = MadeUpRestaurants(seed: SplitMix64.seed)
    let names = ["a", "b", "", "a.b", "it's", "é", "q\"\\", "WiFi"]
    let texts = [
      "yes", "Yes", "4", "40", "-4.50", "é", "x y", "", "\"", "\\", "true", "long \n x", "1e2",
    ]
    func value(_ random: inout MadeUpRestaurants, _ depth: Int) -> JSONValue {
      switch random.number(below: depth > 3 ? 4 : 6) {
      case 0: return .null
      case 1: return .bool(random.number(below: 2) == 0)
      case 2: return .number(random.one(of: ["4", "40.0", "-4.5", "1e2", "0", "-0.0"]))
      case 3: return .string(random.one(of: texts))
      case 4:
        return .array((0..<random.number(below: 4)).map { _ in value(&random, depth + 1) })
      default: return .object(members(&random, depth + 1))
      }
    }
    func members(_ random: inout MadeUpRestaurants, _ depth: Int) -> [JSONMember] {
      names.filter { _ in random.number(below: 3) == 0 }
        .map { JSONMember(name: $0, value: value(&random, depth)) }
    }
    let restaurants = random.restaurants(400).map { restaurant in
      var restaurant = restaurant
      restaurant.extra = members(&random, 0)
      return restaurant
    }
    let file = try TemporarySnapshot(of: restaurants)
    let engine = QueryEngine(file.snapshot)
    var foundSome = 0
    for _ in 0..<1_500 {
      let path = (0...random.number(below: 3)).map { _ in random.one(of: names) }
      let sign = random.one(of: Condition.Comparison.allCases)
      let wanted = random.one(of: texts.filter { !$0.isEmpty })
      let isQuoted = random.number(below: 3) == 0
      let text =
        "extra" + path.map { "." + Condition.quoted($0) }.joined()
        + " \(sign.rawValue) \(Condition.quoted(wanted))"
      let bare = try Condition(.extra, path, sign, [(wanted, false)])
      let condition = isQuoted ? try Condition(text) : bare
      var filter = Filter(conditions: [condition])
      if random.number(below: 4) == 0 { filter.categories = ["thai"] }
      let expected = restaurants.filter { restaurant in
        holds(condition, restaurant)
          && (filter.categories.isEmpty
            || CategoryNames(filter.categories).contain(restaurant.category ?? ""))
      }
      let found = try engine.page(Query(.everywhere, matching: filter)).matches
      #expect(
        found.map(\.restaurant.id) == expected.map(\.id),
        "SEED=\(SplitMix64.seed) \(condition.description)"
      )
      foundSome += expected.isEmpty ? 0 : 1
    }
    #expect(foundSome > 400)
  }

  // MARK: - What is damaged, and what takes long

  @Test func `no bytes lead a test out of bounds`() throws {
    var random = MadeUpRestaurants(seed: SplitMix64.seed)
    let text = Array(
      #","category":"x","extra":{"a":[1,{"b":"c\"d"},[[]]],"é":true,"n":-4.5}}}"#.utf8
    )
    for path in [["a"], ["a", "b"], ["é"], ["n"], [""]] {
      let test = MemberTest(try Condition(.extra, path, .equal, [("4", false)]))
      for _ in 0..<4_000 {
        var bytes = Array(text.prefix(random.number(below: text.count + 1)))
        for _ in 0..<random.number(below: 4) where !bytes.isEmpty {
          bytes[random.number(below: bytes.count)] = random.one(
            of: Array(#"{}[]",:\01tn "#.utf8) + [0xFF]
          )
        }
        _ = bytes.withUnsafeBytes { test.verdict($0) }
      }
      let deep = Array((#","extra":{"a":"# + String(repeating: "[", count: 100_000)).utf8)
      #expect(deep.withUnsafeBytes { test.verdict($0) } != true)
    }
  }

  @Test func `a deadline ends a look at all records`() throws {
    var random = MadeUpRestaurants(seed: 7)
    let file = try TemporarySnapshot(of: random.restaurants(3_000))
    var query = Query(.everywhere, matching: Filter(where: try FilterExpression("extra.a = 1")))
    query.deadline = Deadline(in: .zero)
    #expect(throws: QueryTimeout.self) { try QueryEngine(file.snapshot).count(query) }
  }
}
