import Foundation
import GeoIndex

@testable import GeoFeed
@testable import GeoQuery

/// The repository's sample feed, and feeds made on the spot.
enum Feeds {
  /// The bytes of Data/restaurants.json.
  static func sampleBytes() throws -> [UInt8] {
    let root = Repository.folder
    return [UInt8](try Data(contentsOf: root.appendingPathComponent("Data/restaurants.json")))
  }

  /// The sample feed, read.
  static func sample() throws -> Feed {
    try FeedReader(source: "restaurants.json").read(sampleBytes())
  }

  /// A feed that is read from a text.
  static func read(
    _ text: String,
    as format: FeedFormat? = nil,
    source: String = "feed.json"
  ) throws -> Feed {
    try FeedReader(source: source, format: format).read(Array(text.utf8))
  }

  /// A feed of restaurants as they are.
  static func of(_ restaurants: [Restaurant], source: String = "test") -> Feed {
    var feed = Feed(source: source, format: .geojson)
    feed.restaurants = restaurants
    feed.recordNumbers = Array(1...max(1, restaurants.count)).prefix(restaurants.count).map { $0 }
    return feed
  }

  /// The sentence with which a text is refused as a feed, or nil if it is read.
  static func refusal(
    of text: String,
    as format: FeedFormat? = nil
  ) -> String? {
    refusal(of: Array(text.utf8), as: format)
  }

  /// The sentence with which bytes are refused as a feed, or nil if they are read.
  static func refusal(of bytes: [UInt8], as format: FeedFormat? = nil) -> String? {
    do {
      _ = try FeedReader(source: "feed.json", format: format).read(bytes)
      return nil
    } catch {
      return "\(error)"
    }
  }
}

extension RestaurantField {
  /// The keys of an answer with a center.
  static let ofPlaces = allCases.filter { ![.favoriteSince, .gone].contains($0) }
}

extension Restaurant {
  /// A restaurant with a name made from its id.
  static func plain(
    _ id: String,
    at coordinate: Coordinate = .at(32.95, -96.82),
    source: String = "test"
  ) -> Restaurant {
    Restaurant(id: id, name: "Name of \(id)", coordinate: coordinate, source: source)
  }

  /// A restaurant with something in every property, texts given by a generator; an empty one is none.
  static func full(_ id: String, at coordinate: Coordinate, text: () -> String) -> Restaurant {
    var restaurant = Restaurant(id: id, name: "n" + text(), coordinate: coordinate, source: "test")
    for field in RestaurantField.optionalTexts {
      let text = text()
      _ = restaurant.setText(text.isEmpty ? "x" : text, field)
    }
    restaurant.address.formatted = ["1" + text(), text(), ""]
    restaurant.images = ["2" + text(), text(), ""]
    restaurant.rating = 8.700000000000001
    restaurant.ratingScale = 10
    restaurant.reviewCount = .max
    restaurant.priceLevel = 4
    restaurant.closed = true
    restaurant.extra = [
      JSONMember(name: text() + "a", value: .string(text())),
      JSONMember(name: text() + "b", value: .number("-0.10e+2")),
      JSONMember(
        name: text() + "c",
        value: .array([.null, .bool(false), .object([JSONMember(name: "", value: .array([]))])])
      ),
    ]
    return restaurant
  }

  /// Everything there is to a restaurant as UTF-8 bytes, the coordinate bit for bit.
  var allBytes: [UInt8] {
    var json = JSONWriter()
    json.members(of: Match(restaurant: self), fields: RestaurantField.allCases)
    return json.takeBytes() + Array("\(coordinate.bits)".utf8)
  }
}
