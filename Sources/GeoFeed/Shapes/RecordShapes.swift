import GeoQuery

/// The shapes of formats whose records are objects with members of known names.
extension RecordShape {
  /// A venue of Foursquare's API v2.
  static let foursquare = RecordShape(
    // a venue of an explore answer is inside an item
    open: { fields in fields.open("venue") },
    id: ["id"],
    name: ["name"],
    positions: [("location.lat", "location.lng")],
    ratingScale: 10,
    rules: [
      Rule("categories", .category, .first(of: "name")), Rule("location.address", .address),
      Rule("location.crossStreet", .crossStreet), Rule("location.city", .city),
      Rule("location.state", .state), Rule("location.postalCode", .postalCode),
      Rule("location.cc", .countryCode), Rule("location.country", .country, .country),
      Rule("location.formattedAddress", .formattedAddress, .lines), Rule("contact.phone", .phone),
      Rule("contact.formattedPhone", .formattedPhone), Rule("contact.twitter", .twitter),
      Rule("contact.facebook", .facebook), Rule("contact.facebookUsername", .facebookUsername),
      Rule("contact.facebookName", .facebookName), Rule("url", .website, .link),
      Rule("description", .description, .prose), Rule("rating", .rating, .number),
      Rule("ratingSignals", .reviewCount, .number), Rule("price.tier", .priceLevel, .price),
      Rule("hours.status", .hours, .timetable), Rule("hours", .hours, .timetable),
      Rule("hours.status", .hours), Rule("closed", .closed, .yes),
    ]
  )

  /// A place of Foursquare's Places API of 2025, or of v3, whose position is nested.
  static let foursquarePlaces = RecordShape(
    id: ["fsq_place_id", "fsq_id"],
    name: ["name"],
    positions: [("latitude", "longitude"), ("geocodes.main.latitude", "geocodes.main.longitude")],
    ratingScale: 10,
    rules: [
      Rule("categories", .category, .first(of: "name")), Rule("location.address", .address),
      Rule("location.cross_street", .crossStreet), Rule("location.locality", .city),
      Rule("location.region", .state), Rule("location.postcode", .postalCode),
      Rule("location.country", .countryCode, .code), Rule("location.country", .country, .country),
      Rule("location.formatted_address", .formattedAddress, .lines), Rule("tel", .phone),
      Rule("website", .website, .link), Rule("description", .description, .prose),
      Rule("chains", .chain, .first(of: "name")), Rule("photos", .images, .photos),
      Rule("social_media.twitter", .twitter), Rule("social_media.facebook_id", .facebook),
      Rule("rating", .rating, .number), Rule("stats.total_ratings", .reviewCount, .number),
      Rule("price", .priceLevel, .price), Rule("hours.display", .hours, .timetable),
      Rule("hours", .hours, .timetable), Rule("hours.display", .hours),
      Rule("hours", .hours, .hours), Rule("date_closed", .closed, .past),
    ]
  )

  /// A row of Foursquare's open-source places; a category is a path, `Dining > Restaurant > Diner`.
  static let fsqOS = RecordShape(
    id: ["fsq_place_id"],
    name: ["name"],
    hasTexts: true,
    rules: [
      Rule("fsq_category_labels", .category, .first(of: nil)), Rule("address", .address),
      Rule("locality", .city), Rule("region", .state), Rule("postcode", .postalCode),
      Rule("country", .countryCode, .code), Rule("country", .country, .country),
      Rule("tel", .phone), Rule("website", .website, .link), Rule("facebook_id", .facebook),
      Rule("twitter", .twitter), Rule("date_closed", .closed, .past),
    ]
  )

  /// A place of Google's Places API (New).
  static let google = RecordShape(
    id: ["id", "name"],
    idPrefix: "places/",
    name: ["displayName.text"],
    positions: [("location.latitude", "location.longitude")],
    ratingScale: 5,
    rules: [
      Rule("primaryTypeDisplayName.text", .category), Rule("primaryType", .category),
      Rule("types", .category, .first(of: nil)),
      Rule("postalAddress.addressLines", .address, .list(of: nil)),
      Rule("postalAddress.locality", .city), Rule("postalAddress.administrativeArea", .state),
      Rule("postalAddress.postalCode", .postalCode),
      Rule("postalAddress.regionCode", .countryCode, .code),
      Rule("formattedAddress", .formattedAddress, .lines), Rule("internationalPhoneNumber", .phone),
      Rule("nationalPhoneNumber", .formattedPhone), Rule("websiteUri", .website, .link),
      Rule("rating", .rating, .number), Rule("userRatingCount", .reviewCount, .number),
      Rule("priceLevel", .priceLevel, .price),
      Rule("regularOpeningHours.weekdayDescriptions", .hours, .timetable),
      Rule("regularOpeningHours", .hours, .timetable),
      Rule("regularOpeningHours.weekdayDescriptions", .hours, .hours),
      Rule("editorialSummary.text", .description, .prose), Rule("businessStatus", .closed, .gone),
    ],
    complete: readAddressComponents
  )

