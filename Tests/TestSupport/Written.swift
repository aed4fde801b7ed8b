import GeoIndex
package import GeoQuery

extension AnswerFormat {
  /// The whole text of an answer.
  package func text(
    of matches: [Match],
    fields: [RestaurantField]? = nil,
    terminator: String = "\n",
    hasDistance: Bool = true
  ) -> String {
    var writer = writer(fields: fields, terminator: terminator)
    let extent = BoundingBox(enclosing: matches.lazy.map(\.restaurant.coordinate))
    writer.begin(
      AnswerSummary(
        count: matches.count,
        total: matches.count,
        extent: extent,
        hasDistance: hasDistance
      )
    )
    for match in matches { writer.write(match) }
    writer.end()
    return String(decoding: writer.takeBytes(), as: UTF8.self)
  }
}

/// The matches that the golden texts show.
package enum Golden {
  /// One restaurant with something in most kinds of keys, one with the least there can be.
  package static let matches = [
    Match(restaurant: first, distance: 12.25), Match(restaurant: second, distance: 1e6),
  ]

  private static let first: Restaurant = {
    var restaurant = Restaurant(
      id: "a-1",
      name: "Café \"A\"",
      coordinate: .at(32.950787, 179.5),
      source: "f.json"
    )
    restaurant.category = "Tex Mex"
    restaurant.address.street = "1 Main St, #2"
    restaurant.address.formatted = ["1 Main St", "Addison"]
    restaurant.contact.phone = "+1"
    restaurant.rating = 4.5
    restaurant.priceLevel = 2
    restaurant.closed = true
    restaurant.extra = [JSONMember(name: "x", value: .array([.number("0.10"), .null]))]
    return restaurant
  }()

  private static let second = Restaurant(
    id: "b",
    name: "B",
    coordinate: .at(-0.0, -179),
    source: "f.json"
  )
}
