import GeoIndex
import Testing

@testable import GeoFeed
@testable import GeoQuery

struct RestaurantFieldTests {
  @Test func `the keys and their order are these`() {
    let keys = """
      id name category chain latitude longitude distance address crossStreet city state \
      postalCode countryCode country formattedAddress phone formattedPhone twitter \
      facebook facebookUsername facebookName description imageURL images website \
      rating ratingScale reviewCount priceLevel hours closed source sourceID extra favoriteSince gone
      """
    #expect(RestaurantField.allCases.map(\.rawValue).joined(separator: " ") == keys)
  }

  @Test func `every key of a full restaurant has a value, of a plain one only five`() {
    let full = Restaurant.full("a", at: .at(1, 2)) { "x" }
    let plain = Restaurant.plain("a")
    #expect(
      RestaurantField.allCases.filter { full[$0] == nil } == [
        .distance, .sourceID, .favoriteSince, .gone,
      ]
    )
    #expect(
      RestaurantField.allCases.filter { plain[$0] != nil }
        == [.id, .name, .latitude, .longitude, .source]
    )
  }

  @Test func `each text key has a property of its own`() {
    let fields = RestaurantField.optionalTexts
    #expect(fields.count == 19)
    var restaurant = Restaurant.plain("a")
    for field in fields {
      let isTaken = restaurant.assign(.string(field.rawValue), to: field)
      #expect(isTaken)
    }
    for field in fields { #expect(restaurant[field] == .string(field.rawValue)) }
  }

  @Test(
    arguments: [
      (.rating, .number("4.50"), "4.5"), (.rating, .number("1e400"), nil),
      (.rating, .string("4.5"), nil), (.ratingScale, .number("0"), nil),
      (.ratingScale, .number("-5"), nil), (.ratingScale, .number("5"), "5.0"),
      (.reviewCount, .number("12"), "12"), (.reviewCount, .number("-1"), nil),
      (.reviewCount, .number("1.5"), nil), (.reviewCount, .number("9223372036854775808"), nil),
      (.priceLevel, .number("1"), "1"), (.priceLevel, .number("4"), "4"),
      (.priceLevel, .number("0"), nil), (.priceLevel, .number("5"), nil),
      (.closed, .bool(true), "true"), (.closed, .string("true"), nil), (.closed, .number("1"), nil),
      (.phone, .number("9723872337"), "\"9723872337\""), (.phone, .bool(true), nil),
      (.phone, .array([]), nil), (.formattedAddress, .string("x"), "[\"x\"]"),
      (.formattedAddress, .array([.string("x"), .number("1")]), "[\"x\",\"1\"]"),
      (.images, .string("x"), "[\"x\"]"), (.images, .array([.bool(true)]), nil),
      (.images, .array([.string("")]), nil), (.chain, .string("A"), "\"A\""),
      (.formattedAddress, .array([]), nil), (.formattedAddress, .array([.null]), nil),
      (.id, .string("b"), "\"a\""), (.distance, .number("1"), nil), (.extra, .object([]), nil),
    ] as [(RestaurantField, JSONValue, String?)]
  )
  func `a value of the wrong type is not taken`(
    _ field: RestaurantField,
    _ value: JSONValue,
    _ expected: String?
  ) {
    var restaurant = Restaurant.plain("a")
    let before = restaurant
    let isTaken = restaurant.assign(value, to: field)
    #expect(restaurant[field].map(JSONWriter.of) == expected)
    if !isTaken { #expect(restaurant == before) }
    #expect(isTaken == (restaurant != before))
  }
}
