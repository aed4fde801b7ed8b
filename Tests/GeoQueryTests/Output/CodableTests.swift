import Foundation
import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

/// Values in Foundation's coders, under the keys that they have everywhere.
struct CodableTests {
  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func read<Value: Decodable>(
    _ text: String,
    as type: Value.Type = Value.self
  ) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  private func again<Value: Codable>(_ value: Value) throws -> Value { try read(json(value)) }

  @Test func `a coordinate has latitude and longitude, a box is an array`() throws {
    let place = Coordinate.at(32.950787, -96.82)
    #expect(try json(place) == #"{"latitude":32.950787,"longitude":-96.82}"#)
    #expect(try again(place).bits == place.bits)
    #expect(throws: DecodingError.self) {
      try read(#"{"latitude":95,"longitude":0}"#, as: Coordinate.self)
    }
    #expect(throws: DecodingError.self) { try read(#"{"latitude":5}"#, as: Coordinate.self) }
    let box = try #require(BoundingBox(west: 177, south: -21, east: -178, north: -12))
    #expect(try json(box) == "[177,-21,-178,-12]")
    #expect(try again(box) == box)
    for text in ["[1,2,3]", "[1,2,3,1]", "[1,2,3,4,5]", "{}"] {
      #expect(throws: DecodingError.self) { try read(text, as: BoundingBox.self) }
    }
  }

  @Test func `coordinates come back bit for bit`() throws {
    var random = SplitMix64(stream: "coded coordinates")
    for _ in 0..<500 {
      let place = random.coordinate()
      #expect(try again(place).bits == place.bits)
      #expect(try again(Restaurant.plain("a", at: place)).coordinate.bits == place.bits)
    }
  }

  @Test func `a restaurant has the flat keys of its JSON everywhere`() throws {
    var random = SplitMix64(stream: "coded restaurants")
    let restaurants =
      random.restaurants(200) + [.full("é", at: .at(1.5, 2)) { random.hostileText(upTo: 6) }]
    for restaurant in restaurants {
      var own = JSONWriter()
      own.members(Match(restaurant: restaurant).members(RestaurantField.stored))
      let expected = try read("{" + own.text + "}", as: JSONValue.self)
      #expect(try read(json(restaurant), as: JSONValue.self) == expected)
      // an empty text is none; members are sorted, and numbers in their shortest spelling
      var same = restaurant
      if same.category == "" { same.category = nil }
      if same.chain == "" { same.chain = nil }
      for (index, member) in same.extra.enumerated() {
        if case .number = member.value { same.extra[index].value = .number("-10") }
      }
      same.extra.sort { UTF8Key($0.name) < UTF8Key($1.name) }
      #expect(try again(restaurant) == same)
    }
  }