  /// A place of Google's older Places API.
  static let googleLegacy = RecordShape(
    id: ["place_id"],
    name: ["name"],
    positions: [("geometry.location.lat", "geometry.location.lng")],
    ratingScale: 5,
    rules: [
      Rule("types", .category, .first(of: nil)), Rule("vicinity", .address),
      Rule("formatted_address", .formattedAddress, .lines),
      Rule("international_phone_number", .phone), Rule("formatted_phone_number", .formattedPhone),
      Rule("website", .website, .link), Rule("rating", .rating, .number),
      Rule("user_ratings_total", .reviewCount, .number), Rule("price_level", .priceLevel, .price),
      Rule("opening_hours.weekday_text", .hours, .timetable),
      Rule("opening_hours", .hours, .timetable), Rule("opening_hours.weekday_text", .hours, .hours),
      Rule("editorial_summary.overview", .description, .prose),
      Rule("business_status", .closed, .gone), Rule("permanently_closed", .closed, .yes),
    ],
    complete: readAddressComponents
  )

  /// Builds an address from components, each of which has types.
  ///
  /// The components are also kept in extra, because they say more than an address.
  @Sendable
  private static func readAddressComponents(
    _ fields: inout JSONFields,
    _ restaurant: inout Restaurant
  ) {
    let components = fields.value("addressComponents") ?? fields.value("address_components")
    guard case .array(let list)? = components else { return }
    var parts: [UTF8Key: (long: String?, short: String?)] = [:]
    for component in list.map({ JSONFields($0) }) {
      guard case .array(let types)? = component.value("types") else { continue }
      let texts = ["longText", "long_name", "shortText", "short_name"].map { name in
        component.value(name)?.asText.flatMap { $0.isEmpty ? nil : $0 }
      }
      let (long, short) = (texts[0] ?? texts[1], texts[2] ?? texts[3])
      for type in types.compactMap(\.asText) { parts[UTF8Key(type)] = (long, short) }
    }
    let street = [parts["street_number"]?.long, parts["route"]?.long].compactMap(\.self)
    if parts["route"]?.long != nil { restaurant.address.street = street.joined(separator: " ") }
    restaurant.address.city = parts["locality"]?.long ?? parts["postal_town"]?.long
    restaurant.address.state = parts["administrative_area_level_1"]?.short
    restaurant.address.postalCode = parts["postal_code"]?.long
    restaurant.address.countryCode = parts["country"]?.short
    restaurant.address.country = parts["country"]?.long
  }

  /// The Bottle Rocket stores feed, in which all values are texts.
  static let bottleRocketStores = RecordShape(
    id: ["storeID"],
    name: ["name"],
    hasTexts: true,
    rules: [
      Rule("address", .address), Rule("city", .city), Rule("state", .state),
      Rule("zipcode", .postalCode), Rule("phone", .phone), Rule("storeLogoURL", .imageURL, .link),
    ]
  )

  /// Stores, each combined with its retailer's name, categories and links.
  static let retailerStores = RecordShape(
    id: ["id"],
    name: ["name", "retailer.name"],
    positions: [("lat", "long")],
    rules: [
      Rule("retailer.category", .category, .list(of: "name")),
      Rule("retailer.categories", .category, .list(of: "name")), Rule("address", .address),
      Rule("city", .city), Rule("state", .state), Rule("zip", .postalCode),
      Rule("zipcode", .postalCode), Rule("phone", .phone),
      Rule("retailer.icon_url", .imageURL, .link), Rule("retailer.url", .website, .link),
    ]
  )

  /// A business of Yelp's open dataset; of older editions too.
  static let yelp = RecordShape(
    id: ["business_id"],
    name: ["name"],
    ratingScale: 5,
    rules: [
      Rule("categories", .category, .list(of: nil)), Rule("address", .address),
      Rule("full_address", .formattedAddress, .lines), Rule("city", .city), Rule("state", .state),
      Rule("postal_code", .postalCode), Rule("postal code", .postalCode),
      Rule("stars", .rating, .number), Rule("review_count", .reviewCount, .number),
      Rule("attributes.RestaurantsPriceRange2", .priceLevel, .price), Rule("hours", .hours, .hours),
      Rule("is_open", .closed, .no),
    ]
  )

  /// A business of Yelp's Fusion API; its `url` is Yelp's own page.
  static let yelpFusion = RecordShape(
    id: ["id"],
    name: ["name"],
    positions: [("coordinates.latitude", "coordinates.longitude")],
    ratingScale: 5,
    rules: [
      Rule("categories", .category, .list(of: "title")), Rule("location.city", .city),
      Rule("location.state", .state), Rule("location.zip_code", .postalCode),
      Rule("location.country", .countryCode, .code), Rule("location.country", .country, .country),
      Rule("location.display_address", .formattedAddress, .lines), Rule("phone", .phone),
      Rule("display_phone", .formattedPhone), Rule("image_url", .imageURL, .link),
      Rule("photos", .images, .links(of: nil)), Rule("url", .website, .link),
      Rule("rating", .rating, .number), Rule("review_count", .reviewCount, .number),
      Rule("price", .priceLevel, .price), Rule("hours", .hours, .hours),
      Rule("is_closed", .closed, .yes),
    ],
    complete: joinAddressLines
  )

