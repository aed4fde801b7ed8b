package import GeoIndex
package import GeoQuery

extension RestaurantField {
  /// The keys of an answer with a center.
  package static let ofPlaces = allCases.filter { ![.favoriteSince, .gone].contains($0) }
}

extension Restaurant {
  /// A restaurant with a name made from its id.
  package static func plain(
    _ id: String,
    at coordinate: Coordinate = .at(32.95, -96.82),
    source: String = "test"
  ) -> Restaurant {
    Restaurant(id: id, name: "Name of \(id)", coordinate: coordinate, source: source)
  }

  /// A restaurant with something in every property, texts given by a generator; an empty one is none.
  package static func full(
    _ id: String,
    at coordinate: Coordinate,
    text: () -> String
  ) -> Restaurant {
    var restaurant = Restaurant(id: id, name: "n" + text(), coordinate: coordinate, source: "test")
    for field in RestaurantField.optionalTexts {
      let text = text()
      _ = restaurant.assign(.string(text.isEmpty ? "x" : text), to: field)
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
  package var allBytes: [UInt8] {
    var writer = AnswerFormat.jsonl.writer(fields: RestaurantField.allCases)
    writer.write(Match(restaurant: self))
    return writer.takeBytes() + Array("\(coordinate.bits)".utf8)
  }
}
