import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct BottleRocketRecordTests {
  private let images = "http://sandbox.bottlerocketapps.com/BR_iOS_CodingExam_2015_Server/Images/"

  private func feed(_ record: String) throws -> Feed {
    try Feeds.read("{\"restaurants\":[\(record)]}")
  }

  @Test func `the sample gives fifteen restaurants and nothing else to say`() throws {
    let feed = try Feeds.sample()
    #expect(feed.restaurants.count == 15)
    #expect(feed.readCount == 15)
    #expect(feed.rejected.isEmpty)
    #expect(feed.warnings.isEmpty)
    #expect(feed.format == .bottlerocket)
    #expect(feed.source == "restaurants.json")
  }

  @Test func `Hopdoddy has every member of the feed in its place`() throws {
    var expected = Restaurant(
      id: "hopdoddy-burger-bar-468cdd36",
      name: "Hopdoddy Burger Bar",
      coordinate: .at(32.950787, -96.821118),
      source: "restaurants.json"
    )
    expected.category = "Burgers"
    expected.imageURL = images + "hopdoddy.png"
    expected.contact.phone = "9723872337"
    expected.contact.formattedPhone = "(972) 387-2337"
    expected.contact.twitter = "hopdoddy"
    expected.address.street = "5100 Belt Line Road, STE 502"
    expected.address.crossStreet = "Dallas North Tollway"
    expected.address.postalCode = "75254"
    expected.address.countryCode = "US"
    expected.address.city = "Addison"
    expected.address.state = "TX"
    expected.address.country = "United States"
    expected.address.formatted = [
      "5100 Belt Line Road, STE 502 (Dallas North Tollway)", "Addison, TX 75254", "United States",
    ]
    #expect(try Feeds.sample().restaurants[0] == expected)
  }

  @Test func `Yard House keeps all six ways to reach it`() throws {
    let restaurant = try Feeds.sample().restaurants[2]
    #expect(restaurant.name == "Yard House")
    #expect(restaurant.contact.facebook == "92873089221")
    #expect(restaurant.contact.facebookUsername == "YardHouse")
    #expect(restaurant.contact.facebookName == "Yard House")
    #expect(restaurant.contact.phone != nil)
    #expect(restaurant.contact.formattedPhone != nil)
    #expect(restaurant.contact.twitter != nil)
    #expect(restaurant.address.crossStreet == nil)
  }

  @Test func `Pluckers, with a null contact and no postal code, is there all the same`() throws {
    let restaurant = try Feeds.sample().restaurants[3]
    #expect(restaurant.name == "Pluckers Wing Bar")
    #expect(restaurant.contact == Restaurant.Contact())
    #expect(restaurant.address.postalCode == nil)
    #expect(restaurant.address.crossStreet == nil)
    #expect(
      restaurant.address.formatted == ["5100 Beltline Rd", "Addison, TX", "United States"]
    )
    #expect(restaurant.extra.isEmpty)
  }

  /// Foundation's reader as second opinion, member by member.
  @Test func `all fifteen agree with another reader in every member`() throws {
    let names: [(String, RestaurantField)] = [
      ("name", .name), ("category", .category), ("backgroundImageURL", .imageURL),
      ("address", .address), ("crossStreet", .crossStreet), ("postalCode", .postalCode),
      ("cc", .countryCode), ("city", .city), ("state", .state), ("country", .country),
      ("phone", .phone), ("formattedPhone", .formattedPhone), ("twitter", .twitter),
      ("facebook", .facebook), ("facebookUsername", .facebookUsername),
      ("facebookName", .facebookName),
    ]
    let records = try FoundationJSON.read(Feeds.sampleBytes())["restaurants"]?.elements ?? []
    #expect(records.count == 15)
    var texts = 0
    for (record, restaurant) in zip(records, try Feeds.sample().restaurants) {
      let location = try #require(record["location"])
      for (name, field) in names {
        let text = (record[name] ?? location[name] ?? record["contact"]?[name])?.text
        #expect(restaurant[field] == text.map(JSONValue.string), "\(restaurant.name): \(name)")
        texts += text == nil ? 0 : 1
      }
      #expect(restaurant.coordinate.latitude == location["lat"]?.number)
      #expect(restaurant.coordinate.longitude == location["lng"]?.number)
      let lines = location["formattedAddress"]?.elements.compactMap(\.text)
      #expect(restaurant.address.formatted == lines)
      #expect(restaurant.extra.isEmpty)
    }
    // 3 + 5 texts in all, 11 cross streets, 14 postal codes, 13 + 13 + 8 + 2 + 2 + 1 of contact
    #expect(texts == 15 * 8 + 11 + 14 + 39)
  }

  @Test func `members without a key go to extra with the names of where they were`() throws {
    let record = """
      {"name":"A","mood":"good","location":{"lat":1,"lng":2,"isFuzzed":true,"labels":[1.50]},
      "contact":{"fax":"1","phone":null},"tags":null}
      """
    let extra = try feed(record).restaurants[0].extra
    #expect(
      JSONWriter.of(.object(extra))
        == #"{"mood":"good","location":{"isFuzzed":true,"labels":[1.50]},"contact":{"fax":"1"}}"#
    )
  }

  @Test func `extra survives the store and the export`() throws {
    let record = """
      {"name":"A","x":[0.10,{"\\u00e9":null}],"location":{"lat":1,"lng":2,"p":1e400},
      "contact":{"q":"\\u0000\\ud83d\\ude00"}}
      """
    let feed = try feed(record)
    let extra = JSONWriter.of(.object(feed.restaurants[0].extra))
    #expect(extra.contains("0.10") && extra.contains("1e400") && extra.contains("\\u0000😀"))
    let store = try TemporaryStore()
    try store.add(feed)
    #expect(JSONWriter.of(.object(try store.restaurants()[0].extra)) == extra)

    var exported: [UInt8] = []
    try store.engine().page(Query(.everywhere)).write(with: AnswerFormat.geojson.writer()) {
      exported += $0
    }
    let back = try FeedReader(source: "export").read(exported)
    #expect(back.restaurants.map(\.allBytes) == feed.restaurants.map(\.allBytes))
  }

  @Test func `keys at the record's root are taken where their type fits`() throws {
    let record = """
      {"id":7,"name":"A","location":{"lat":40,"lng":-105,"postalCode":2134},"category":"Ice Cave",
      "website":"http://a.example","rating":8.5,"ratingScale":10,"reviewCount":12,"priceLevel":5,
      "hours":["Mo"],"closed":true}
      """
    let feed = try feed(record)
    let restaurant = try #require(feed.restaurants.first)
    #expect(restaurant.id == "7")
    #expect(restaurant.coordinate.bits == [(40.0).bitPattern, (-105.0).bitPattern])
    #expect(feed.warnings.isEmpty)
    #expect(restaurant.category == "Ice Cave")
    #expect(restaurant.address.postalCode == "2134")
    #expect(restaurant.website == "http://a.example")
    #expect(restaurant.rating == 8.5 && restaurant.ratingScale == 10)
    #expect(restaurant.reviewCount == 12 && restaurant.closed)
    // a price of 5 is not geoq's; hours in an array go by the common names
    #expect(JSONWriter.of(.object(restaurant.extra)) == #"{"priceLevel":5}"#)
    #expect(restaurant.hours == "Mo")
  }

  @Test(arguments: [
    ("5", "the record is a number, not an object"),
    ("null", "the record is null, not an object"),
    ("[]", "the record is an array, not an object"),
    ("{}", "name is missing"),
    (#"{"name":null,"location":{"lat":1,"lng":2}}"#, "name is missing"),
    (#"{"name":true,"location":{"lat":1,"lng":2}}"#, "name is true, not text"),
    (#"{"name":{},"location":{"lat":1,"lng":2}}"#, "name is an object, not text"),
    (#"{"name":"","location":{"lat":1,"lng":2}}"#, "name is empty"),
    ("{\"name\":\" \u{A0}\u{2003}\\t\",\"location\":{\"lat\":1,\"lng\":2}}", "name is empty"),
    (#"{"name":"A"}"#, "latitude is missing"),
    (#"{"name":"A","location":null}"#, "latitude is missing"),
    (#"{"name":"A","location":"here"}"#, "location is text, not an object"),
    (#"{"name":"A","location":[1,2]}"#, "location is an array, not an object"),
    (#"{"name":"A","location":{"lat":1}}"#, "longitude is missing"),
    (#"{"name":"A","location":{"lat":1,"lon":2}}"#, "longitude is missing"),
    (#"{"name":"A\u0000","location":{"lat":1,"lng":2}}"#, "name contains the character U+0000"),
    (
      #"{"name":"A","id":"\u0000","location":{"lat":1,"lng":2}}"#,
      "id contains the character U+0000"
    ),
    (
      #"{"name":"A","location":{"lat":1,"lng":2,"formattedAddress":["x","\u0000"]}}"#,
      "formattedAddress contains the character U+0000"
    ),
    (#"{"name":"A","name":"B","location":{"lat":1,"lng":2}}"#, #"member "name" is given twice"#),
    (
      #"{"name":"\ud800","location":{"lat":1,"lng":2}}"#,
      #"the escape \ud800 is half of a surrogate pair"#
    ),
  ])
  func `a record that is none is skipped and named`(_ record: String, _ problem: String) throws {
    let good = #"{"name":"Good","location":{"lat":1,"lng":2}}"#
    let feed = try Feeds.read("{\"restaurants\":[\(good),\n\(record)]}")
    #expect(feed.restaurants.map(\.name) == ["Good"])
    #expect(feed.rejected.map(\.problem) == [problem])
    #expect(feed.rejected.map(\.record) == [2])
    #expect(feed.rejected.map(\.line) == [2])
  }

  @Test func `a name that is a number is its digits`() throws {
    let feed = try feed(#"{"name":1884,"location":{"lat":1,"lng":2}}"#)
    #expect(feed.restaurants.map(\.name) == ["1884"])
  }
}