  /// Joins the three lines of a Fusion address.
  @Sendable
  private static func joinAddressLines(_ fields: inout JSONFields, _ restaurant: inout Restaurant) {
    let paths = ["address1", "address2", "address3"].map { ["location", $0] }
    let lines = paths.compactMap { fields.find($0)?.value.asText }.filter { !$0.isEmpty }
    if !lines.isEmpty { restaurant.address.street = lines.joined(separator: ", ") }
    for path in paths { fields.remove(path) }
  }

  /// A restaurant of Zomato's API v2, in which all values are texts; it is closed, but its answers are
  /// in many collections.
  static let zomato = RecordShape(
    open: { fields in fields.open("restaurant") },
    id: ["id", "R.res_id"],
    name: ["name"],
    positions: [("location.latitude", "location.longitude")],
    hasTexts: true,
    ratingScale: 5,
    rules: [
      Rule("cuisines", .category), Rule("location.address", .address), Rule("location.city", .city),
      Rule("location.zipcode", .postalCode), Rule("phone_numbers", .phone),
      Rule("featured_image", .imageURL, .link), Rule("thumb", .imageURL, .link),
      Rule("url", .website, .link), Rule("user_rating.aggregate_rating", .rating, .number),
      Rule("user_rating.votes", .reviewCount, .number), Rule("price_range", .priceLevel, .price),
      Rule("timings", .hours),
    ]
  )

  /// A place of Overture Maps: the properties of a Feature, or the columns of a table.
  static let overture = RecordShape(
    id: ["id"],
    name: ["names.primary"],
    rules: [
      Rule("taxonomy.primary", .category), Rule("categories.primary", .category),
      Rule("basic_category", .category), Rule("addresses.freeform", .address),
      Rule("addresses.locality", .city), Rule("addresses.region", .state),
      Rule("addresses.postcode", .postalCode), Rule("addresses.country", .countryCode, .code),
      Rule("addresses.country", .country, .country), Rule("phones", .phone, .first(of: nil)),
      Rule("websites", .website, .link), Rule("brand.names.primary", .chain, .title),
      Rule("operating_status", .closed, .gone),
    ]
  )

  /// A node of Schema.org as JSON-LD.
  static let schemaOrg = RecordShape(
    open: openNode,
    id: ["@id"],
    name: ["name"],
    positions: [("geo.latitude", "geo.longitude")],
    ratingScale: 5,
    rules: [
      Rule("servesCuisine", .category, .list(of: nil)), Rule("address.streetAddress", .address),
      Rule("address.addressLocality", .city), Rule("address.addressRegion", .state),
      Rule("address.postalCode", .postalCode), Rule("address.addressCountry", .countryCode, .code),
      Rule("address.addressCountry", .country, .country),
      Rule("address.addressCountry.name", .country), Rule("address", .formattedAddress, .lines),
      Rule("telephone", .phone), Rule("url", .website, .link),
      Rule("description", .description, .prose), Rule("brand", .chain, .title),
      Rule("brand.name", .chain, .title), Rule("image", .images, .links(of: "url")),
      Rule("image", .imageURL, .link), Rule("image.url", .imageURL, .link),
      Rule("aggregateRating.ratingValue", .rating, .number),
      Rule("aggregateRating.bestRating", .ratingScale, .number),
      Rule("aggregateRating.reviewCount", .reviewCount, .number),
      Rule("aggregateRating.ratingCount", .reviewCount, .number),
      Rule("priceRange", .priceLevel, .price), Rule("openingHours", .hours, .hours),
      Rule("openingHoursSpecification", .hours, .hours),
    ]
  )

  private static let placeTypes: Set<UTF8Key> = [
    "Restaurant", "FoodEstablishment", "LocalBusiness", "CafeOrCoffeeShop", "BarOrPub", "Bakery",
    "FastFoodRestaurant", "IceCreamShop", "Brewery", "Winery", "Distillery", "Place",
  ]

  /// Checks that a node is a place to eat.
  @Sendable
  private static func openNode(_ fields: inout JSONFields) throws(FeedProblem) {
    _ = fields.take("@context")
    let names: [String] =
      switch fields.value("@type") {
      case .array(let names)?: names.compactMap(\.asText)
      case let name: [name?.asText].compactMap(\.self)
      }
    let isPlace = names.contains { name in
      placeTypes.contains(UTF8Key(name.parts(between: "/").last { !$0.isEmpty } ?? ""))
    }
    guard isPlace else {
      throw FeedProblem(
        "@type is \(shortened(names.isEmpty ? "missing" : names.joined(separator: ", "))); "
          + "expected a Restaurant or another place to eat"
      )
    }
  }
}
