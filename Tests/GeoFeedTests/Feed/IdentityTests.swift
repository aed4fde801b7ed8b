import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

struct IdentityTests {
  @Test(arguments: [
    ("In-N-Out Burger", "in-n-out-burger"), ("Gloria's", "gloria-s"),
    ("Café Ünïcode", "cafe-unicode"),
    ("  --A&B!! ", "a-b"), ("Straße 5", "strasse-5"), ("寿司", ""), ("寿司 Bar 2", "bar-2"),
    ("ＡＢ", "ab"), ("", ""), ("a\u{0}b\nc", "a-b-c"),
  ])
  func `a slug keeps ASCII letters and digits and joins the rest by single hyphens`(
    _ name: String,
    _ expected: String
  ) {
    #expect(slug(of: name) == expected)
  }

  /// Recomputed for all fifteen with Python's hashlib: SHA-256 over the lower-cased name, address and
  /// postal code (city if there is none) joined by newlines, for example over
  /// `yard house\n5100 belt line rd\n75254`, `gloria's\n5100 belt line rd, #864\n75254` and, without
  /// a postal code, `pluckers wing bar\n5100 beltline rd\naddison`.
  @Test func `the sample's restaurants have these ids always`() throws {
    #expect(
      try Feeds.sample().restaurants.map(\.id) == [
        "hopdoddy-burger-bar-468cdd36", "pappadeaux-seafood-kitchen-cd93183a",
        "yard-house-dfd1f6d4", "pluckers-wing-bar-74180d44", "ramen-hakata-888c0926",
        "gloria-s-61836c58", "the-social-house-9d9b89c3", "chuy-s-38facdd4",
        "flying-saucer-draught-emporium-1e13aa01", "whole-foods-market-66fc1c09",
        "the-londoner-5cb7f0db", "the-original-pancake-house-a21f19f2", "thai-star-d04b783c",
        "in-n-out-burger-9a084188", "buffalo-wild-wings-10b77142",
      ]
    )
  }

  @Test func `the order of the feed has no part in an id`() throws {
    let texts = [
      "{\"name\":\"A\",\"location\":{\"lat\":1,\"lng\":2}}",
      "{\"name\":\"B\",\"location\":{\"lat\":1,\"lng\":2,\"address\":\"x\"}}",
    ]
    let forward = try Feeds.read("{\"restaurants\":[\(texts.joined(separator: ","))]}")
    let backward = try Feeds.read("{\"restaurants\":[\(texts.reversed().joined(separator: ","))]}")
    #expect(forward.restaurants.map(\.id) == backward.restaurants.reversed().map(\.id))
  }

  @Test func `only name, address and postal code or city have a part in an id`() {
    var base = Restaurant.plain("x", at: .at(1, 2))
    base.name = "Café"
    base.address.street = "Main St"
    base.address.postalCode = "75001"
    base.address.city = "Addison"
    let id = derivedID(for: base)
    #expect(id.hasPrefix("cafe-"))
    #expect(id.count == "cafe-".count + 8)

    func idAfter(_ change: (inout Restaurant) -> Void) -> String {
      var changed = base
      change(&changed)
      return derivedID(for: changed)
    }
    #expect(idAfter { $0.name = "CAFE\u{301}" } == id)
    #expect(idAfter { $0.address.street = "MAIN ST" } == id)
    #expect(idAfter { $0.address.city = "Dallas" } == id)
    #expect(idAfter { $0.coordinate = .at(50, 60) } == id)
    #expect(idAfter { $0.contact.phone = "1" } == id)
    #expect(idAfter { $0.source = "other" } == id)
    #expect(idAfter { $0.name = "Cafe 2" } != id)
    #expect(idAfter { $0.address.street = "Main St 2" } != id)
    #expect(idAfter { $0.address.postalCode = "75002" } != id)
    let withoutCode = idAfter { $0.address.postalCode = nil }
    #expect(withoutCode != id)
    #expect(
      idAfter {
        $0.address.postalCode = nil
        $0.address.city = "Dallas"
      } != withoutCode
    )
  }

  @Test func `coordinates to four decimals stand in for a missing address`() {
    func id(_ latitude: Double, _ longitude: Double) -> String {
      derivedID(
        for: Restaurant(id: "", name: "X", coordinate: .at(latitude, longitude), source: "")
      )
    }
    // SHA-256 of "x\n32.9508,-96.8211\n", "x\n0.0000,0.0000\n" and "x\n-0.0001,180.0000\n"
    #expect(id(32.950787, -96.821118) == "x-9e9ad133")
    #expect(id(32.95083, -96.82109) == id(32.950787, -96.821118))
    #expect(id(32.95090, -96.82109) != id(32.950787, -96.821118))
    #expect(id(0.00004, -0.00004) == "x-1e8da7ca")
    #expect(id(-0.0, 0) == id(0, 0))
    #expect(id(-0.0001, 180) == "x-b4f82e95")
  }

  @Test func `a name without a single ASCII letter or digit still gives a readable id`() {
    let id = derivedID(for: Restaurant(id: "", name: "寿司", coordinate: .at(1, 2), source: ""))
    #expect(id.hasPrefix("restaurant-"))
    #expect(id.count == "restaurant-".count + 8)
  }
}
