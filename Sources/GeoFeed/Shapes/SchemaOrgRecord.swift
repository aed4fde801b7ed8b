import GeoQuery

/// Reads one node of schema.org JSON-LD.
enum SchemaOrgRecord {
  private static let shape = RecordShape(
    id: ["@id"],
    name: ["name"],
    position: ("geo.latitude", "geo.longitude"),
    ratingScale: 5,
    rules: [
      .init("servesCuisine", .category, .list(of: nil)),
      .init("address.streetAddress", .address), .init("address.addressLocality", .city),
      .init("address.addressRegion", .state), .init("address.postalCode", .postalCode),
      .init("address.addressCountry", .countryCode, .code),
      .init("address.addressCountry", .country, .country),
      .init("address.addressCountry.name", .country),
      .init("address", .formattedAddress, .lines), .init("telephone", .phone),
      .init("url", .website, .link), .init("description", .description, .prose),
      .init("brand", .chain, .title), .init("brand.name", .chain, .title),
      .init("image", .images, .links(of: "url")), .init("image", .imageURL, .link),
      .init("image.url", .imageURL, .link), .init("aggregateRating.ratingValue", .rating, .number),
      .init("aggregateRating.bestRating", .ratingScale, .number),
      .init("aggregateRating.reviewCount", .reviewCount, .number),
      .init("aggregateRating.ratingCount", .reviewCount, .number),
      .init("priceRange", .priceLevel, .price), .init("openingHours", .hours, .hours),
      .init("openingHoursSpecification", .hours, .hours),
    ]
  )

  private static let types: Set<UTF8Key> = [
    "Restaurant", "FoodEstablishment", "LocalBusiness", "CafeOrCoffeeShop", "BarOrPub", "Bakery",
    "FastFoodRestaurant", "IceCreamShop", "Brewery", "Winery", "Distillery", "Place",
  ]

  /// Reads a node.
  ///
  /// - Throws: `FeedProblem` if it is not a place to eat, or has no usable name or position.
  static func read(_ value: JSONValue, source: String) throws(FeedProblem) -> RecordReading {
    var bag = MemberBag(value)
    _ = bag.take("@context")
    let names: [String] =
      switch bag.value("@type") {
      case .array(let names)?: names.compactMap(\.asText)
      case let name?: [name.asText].compactMap(\.self)
      case nil: []
      }
    let isPlace = names.contains { name in
      types.contains(UTF8Key(name.parts(between: "/").last { !$0.isEmpty } ?? ""))
    }
    guard isPlace else {
      throw FeedProblem(
        "@type is \(shortened(names.isEmpty ? "missing" : names.joined(separator: ", "))); "
          + "expected a Restaurant or another place to eat"
      )
    }
    return try shape.read(bag, source: source)
  }
}
