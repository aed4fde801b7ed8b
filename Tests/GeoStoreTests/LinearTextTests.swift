import GeoIndex
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// Texts whose size makes anything but linear time plain: the suite does not end.
struct LinearTextTests {
  private func quoted(_ text: String) -> String { JSONWriter.of(.string(text)) }

  private func quotedCell(_ text: String) -> String {
    let scalars = text.unicodeScalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] }
    return "\"" + String(String.UnicodeScalarView(scalars)) + "\""
  }

  @Test func `a key is equal to and hashes as its bytes alone`() {
    let keys = [LongTexts.marks, LongTexts.swapped, "e" + LongTexts.marks, "e" + LongTexts.swapped]
    #expect(Set(keys.map { UTF8Key($0) }).count == 4)
    #expect(UTF8Key(keys[0]) == UTF8Key(keys[0] + ""))
    #expect(UTF8Key(keys[0]) < UTF8Key(keys[1]))
  }

  @Test func `values of JSON are equal by their bytes`() throws {
    let (one, other) = (LongTexts.marks, LongTexts.swapped)
    #expect(JSONValue.string(one) == .string(one))
    #expect(JSONValue.string(one) != .string(other))
    #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
    let members = [one, other, "e" + one].map { JSONMember(name: $0, value: .string($0)) }
    let object = JSONValue.object(members)
    #expect(try JSONValue(parsing: Array(JSONWriter.of(object).utf8)) == object)
    #expect(object[name: other] == .string(other))
    #expect(object[name: "e"] == nil)
    #expect(Set([JSONValue.string(one), .string(other), .number("1"), .string("1")]).count == 4)
  }

  @Test(arguments: LongTexts.all.indices)
  func `every text of a record comes in as it is`(_ index: Int) throws {
    let text = LongTexts.all[index]
    let members = ["category", "id", "hours", "website", "x", "closed", "rating", text]
      .map { ",\(quoted($0)):\(quoted(text))" }.joined()
    let location = ["address", "city", "cc", "formattedAddress", "y"]
      .map { ",\(quoted($0)):\(quoted(text))" }.joined()
    let feed = try Feeds.read(
      #"{"restaurants":[{"name":\#(quoted(text)),"location":{"lat":1,"lng":2\#(location)}\#(members)}]}"#
    )
    let restaurant = try #require(feed.restaurants.first, "\(feed.rejected.map(\.description))")
    let texts: [String?] = [
      restaurant.id, restaurant.name, restaurant.category, restaurant.hours,
      restaurant.address.street, restaurant.address.city, restaurant.address.formatted.first,
    ]
    #expect(texts.allSatisfy { $0.map { UTF8Key($0) == UTF8Key(text) } == true })
    #expect(restaurant.extra.first(named: text)?.value == .string(text))
    #expect(restaurant.extra.first(named: "closed")?.value == .string(text))
    #expect(slug(of: text).utf8.count < 1_000_000)
    #expect(derivedID(for: restaurant).utf8.suffix(9).first == UInt8(ascii: "-"))
  }

  @Test(arguments: LongTexts.all.indices)
  func `every format reads a record of such texts`(_ index: Int) throws {
    let text = quoted(LongTexts.all[index])
    let position = #""latitude":1,"longitude":2,"lat":1,"lon":2"#
    let feeds: [(FeedFormat, String)] = [
      (
        .geojson,
        #"{"type":"Feature","id":\#(text),"geometry":{"type":"Point","coordinates":[2,1]},"#
          + #""properties":{"name":\#(text),"type":\#(text),"url":\#(text),\#(text):\#(text)}}"#
      ),
      (.jsonl, #"{"name":\#(text),\#(position),"categories":\#(text),"closed":\#(text)}"#),
      (
        .jsonl,
        #"{"name":\#(text),"lat":null,"geom":"POINT(2 1)","category":[\#(text)],\#(text):1}"#
      ),
      (
        .yelp,
        #"{"business_id":\#(text),"name":\#(text),\#(position),"categories":\#(text),"#
          + #""hours":{\#(text):\#(text)},"is_open":\#(text)}"#
      ),
      (
        .overpass,
        #"{"elements":[{"type":"node","id":\#(text),\#(position),"tags":{"name":\#(text),"#
          + #""amenity":\#(text),"cuisine":\#(text),"addr:street":\#(text),\#(text):\#(text)}}]}"#
      ),
      (
        .google,
        #"{"places":[{"id":\#(text),"displayName":{"text":\#(text)},"location":{\#(position)},"#
          + #""types":[\#(text)],"priceLevel":\#(text),"businessStatus":\#(text),"#
          + #""addressComponents":[{"longText":\#(text),"types":[\#(text),"route"]}]}]}"#
      ),
      (
        .schemaOrg,
        #"{"@type":["Restaurant",\#(text)],"@id":\#(text),"name":\#(text),"geo":{\#(position)},"#
          + #""servesCuisine":[\#(text)],"address":\#(text),"image":\#(text),"openingHours":\#(text)}"#
      ),
      (
        .fsqOS,
        #"{"fsq_place_id":\#(text),"name":\#(text),\#(position),"fsq_category_labels":\#(text),"#
          + #""date_closed":\#(text),"website":\#(text)}"#
      ),
    ]
    for (format, feed) in feeds {
      let read = try Feeds.read(feed)
      #expect(read.format == format)
      #expect(read.restaurants.first.map { UTF8Key($0.name) } == UTF8Key(LongTexts.all[index]))
    }
  }

  @Test(arguments: LongTexts.all.indices)
  func `a table takes such texts in cells and in its header`(_ index: Int) throws {
    // a name is what begins with a letter
    let (cell, name) = (quotedCell(LongTexts.all[index]), quotedCell("a" + LongTexts.all[index]))
    let lines = [
      ["id", "name", "lat", "lon", "category", "url", "price", "closed", name],
      [cell, cell, "1", "2", cell, cell, cell, cell, cell],
    ]
    for separator in [",", "\t"] {
      let feed = try Feeds.read(lines.map { $0.joined(separator: separator) + "\n" }.joined())
      let restaurant = try #require(feed.restaurants.first, "\(feed.rejected.map(\.description))")
      #expect(UTF8Key(restaurant.name) == UTF8Key(LongTexts.all[index]))
      #expect(UTF8Key(restaurant.id) == UTF8Key(LongTexts.all[index]))
      #expect(restaurant.extra.contains { $0.name.begins(with: "a") })
    }
  }

  @Test func `a record of 20,000 members that all mean a key is read at once`() throws {
    // spellings of one name, none of which says yes
    let names = (0..<20_000).map { number in
      String(
        "permanently_closed".enumerated().map { place, letter in
          number >> place & 1 == 1 ? Character(letter.uppercased()) : letter
        }
      )
    }
    let spelled = Set(names).map { "\"\($0)\":\"maybe\"" }.joined(separator: ",")
    let feed = try Feeds.read(#"{"name":"A","lat":1,"lon":2,\#(spelled)}"#)
    #expect(feed.restaurants.first?.extra.count == Set(names).count)
  }

  @Test func `members that a record of geoq has twice get names of their own`() throws {
    func feature(_ own: String, _ extra: String) throws -> [JSONMember] {
      let feed = try Feeds.read(
        #"{"type":"FeatureCollection","generator":"geoq","features":[{"type":"Feature","id":"1","#
          + #""geometry":{"type":"Point","coordinates":[2,1]},"#
          + #""properties":{"name":"A",\#(own),"extra":{\#(extra)}}}]}"#
      )
      return try #require(feed.restaurants.first).extra
    }
    let few = try feature(#""a":1,"a_":2,"b":3"#, #""a":4,"a_":5,"c":6"#)
    #expect(few.map(\.name) == ["a", "a_", "c", "a__", "a___", "b"])
    let many = (0..<500).map { "\"x\(String(repeating: "_", count: $0))\":1" }
      .joined(separator: ",")
    #expect(Set(try feature(many, many).map { UTF8Key($0.name) }).count == 1_000)
  }

  @Test func `filters and orders take such texts`() throws {
    let restaurants = LongTexts.all.enumerated().map { number, text in
      var restaurant = Restaurant(
        id: "\(number)" + text,
        name: "N" + text,
        coordinate: .at(1, Double(number)),
        source: "test"
      )
      restaurant.category = text
      restaurant.address.city = text
      return restaurant
    }
    let temporary = try TemporaryStore(restaurants)
    #expect(try temporary.add(Feeds.of(restaurants)).unchanged == restaurants.count)
    let engine = try temporary.engine()
    #expect(try engine.matches(Query(.everywhere, in: Order(by: .name))).count == restaurants.count)
    for text in LongTexts.all {
      let category = Filter(categories: [text])
      #expect(try !engine.matches(Query(.everywhere, matching: category)).isEmpty)
      let city = Filter(conditions: [try Condition(.city, .equal, text)])
      #expect(try !engine.matches(Query(.everywhere, matching: city)).isEmpty)
      _ = try engine.matches(Query(.everywhere, matching: Filter(text: text)))
      #expect(throws: QueryError.self) { try Condition(text) }
      #expect(throws: QueryError.self) { try Condition("city \(text)") }
    }
    let store = try temporary.open()
    try store.addFavorites(restaurants.map(\.id))
    #expect(try store.favorites().count == restaurants.count)
    #expect(throws: UnknownRestaurant.self) { try store.addFavorites([LongTexts.marks]) }
    #expect(Verification.examine(path: temporary.path).filter { !$0.isGood }.isEmpty)
  }
}
