import Foundation
import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

/// Filters by OGC 21-065r2.
struct CQL2Tests {
  // MARK: - Both encodings

  // the standard's examples, with properties that restaurants have
  @Test(
    arguments: [
      (
        "city='Toronto'", #"{"op":"=","args":[{"property":"city"},"Toronto"]}"#,
        #""city" = 'Toronto'"#
      ),
      ("rating <> 5", #"{"op":"<>","args":[{"property":"rating"},5]}"#, "rating <> 5.0"),
      (
        "reviewCount>=1.5E2", #"{"op":">=","args":[{"property":"reviewCount"},150]}"#,
        "reviewCount >= 150.0"
      ),
      ("-3. < latitude", #"{"op":"<","args":[-3,{"property":"latitude"}]}"#, "latitude > -3.0"),
      ("closed = TRUE", #"{"op":"=","args":[{"property":"closed"},true]}"#, "closed = true"),
      ("true", "true", "TRUE"), ("FALSE", "false", "FALSE"),
      (
        "geometry IS NOT NULL",
        #"{"op":"not","args":[{"op":"isNull","args":[{"property":"geometry"}]}]}"#, "not FALSE"
      ),
      ("phone is null", #"{"op":"isNull","args":[{"property":"phone"}]}"#, "phone is null"),
      (
        "extra.updated >= DATE('1970-01-01')",
        #"{"op":">=","args":[{"property":"extra.updated"},{"date":"1970-01-01"}]}"#,
        #""extra.'updated'" >= '1970-01-01'"#
      ),
      (
        "extra.t = TIMESTAMP('1969-07-20T20:17:40.5Z')",
        #"{"op":"=","args":[{"property":"extra.t"},{"timestamp":"1969-07-20T20:17:40.5Z"}]}"#,
        #""extra.'t'" = '1969-07-20T20:17:40.5Z'"#
      ),
      (
        "name LIKE 'Smith%'", #"{"op":"like","args":[{"property":"name"},"Smith%"]}"#,
        #""name" LIKE 'Smith%'"#
      ),
      (
        "rating BETWEEN 1.0 and 4", #"{"op":"between","args":[{"property":"rating"},1.0,4]}"#,
        "rating >= 1.0 and rating <= 4.0"
      ),
      (
        "city IN ('Toronto','New York')",
        #"{"op":"in","args":[{"property":"city"},["Toronto","New York"]]}"#,
        #""city" in ('Toronto', 'New York')"#
      ),
      (
        "priceLevel NOT IN (1,2)",
        #"{"op":"not","args":[{"op":"in","args":[{"property":"priceLevel"},[1,2]]}]}"#,
        "priceLevel not in (1.0, 2.0)"
      ),
      (
        "CASEI(name) in (casei('Οδος'),CASEI('Straße'),CASEI('STRAẞE'))",
        #"{"op":"in","args":[{"op":"casei","args":[{"property":"name"}]},[{"op":"casei","args":["Οδος"]},{"op":"casei","args":["Straße"]},{"op":"casei","args":["STRAẞE"]}]]}"#,
        #"CASEI("name") in ('οδοσ', 'strasse', 'strasse')"#
      ),
      (
        "ACCENTI(city) = ACCENTI('débárquér')",
        #"{"op":"=","args":[{"op":"accenti","args":[{"property":"city"}]},{"op":"accenti","args":["débárquér"]}]}"#,
        #"ACCENTI("city") = 'debarquer'"#
      ),
      (
        "CASEI(ACCENTI(name)) LIKE accenti(casei('Ü_\\%%'))",
        #"{"op":"like","args":[{"op":"casei","args":[{"op":"accenti","args":[{"property":"name"}]}]},{"op":"accenti","args":[{"op":"casei","args":["Ü_\\%%"]}]}]}"#,
        #"CASEI(ACCENTI("name")) LIKE 'u_\%%'"#
      ),
      (
        "S_INTERSECTS(geometry,POINT(36.319836 32.288087))",
        #"{"op":"s_intersects","args":[{"property":"geometry"},{"type":"Point","coordinates":[36.319836,32.288087]}]}"#,
        "S_INTERSECTS(geometry,POINT(36.319836 32.288087))"
      ),
      (
        "s_within(geometry, BBOX(160.6,-55.95,-170,-25.89))",
        #"{"op":"s_within","args":[{"property":"geometry"},{"bbox":[160.6,-55.95,-170,-25.89]}]}"#,
        "S_WITHIN(geometry,BBOX(160.6,-55.95,-170.0,-25.89))"
      ),
      (
        "S_INTERSECTS(POLYGON((0 0, 4 0, 4 4, 0 0),(1 .5,2 .5,2 1,1 .5)), geometry)",
        #"{"op":"s_intersects","args":[{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,0]],[[1,0.5],[2,0.5],[2,1],[1,0.5]]]},{"property":"geometry"}]}"#,
        "S_INTERSECTS(geometry,POLYGON((0.0 0.0,4.0 0.0,4.0 4.0,0.0 0.0),(1.0 0.5,2.0 0.5,2.0 1.0,1.0 0.5)))"
      ),
      (
        "S_INTERSECTS(geometry,MULTIPOLYGON(((0 0,4 0,4 4,0 0)),((9 9 1,9 8 1,8 8 1,9 9 1))))",
        #"{"op":"s_intersects","args":[{"property":"geometry"},{"type":"MultiPolygon","coordinates":[[[[0,0],[4,0],[4,4],[0,0]]],[[[9,9],[9,8],[8,8],[9,9]]]]}]}"#,
        "S_INTERSECTS(geometry,MULTIPOLYGON(((0.0 0.0,4.0 0.0,4.0 4.0,0.0 0.0)),((9.0 9.0,9.0 8.0,8.0 8.0,9.0 9.0))))"
      ),
      (
        "(NOT (rating > 1) AND \"rating\" > 2) OR (closed = true and rating<3) or not (rating > 1 OR rating < 3)",
        #"{"op":"or","args":[{"op":"and","args":[{"op":"not","args":[{"op":">","args":[{"property":"rating"},1]}]},{"op":">","args":[{"property":"rating"},2]}]},{"op":"and","args":[{"op":"=","args":[{"property":"closed"},true]},{"op":"<","args":[{"property":"rating"},3]}]},{"op":"not","args":[{"op":"or","args":[{"op":">","args":[{"property":"rating"},1]},{"op":"<","args":[{"property":"rating"},3]}]}]}]}"#,
        "not rating > 1.0 and rating > 2.0 or closed = true and rating < 3.0 or not (rating > 1.0 or rating < 3.0)"
      ),
    ]
  )
  func `text and JSON mean the same, and what is printed reads back`(
    _ text: String,
    _ json: String,
    _ printed: String
  ) throws {
    let expression = try FilterExpression(text, in: .cql2Text)
    #expect(expression.cql2Text == printed)
    #expect(try FilterExpression(json, in: .cql2JSON) == expression)
    #expect(try FilterExpression(printed, in: .cql2Text) == expression)
  }

  @Test func `ILIKE, which GDAL sends, is LIKE within CASEI`() throws {
    let expression = try FilterExpression("city NOT ILIKE 'Tor%'", in: .cql2Text)
    #expect(
      expression == (try FilterExpression("NOT CASEI(city) LIKE CASEI('tor%')", in: .cql2Text))
    )
    #expect(expression.cql2Text == #"not CASEI("city") LIKE 'tor%'"#)
  }

  @Test func `dates and times of the calendar are taken`() throws {
    for text in [
      "DATE('2024-02-29')", "DATE('0001-12-31')", "TIMESTAMP('2016-12-31T23:59:60Z')",
      "TIMESTAMP('2026-11-28T00:00:00.99999999999999999999999Z')",
    ] {
      #expect(throws: Never.self) { try FilterExpression("extra.d = \(text)", in: .cql2Text) }
    }
  }

  @Test func `texts have the escapes of the standard`() throws {
    for (text, value) in [
      ("'Via dell''Avvento'", "Via dell'Avvento"), (#"'it\'s'"#, "it's"),
      (#"'a\tb\nc\\d'"#, "a\tb\nc\\d"),
      (#"'\a\b\v\f\r'"#, "\u{7}\u{8}\u{B}\u{C}\r"), ("''", ""), (#"'50\%'"#, #"50\%"#),
      ("'é\n漢'", "é\n漢"),
    ] {
      let expression = try FilterExpression("name = \(text)", in: .cql2Text)
      let exact = ExactValue(content: .text(value), ignored: [])
      #expect(expression == .condition(Condition(.name, [], .equal, [.exact(exact)])), "\(text)")
      #expect(try FilterExpression(expression.cql2Text, in: .cql2Text) == expression, "\(text)")
    }
  }

  @Test(
    arguments: [
      ("%", "", true), ("_%", "", false), ("", "", true), ("", "a", false), ("_%", "a", true),
      ("%%", "abc", true),
      ("a_c", "abc", true), ("a_c", "ac", false), ("a%c", "abbc", true), ("a%c", "abcd", false),
      (#"\%\_"#, "%_", true), (#"\%\_"#, "ab", false), (#"\\%"#, "\\x", true),
      (#"a\"#, "a\\", true),
      ("%a%b%", "xxaxxbxx", true), ("%a%b%", "xxbxxaxx", false), ("B_r%", "Berlin", true),
      ("b_r%", "Berlin", false),
      ("_", "漢", true), ("__", "👍", false), ("%aab", "aaaaab", true),
    ]
  )
  func `a pattern matches whole texts`(_ pattern: String, _ text: String, _ fits: Bool) {
    #expect(LikePattern(pattern).matches(text) == fits)
  }

  // MARK: - What is refused

  @Test(
    arguments: [
      ("", 1, "expected a property"), ("rating", 7, "expected a comparison"),
      ("rating >", 9, "expected a property"),
      ("rating > 'a'", 10, "rating is a number"), ("name = 4", 8, "name is a text"),
      ("name ~ 'a'", 6, "expected a"),
      ("closed = 1", 10, "closed is true or false"), ("rating != 4", 8, "expected a comparison"),
      ("'a' = 'a'", 1, "expected a property"), ("city = name", 8, "not with another property"),
      ("Rating > 4", 1, "did you mean rating?"), ("price > 4", 1, "did you mean priceLevel?"),
      ("extra = 4", 1, "unknown property"), ("extra. = 4", 1, "no name after a dot"),
      ("open = true", 1, "closed = false"),
      ("geometry = 4", 1, "S_INTERSECTS"), ("(rating > 4", 1, "not closed"),
      ("rating > 4)", 11, "expected AND, OR"),
      ("name = 'a", 8, "not closed"), ("\"name = 'a'", 1, "not closed"),
      ("rating > 4 and", 15, "expected a property"),
      ("rating > 4 rating < 5", 12, "expected AND, OR"),
      ("rating + 1 > 4", 8, "expected a comparison"),
      ("avg(rating) > 4", 1, "function avg is not supported"),
      ("S_EQUALS(geometry,POINT(1 1))", 1, "not supported"),
      ("S_INTERSECTS(geometry,POINT(90 180))", 23, "longitude and a latitude"),
      ("not not rating > 4", 5, "expected a property"),
      ("S_INTERSECTS(geometry,LINESTRING(1 1,2 2))", 23, "LineString is not supported"),
      ("S_INTERSECTS(geometry,POLYGON((0 0,1 0,1 1)))", 23, "is not closed"),
      ("S_INTERSECTS(geometry,BBOX(1,2,3))", 23, "4 or 6"),
      ("S_INTERSECTS(name,POINT(1 1))", 14, "needs geometry"),
      ("S_INTERSECTS(geometry)", 1, "needs 2 arguments"),
      ("S_WITHIN(BBOX(1,1,2,2),geometry)", 10, "only a point"),
      ("rating between 'a' and 'b'", 16, "two numbers"),
      ("name between 1 and 2", 14, "name is a text"),
      ("rating in ()", 12, "expected a property"), ("rating in 4", 11, "expected a parenthesis"),
      ("name like 4", 11, "pattern"),
      ("rating like '4'", 1, "rating is a number"), ("casei(rating) = 4", 7, "CASEI"),
      ("name is 4", 9, "expected NULL"),
      ("rating > 1e999", 10, "not a number"), ("rating > 1..2", 10, "not a number"),
      ("extra.d = DATE('2020-1-1')", 11, "not a date"),
      ("extra.d = DATE('2026-02-29')", 11, "not a date"),
      ("extra.d = DATE('2026-13-01')", 11, "not a date"),
      ("extra.d = DATE('2026-00-00')", 11, "not a date"),
      ("extra.t = TIMESTAMP('2026-01-01T24:00:00Z')", 11, "not a time"),
      ("rating = DATE('2020-01-01')", 10, "rating is a number"),
      ("extra.a = 4 and é = 1", 17, "unknown property"),
    ]
  )
  func `what is wrong with a text is refused with its column`(
    _ text: String,
    _ column: Int,
    _ problem: String
  ) {
    let error = #expect(throws: QueryError.self) { try FilterExpression(text, in: .cql2Text) }
    #expect(error?.column == column, "\(text): \(error?.reason ?? "")")
    #expect(error?.reason.contains(problem) == true, "\(text): \(error?.reason ?? "")")
  }

  @Test(
    arguments: [
      ("", "not JSON"), ("{", "not JSON"), ("null", "null is not a value; use isNull at the top"),
      ("4", "expected a condition at the top"),
      ("[]", "expected a condition"), ("{}", "expected op, property"),
      (#"{"op":"="}"#, "members op and args at the top"),
      (#"{"op":"=","args":[{"property":"rating"}]}"#, "= needs 2 arguments, got 1"),
      (
        #"{"op":"and","args":[true,{"op":"=","args":[{"property":"rating"},"a"]}]}"#,
        "rating is a number at /args/1/args/1"
      ),
      (
        #"{"op":"in","args":[{"property":"city"},["a",{"property":"name"}]]}"#,
        "another property at /args/1/1"
      ),
      (#"{"op":"in","args":[{"property":"city"},[]]}"#, "list of values at /args/1"),
      (#"{"op":"AND","args":[true,true]}"#, "AND is not supported"),
      (#"{"op":"and","args":[true]}"#, "two conditions or more"),
      (
        #"{"op":"=","args":[{"property":"price"},4]}"#,
        "unknown property \"price\" at /args/0; did you mean priceLevel?"
      ),
      (
        #"{"op":"t_after","args":[{"property":"hours"},{"date":"2020-01-01"}]}"#,
        "t_after is not supported"
      ),
      (
        #"{"op":"s_intersects","args":[{"property":"geometry"},{"type":"Point","coordinates":[1]}]}"#,
        "longitude and a latitude at /args/1"
      ),
      (
        #"{"op":"s_intersects","args":[{"property":"geometry"},{"bbox":[1,2,"3",4]}]}"#,
        "4 or 6 numbers"
      ),
      (#"{"op":"=","args":[{"property":"rating"},4],"op":"="}"#, "not JSON"),
    ]
  )
  func `what is wrong with JSON is refused with its place`(_ json: String, _ problem: String) {
    let error = #expect(throws: QueryError.self) { try FilterExpression(json, in: .cql2JSON) }
    #expect(error?.reason.contains(problem) == true, "\(json): \(error?.reason ?? "")")
    #expect(error?.column == nil)
  }

  @Test func `there are limits, and hostile filters are refused in bounded time`() throws {
    #expect(throws: QueryError.self) {
      try FilterExpression("true or rating > 1 or rating > 2", in: .cql2Text, atMost: 1)
    }
    #expect(throws: QueryError.self) {
      try FilterExpression("name = 'abc'", in: .cql2Text, valueLength: 2)
    }
    let list = Array(repeating: "1", count: 101).joined(separator: ",")
    #expect(throws: QueryError.self) { try FilterExpression("rating in (\(list))", in: .cql2Text) }
    for piece in [
      "(", "not (", "not ", "'", "CASEI(", "a", "rating > 1 and ", "\"",
      "S_INTERSECTS(geometry,POLYGON(", "-", "''", "\\", "e\u{301}",
      "POLYGON((", "x.",
    ] {
      let text = String(repeating: piece, count: FilterExpression.maximumLength / piece.utf8.count)
      #expect(throws: QueryError.self) { try FilterExpression(text, in: .cql2Text) }
    }
    for piece in ["[", #"{"op":"not","args":["#, #"{"op":"casei","args":["#, "[1,", #"{"a":"#] {
      let text = String(repeating: piece, count: FilterExpression.maximumLength / piece.utf8.count)
      #expect(throws: QueryError.self) { try FilterExpression(text, in: .cql2JSON) }
    }
    func nested(_ count: Int) -> String {
      String(repeating: #"{"op":"not","args":["#, count: count) + "true"
        + String(repeating: "]}", count: count)
    }
    _ = try FilterExpression(nested(31), in: .cql2JSON)
    #expect(throws: QueryError.self) { try FilterExpression(nested(32), in: .cql2JSON) }
    var random = SplitMix64(stream: "hostile CQL2")
    let words = [
      "name", "rating", "\"extra.a\"", "closed", "=", "<>", "<", "like", "in", "(", ")", "'a'", "'",
      ",", "and", "or", "not", "is",
      "null", "4", "-1.5", "between", "true", "CASEI(", "BBOX(1,2,3,4)", "S_INTERSECTS(",
      "geometry", "POINT(1 2)", "é", "\u{0}",
    ]
    var readCount = 0
    for _ in 0..<20_000 {
      let text = (0..<random.int(below: 10)).map { _ in words[random.int(below: words.count)] }
        .joined(separator: " ")
      guard let expression = try? FilterExpression(text, in: .cql2Text) else { continue }
      readCount += 1
      #expect(
        (try? FilterExpression(expression.cql2Text, in: .cql2Text)) == expression,
        "\(text) → \(expression)"
      )
    }
    #expect(readCount > 30)
  }

  // MARK: - Evaluation

  private static func file(_ seed: UInt64, _ count: Int) throws -> ([Restaurant], TemporarySnapshot)
  {
    var random = MadeUpRestaurants(seed: seed)
    var restaurants = random.restaurants(count)
    for index in restaurants.indices where random.number(below: 2) == 0 {
      restaurants[index].extra = random.members()
      if random.number(below: 3) == 0 {
        restaurants[index].hours = random.one(of: ["Mo-Fr", "24/7"])
      }
    }
    return (restaurants, try TemporarySnapshot(of: restaurants))
  }

  @Test func `random filters find what brute force finds, in text and in JSON`() throws {
    let (restaurants, file) = try Self.file(SplitMix64.seed, 300)
    let favorites = restaurants.map(\.id).filter(ExpressionOracle.isFavorite)
    let engine = QueryEngine(file.snapshot) { favorites }
    var random = MadeUpRestaurants(seed: SplitMix64.seed ^ 1)
    var foundSome = 0
    for _ in 0..<600 * rounds {
      let expression = random.cql2(depth: 3, restaurants)
      let text = "SEED=\(SplitMix64.seed) \(expression.cql2Text)"
      #expect(try FilterExpression(expression.cql2Text, in: .cql2Text) == expression, "\(text)")
      #expect(
        try FilterExpression(CQL2Writer.json(expression).description, in: .cql2JSON) == expression,
        "\(text)"
      )
      let expected = restaurants.filter { ExpressionOracle.verdict(expression, $0) == true }.map(
        \.id
      )
      let found = try engine.page(Query(.everywhere, matching: Filter(where: expression))).matches
      #expect(found.map(\.restaurant.id) == expected, "\(text)")
      let opposite = try engine.count(Query(.everywhere, matching: Filter(where: .not(expression))))
        .total
      #expect(
        opposite == restaurants.filter { ExpressionOracle.verdict(expression, $0) == false }.count,
        "\(text)"
      )
      if !expected.isEmpty, expected.count < restaurants.count { foundSome += 1 }
    }
    #expect(foundSome > 200 * rounds)
  }

  @Test func `the abstract tests hold for each queryable`() throws {
    let (restaurants, file) = try Self.file(5, 200)
    let engine = QueryEngine(file.snapshot)
    func ids(_ text: String) throws -> Set<String> {
      let filter = Filter(where: try FilterExpression(text, in: .cql2Text))
      return Set(try engine.page(Query(.everywhere, matching: filter)).matches.map(\.restaurant.id))
    }
    let schema = JSONValue.object(
      Queryables.schema(id: "https://example.org/queryables", title: "Restaurants")
    )
    guard case .object(let properties)? = schema[name: "properties"] else { return }
    // the geometry too, but neither extra nor favorite
    #expect(properties.count == Condition.Field.allCases.count - 1)
    var stored = 0
    for property in properties where property.name != "geometry" {
      let (name, type) = (property.name, property.value[name: "type"]?.description ?? "")
      let value = [
        #""string""#: "'foo'", #""boolean""#: "true", #""number""#: "3.14", #""integer""#: "1",
      ][type]
      let literal = try #require(value, "\(name) \(type)")
      #expect(try ids("\(name) = \(literal)").isDisjoint(with: ids("\(name) <> \(literal)")))
      #expect(try ids("\(name) > \(literal)").isDisjoint(with: ids("\(name) <= \(literal)")))
      #expect(try ids("\(name) < \(literal)").isDisjoint(with: ids("\(name) >= \(literal)")))
      let (missing, present) = (try ids("\(name) IS NULL"), try ids("\(name) is not null"))
      #expect(
        missing.isDisjoint(with: present) && missing.count + present.count == restaurants.count
      )
      #expect(try ids("\(name) <= \(literal) or \(name) > \(literal)") == present)
      if type == #""string""# {
        #expect(
          try ids("\(name) LIKE '%'") == ids("\(name) LIKE '%%'")
            && ids("\(name) LIKE '%'") == present
        )
        #expect(try ids("\(name) like '_%'").isDisjoint(with: ids("\(name) like ''")))
        #expect(try ids("\(name) in ('foo', 'bar')").isEmpty)
      }
      if type == #""number""# || type == #""integer""# {
        #expect(try ids("\(name) between 100.0 and 1.0").isEmpty)
        let inside = try ids("\(name) BETWEEN 0 AND 100")
        #expect(try inside.union(ids("\(name) not between 0 and 100")) == present)
      }
      stored += present.isEmpty ? 0 : 1
    }
    #expect(stored > 14)
    #expect(try ids("true").count == 200 && ids("false").isEmpty)
    #expect(try ids("closed in (true)") == Set(restaurants.filter(\.closed).map(\.id)))
    #expect(try ids("S_INTERSECTS(geometry,BBOX(-180,-90,180,90))").count == 200)
    #expect(
      try ids(
        "S_INTERSECTS(geometry,BBOX(-180,-90,-90,90)) AND S_INTERSECTS(geometry,BBOX(90,-90,180,90))"
      )
        == Set(
          restaurants.filter {
            abs($0.coordinate.longitude) == 180 || abs($0.coordinate.latitude) == 90
          }.map(\.id)
        )
    )
  }

  @Test func `a boundary is in for S_INTERSECTS and out for S_WITHIN`() throws {
    let donut = "POLYGON((0 0,8 0,8 8,0 8,0 0),(2 2,2 6,6 6,6 2,2 2))"
    for (geometry, inside, boundary, outside) in [
      (
        donut, [(1.0, 1.0), (7, 4)], [(0.0, 0.0), (8, 4), (2, 2), (4, 6)],
        [(4.0, 4.0), (-1, 0), (9, 4), (8, 9)]
      ),
      ("BBOX(0,0,8,8)", [(4, 4)], [(0, 4), (8, 8), (4, 0)], [(-1, 4), (4, 9)]),
      (
        "BBOX(170,-8,-170,8)", [(180, 0), (-180, 0), (-171, 1)], [(170, 0), (-170, 8)],
        [(0, 0), (169, 0)]
      ),
      (
        "POLYGON((170 -8,190 -8,190 8,170 8,170 -8))", [(180, 0), (-180, 0), (-171, 1)],
        [(170, 0), (-170, 8)], [(169, 0), (-169, 0)]
      ),
      (
        "MULTIPOLYGON(((0 0,4 0,4 4,0 0)),((4 0,8 0,8 4,4 0)))", [(3, 1), (7, 1)],
        [(4, 0), (2, 2), (8, 3)], [(1, 3), (5, 3)]
      ),
    ] {
      for (places, intersects, within) in [
        (inside, true, true), (boundary, true, false), (outside, false, false),
      ] {
        for (longitude, latitude) in places {
          let point = MadeUpRestaurants.valid(latitude, longitude)
          for (function, expected) in [("S_INTERSECTS", intersects), ("S_WITHIN", within)] {
            guard
              case .spatial(let test) = try FilterExpression(
                "\(function)(geometry,\(geometry))",
                in: .cql2Text
              )
            else {
              Issue.record("\(geometry)")
              return
            }
            #expect(test.contains(point) == expected, "\(function) \(geometry) \(point)")
          }
        }
      }
    }
    guard
      case .spatial(let point) = try FilterExpression(
        "S_WITHIN(geometry,POINT(180 0))",
        in: .cql2Text
      )
    else { return }
    #expect(
      point.contains(MadeUpRestaurants.valid(0, -180))
        && !point.contains(MadeUpRestaurants.valid(0, 179))
    )
  }
}

/// CQL2 JSON of an expression that CQL2 has.
enum CQL2Writer {
  static func json(_ expression: FilterExpression) -> JSONValue {
    switch expression {
    case .condition(let condition): return json(condition)
    case .isNull(let field, let path): return call("isNull", [property(field, path)])
    case .spatial(let test):
      guard case .box(let box) = test.geometry else { preconditionFailure("\(test)") }
      let numbers = [box.west, box.south, box.east, box.north].map {
        JSONValue.number($0.description)
      }
      let name = test.relation == .within ? "s_within" : "s_intersects"
      return call(
        name,
        [
          .object([JSONMember(name: "property", value: .string("geometry"))]),
          .object([JSONMember(name: "bbox", value: .array(numbers))]),
        ]
      )
    case .not(let inner): return call("not", [json(inner)])
    case .and(let parts): return parts.isEmpty ? .bool(true) : call("and", parts.map(json))
    case .or(let parts): return parts.isEmpty ? .bool(false) : call("or", parts.map(json))
    }
  }

  private static func json(_ condition: Condition) -> JSONValue {
    var subject = property(condition.field, condition.path)
    var name = condition.comparison == .notEqual ? "<>" : condition.comparison.rawValue
    if case .exact(let value) = condition.operand {
      if value.ignored.contains(.accents) { subject = call("accenti", [subject]) }
      if value.ignored.contains(.letterCase) { subject = call("casei", [subject]) }
      if case .pattern = value.content { name = "like" }
    }
    let values = condition.operands.map { operand -> JSONValue in
      switch operand {
      case .number(let number): .number(number.description)
      case .flag(let flag): .bool(flag)
      case .exact(let value):
        switch value.content {
        case .text(let text), .pattern(let text): .string(text)
        case .number(let number): .number(number.description)
        case .flag(let flag): .bool(flag)
        }
      case .text, .member: preconditionFailure("\(operand)")
      }
    }
    return values.count > 1
      ? call("in", [subject, .array(values)]) : call(name, [subject, values[0]])
  }

  private static func call(_ name: String, _ arguments: [JSONValue]) -> JSONValue {
    .object([
      JSONMember(name: "op", value: .string(name)),
      JSONMember(name: "args", value: .array(arguments)),
    ])
  }

  private static func property(_ field: Condition.Field, _ path: [String]) -> JSONValue {
    let name = field.rawValue + path.map { "." + Condition.quoted($0) }.joined()
    return .object([JSONMember(name: "property", value: .string(name))])
  }
}

/// What an exact condition says of a restaurant, by its own values.
enum ExactOracle {
  static func verdict(_ condition: Condition, _ restaurant: Restaurant) -> Bool? {
    var value: JSONValue?
    if condition.field == .extra {
      value = .object(restaurant.extra)
      for name in condition.path { value = value.flatMap { $0[name: name] } }
    } else {
      value = RestaurantField(rawValue: condition.field.rawValue).flatMap { restaurant[$0] }
    }
    if case .array(let items)? = value {
      let entries = items.compactMap { item -> String? in
        switch item {
        case .string(let text), .number(let text): text
        case .bool(let flag): "\(flag)"
        default: nil
        }
      }
      value = entries.isEmpty ? nil : .string(entries.joined(separator: "; "))
    }
    var isKnown = false
    for case .exact(let wanted) in condition.operands {
      switch (value, wanted.content) {
      case (.string(let text)?, .text(let other)):
        isKnown = true
        let own = form(text, wanted.ignored)
        if compares(
          Array(own.utf8).map(Double.init),
          Array(other.utf8).map(Double.init),
          condition.comparison
        ) {
          return true
        }
      case (.string(let text)?, .pattern(let pattern)):
        isKnown = true
        // a regular expression in Foundation's words
        var expression = ""
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
          if scalar == "\\", !isEscaped {
            isEscaped = true
            continue
          }
          expression +=
            !isEscaped && scalar == "%"
            ? ".*"
            : !isEscaped && scalar == "_"
              ? "." : NSRegularExpression.escapedPattern(for: String(scalar))
          isEscaped = false
        }
        let own = form(text, wanted.ignored)
        let range = own.range(of: "\\A(?s:\(expression))\\z", options: .regularExpression)
        if range != nil { return true }
      case (.number(let token)?, .number(let other)):
        isKnown = true
        if compares([Double(token) ?? .nan], [other], condition.comparison) { return true }
      case (.bool(let flag)?, .flag(let other)):
        isKnown = true
        if compares([flag ? 1 : 0], [other ? 1 : 0], condition.comparison) { return true }
      default: break
      }
    }
    return isKnown ? false : nil
  }

  private static func form(_ text: String, _ ignored: ExactValue.Ignored) -> String {
    if ignored == .all { return folded(text) }
    if ignored == .letterCase { return text.uppercased().lowercased() }
    if ignored == .accents {
      let marks = CharacterSet.nonBaseCharacters
      let plain = text.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
        !marks.contains($0)
      }
      return String(String.UnicodeScalarView(plain))
    }
    return text
  }

  private static func compares(
    _ one: [Double],
    _ other: [Double],
    _ sign: Condition.Comparison
  ) -> Bool {
    switch sign {
    case .equal: one == other
    case .notEqual: one != other
    case .less: one.lexicographicallyPrecedes(other)
    case .lessOrEqual: !other.lexicographicallyPrecedes(one)
    case .greater: other.lexicographicallyPrecedes(one)
    case .greaterOrEqual: !one.lexicographicallyPrecedes(other)
    case .contains: false
    }
  }
}

extension MadeUpRestaurants {
  /// A random expression of CQL2, with values that restaurants have.
  mutating func cql2(depth: Int, _ restaurants: [Restaurant]) -> FilterExpression {
    switch number(below: depth > 0 ? 9 : 5) {
    case 0: return .isNull(one(of: Condition.Field.allCases.filter { $0 != .extra }), path: [])
    case 1: return .isNull(.extra, path: [one(of: ["a", "b", "it's", "c d"])])
    case 2:
      let west = Double(number(below: 361)) - 180
      let east = Double(number(below: 361)) - 180
      guard
        let box = BoundingBox(
          west: west,
          south: -50,
          east: east,
          north: Double(number(below: 140)) - 50
        )
      else { return .or([]) }
      return .spatial(
        SpatialPredicate(
          relation: number(below: 2) == 0 ? .within : .intersects,
          geometry: .box(box)
        )
      )
    case 3, 4: return exactLeaf(one(of: restaurants))
    case 5: return number(below: 9) == 0 ? .and([]) : .not(cql2(depth: depth - 1, restaurants))
    case 6, 7:
      return .all(of: (0..<2 + number(below: 2)).map { _ in cql2(depth: depth - 1, restaurants) })
    default:
      return .any(of: (0..<2 + number(below: 3)).map { _ in cql2(depth: depth - 1, restaurants) })
    }
  }

  private mutating func exactLeaf(_ restaurant: Restaurant) -> FilterExpression {
    let field = one(of: Condition.Field.allCases)
    let path =
      field == .extra ? (0...number(below: 3) / 2).map { _ in one(of: ["a", "b", "it's"]) } : []
    let signs: [Condition.Comparison] = [
      .equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    let ignored: ExactValue.Ignored =
      number(below: 2) == 0 ? [] : one(of: [.letterCase, .accents, .all])
    let own = RestaurantField(rawValue: field.rawValue).flatMap { restaurant[$0] }
    func text(_ random: inout MadeUpRestaurants) -> String {
      var text = random.one(of: ["Thai", "Dallas", "4", "yes", "a or b", "Café", "3; 4", ""])
      if case .string(let value)? = own, random.number(below: 4) > 0 { text = value }
      return ignored(random.number(below: 4) == 0 ? text.uppercased() : text)
    }
    let isPattern = number(below: 4) == 0
    func content(_ random: inout MadeUpRestaurants) -> ExactValue.Content {
      if field == .extra, random.number(below: 2) == 0 {
        return random.number(below: 2) == 0
          ? .number(random.one(of: [4, 40, -4.5, 0])) : .flag(random.number(below: 2) == 0)
      }
      guard isPattern else { return .text(text(&random)) }
      var scalars = Array(text(&random).unicodeScalars)
      for _ in 0..<random.number(below: 3) where !scalars.isEmpty {
        let start = random.number(below: scalars.count)
        scalars.replaceSubrange(
          start..<min(scalars.count, start + random.number(below: 4)),
          with: [random.one(of: ["%", "_"])]
        )
      }
      let pattern = String(
        String.UnicodeScalarView(scalars.flatMap { $0 == "\\" ? [$0, $0] : [$0] })
      )
      return .pattern(LikePattern.text(pattern) { $0 })
    }
    switch field.kind {
    case .number:
      let values = (0...number(below: 5) / 3).map { _ in
        Condition.Operand.number(one(of: [4, 2.5, 0, 3, -96.82, 180, 5, 500]))
      }
      return .condition(Condition(field, [], values.count > 1 ? .equal : one(of: signs), values))
    case .flag:
      return .condition(Condition(field, [], one(of: signs), [.flag(number(below: 2) == 0)]))
    case .text, .member:
      let count = isPattern ? 1 : 1 + number(below: 5) / 3
      let values = (0..<count).map { _ in
        Condition.Operand.exact(ExactValue(content: content(&self), ignored: ignored))
      }
      var hasPattern = false
      if case .exact(let value) = values[0], case .pattern = value.content { hasPattern = true }
      return .condition(
        Condition(field, path, count > 1 || hasPattern ? .equal : one(of: signs), values)
      )
    }
  }
}