  @Test func `a restaurant that is not one is refused with the key`() throws {
    let rest = #""name":"A","source":"s","latitude":1,"longitude":2"#
    #expect(
      try read(#"{"id":7,"# + rest + #","x":1,"rating":null}"#, as: Restaurant.self).id == "7"
    )
    for (text, key) in [
      ("{" + rest + "}", "id"), (#"{"id":"","# + rest + "}", "id"),
      (#"{"id":"1","priceLevel":9,"# + rest + "}", "priceLevel"),
      (#"{"id":"1","rating":"good","# + rest + "}", "rating"),
      (#"{"id":"1","name":"A","source":"s","latitude":91,"longitude":2}"#, "91"),
    ] {
      let error = #expect(throws: DecodingError.self) { try read(text, as: Restaurant.self) }
      #expect("\(error.map { "\($0)" } ?? "")".contains(key))
    }
  }

  @Test func `numbers keep their value`() throws {
    for token in [
      "0", "-1", "12345678901234567890", "0.1", "8.700000000000001", "1e-80", "1e200", "5e-324",
      "-1.7976931348623157e308", "12345678901234567890.12345678901234567",
    ] {
      let decoded = try again(JSONValue.number(token))
      guard case .number(let text) = decoded else {
        Issue.record("\(token) is \(decoded)")
        continue
      }
      #expect(Double(text) == Double(token))
    }
    #expect(
      try again(JSONValue.number("12345678901234567890")) == .number("12345678901234567890")
    )
    for token in ["one", "1.2.3", "inf", "0x10", ""] {
      #expect(throws: EncodingError.self) { try json(JSONValue.number(token)) }
    }
    let value = JSONValue.array([.null, .bool(true), .string("é"), .object([]), .array([])])
    #expect(try again(value) == value)
  }

  private func filters() throws -> [Filter] {
    let ring = [(170.0, -20.0), (190, -20), (180, -10.5), (170, -20)]
      .map { Area.Vertex(longitude: $0.0, latitude: $0.1) }
    let time = try #require(LocalTime(year: 2026, month: 12, day: 24, minute: 750))
    return [
      .all, Filter(categories: ["Thai", "Tap House"], text: "joe's  pi"), Filter(ids: []),
      Filter(ids: ["é", "a,b"]), Filter(area: try Area([[ring], [ring]])),
      Filter(open: OpenAt(time, includesUnknown: true)),
      Filter(where: try FilterExpression("rating >= 4 and not (city = 'Köln' or phone is null)")),
      Filter(where: try FilterExpression("name = 'Don''t' and extra.a in ('x', 'y')")),
      Filter(
        text: "a",
        where: try FilterExpression(
          "CASEI(name) LIKE CASEI('jo%') AND S_INTERSECTS(geometry, POINT(1 2))",
          in: .cql2Text
        )
      ),
    ]
  }

  @Test func `filters and queries come back equal`() throws {
    let center = Coordinate.at(32.95, -96.82)
    let box = try #require(BoundingBox(west: 177, south: -21, east: -178, north: -12))
    let regions: [Query.Region] = [
      .everywhere, .box(box), .radius(1_500.25, of: center), .nearest(to: center, count: 3),
      .nearest(to: center, count: 0, within: 12),
    ]
    let orders = [
      nil, Order(by: .rating, descending: true),
      try Order([Order.Term(.priceLevel), Order.Term(.name, descending: true)]),
    ]
    for filter in try filters() {
      #expect(try again(filter) == filter)
      for region in regions {
        for order in orders {
          let query = Query(region, matching: filter, in: order, limit: 7, offset: 3, from: "x")
          let back = try again(query)
          #expect(back.region == region)
          #expect(back.filter == filter)
          #expect(back.order == order)
          #expect((back.limit, back.offset, back.cursor) == (7, 3, "x"))
          #expect(back.fingerprint == query.fingerprint)
        }
      }
    }
    #expect(try again(Query(.everywhere)).limit == nil)
  }

  @Test func `a query has the members of POST search`() throws {
    let query = Query(
      .nearest(to: .at(32.95, -96.82), count: 5, within: 1_000),
      matching: Filter(
        categories: ["Thai"],
        text: "pho",
        where: try FilterExpression("rating >= 4")
      ),
      in: Order(by: .rating, descending: true)
    )
    #expect(
      try json(query)
        == #"{"category":["Thai"],"count":5,"filter":"rating >= 4.0","lat":32.95,"lon":-96.82,"#
        + #""max":1000,"q":"pho","sortby":["-rating"]}"#
    )
    let text = """
      {"lat":32.95,"lon":-96.82,"city":"Dallas","sortby":"name,-rating","open":"2026-12-24 12:30",
       "within":{"type":"Polygon","coordinates":[[[-97,32],[-96,32],[-96,33],[-97,32]]]},
       "filter":{"op":"=","args":[{"property":"city"},"Dallas"]},"facets":["city"]}
      """
    let found: Query = try read(text)
    #expect(found.region == .nearest(to: .at(32.95, -96.82), count: 10))
    #expect(found.filter.testCount == 2)
    #expect(found.filter.area?.polygons.count == 1)
    #expect(found.filter.open?.time.minute == 750)
    #expect(found.order?.terms.map(\.key) == [.name, .rating])
  }

  @Test func `what is wrong with a query is said`() {
    for (text, parameter) in [
      (#"{"lat":1}"#, "lat"), (#"{"lat":95,"lon":1}"#, "lat"), (#"{"lat":"1","lon":1}"#, "lat"),
      (#"{"count":3}"#, "lat"), (#"{"lat":1,"lon":2,"bbox":[1,2,3,4]}"#, "bbox"),
      (#"{"lat":1,"lon":1,"radius":1,"max":2}"#, "radius"), (#"{"radius":5}"#, "lat"),
      (#"{"lat":1,"lon":1,"radius":-1}"#, "radius"), (#"{"bbox":[1,2,3]}"#, "bbox"),
      (#"{"lat":1,"lon":1,"count":1.5}"#, "count"), (#"{"limit":-1}"#, "limit"),
      (#"{"sortby":["size"]}"#, "sortby"), (#"{"sortby":["--name"]}"#, "sortby"),
      (#"{"category":[1,null]}"#, "category"), (#"{"filter":"rating >"}"#, "where"),
      (#"{"filter":"a","filter-lang":"sql"}"#, "filter-lang"), (#"{"open":"soon"}"#, "open"),
      (#"{"within":{"type":"Point","coordinates":[1,2]}}"#, "within"),
    ] {
      let error = #expect(throws: QueryError.self) { try read(text, as: Query.self) }
      #expect(error?.parameter == parameter, "\(text): \(String(describing: error))")
    }
  }

  @Test func `a filter that no text says is not encoded`() throws {
    var mixed = Filter(where: try FilterExpression("city = dallas"))
    mixed.require(try FilterExpression("name LIKE 'a%'", in: .cql2Text))
    #expect(throws: EncodingError.self) { try json(mixed) }
    #expect(throws: EncodingError.self) { try json(Query(.everywhere, matching: mixed)) }
    var favorites = Filter()
    favorites.favoriteIDs = ["a"]
    #expect(throws: EncodingError.self) { try json(favorites) }
  }

  @Test func `matches are identified, pages are sequences, errors are localized`() throws {
    let snapshot = try Snapshot([.plain("b"), .plain("a")])
    let page = try QueryEngine(snapshot).page(Query(.everywhere))
    #expect(try page.map { try $0.get().id } == ["a", "b"])
    #expect(try snapshot.restaurant(at: 1).id == "b")
    let errors: [any LocalizedError] = [
      QueryError("lat", "is missing"), SnapshotError.unusable("x", because: "it is empty"),
      UnknownRestaurant(id: "x", similar: []), QueryTimeout(), AreaError.noPolygon,
    ]
    for error in errors {
      #expect(error.errorDescription == "\(error)")
      #expect(error.localizedDescription == "\(error)")
    }
  }
}
