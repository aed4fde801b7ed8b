import GeoQuery

/// The meanings of the members of one format's records: paths of names, the preferred ones first.
struct RecordShape: Sendable {
  /// A key of a restaurant and its paths.
  struct Rule: Sendable {
    let path: [String]
    let field: RestaurantField
    let reading: FieldReading

    init(_ path: String, _ field: RestaurantField, _ reading: FieldReading = .text) {
      self.path = RecordShape.steps(path)
      self.field = field
      self.reading = reading
    }
  }

  let id: [[String]]
  /// A prefix that may come before an id and is not part of it.
  let idPrefix: String
  let name: [[String]]
  let latitude: [String]
  let longitude: [String]
  /// The best rating in this format.
  let ratingScale: Double?
  let rules: [Rule]

  init(
    id: [String],
    idPrefix: String = "",
    name: [String],
    position: (latitude: String, longitude: String) = ("latitude", "longitude"),
    ratingScale: Double? = nil,
    rules: [Rule]
  ) {
    self.id = id.map(Self.steps)
    self.idPrefix = idPrefix
    self.name = name.map(Self.steps)
    latitude = Self.steps(position.latitude)
    longitude = Self.steps(position.longitude)
    self.ratingScale = ratingScale
    self.rules = rules
  }

  private static func steps(_ path: String) -> [String] {
    path.split(separator: ".").map(String.init)
  }
}

extension RecordShape {
  /// Reads a record whose position is in two members.
  ///
  /// - Parameters:
  ///   - bag: The record's members.
  ///   - source: The source of the record.
  ///   - isText: Whether the format writes numbers as texts.
  ///   - prepare: Fills keys that need more than one member.
  /// - Returns: The restaurant, with warnings.
  /// - Throws: `FeedProblem` if it has no usable name or position.
  func read(
    _ bag: MemberBag,
    source: String,
    isText: Bool = false,
    prepare: (inout MemberBag, inout Restaurant) -> Void = { _, _ in }
  ) throws(FeedProblem) -> RecordReading {
    var bag = bag
    if let holder = latitude.first, latitude.count > 1, let value = bag.value(holder) {
      switch value {
      case .object, .array, .string: break
      default: throw FeedProblem("\(holder) is \(value.kind), not an object")
      }
    }
    let position = try CoordinateReading(
      latitude: bag.find(latitude)?.value,
      longitude: bag.find(longitude)?.value,
      isText: isText
    )
    bag.removeDirect(latitude)
    bag.removeDirect(longitude)
    return try read(bag, at: position, source: source, prepare: prepare)
  }

  /// Reads a record of a format that writes its numbers as texts.
  ///
  /// - Throws: `FeedProblem` if it has no usable name or position.
  func readTexts(_ bag: MemberBag, source: String) throws(FeedProblem) -> RecordReading {
    try read(bag, source: source, isText: true)
  }

  /// Reads the rest of a record whose position is known.
  ///
  /// - Parameters:
  ///   - bag: The record's members without its position.
  ///   - foundID: Its id, if that is elsewhere.
  ///   - position: Its position.
  ///   - source: The source of the record.
  ///   - prepare: Fills keys that need more than one member.
  /// - Returns: The restaurant, with warnings.
  /// - Throws: `FeedProblem` if it has no usable name.
  func read(
    _ bag: MemberBag,
    id foundID: String? = nil,
    at position: CoordinateReading,
    source: String,
    prepare: (inout MemberBag, inout Restaurant) -> Void = { _, _ in }
  ) throws(FeedProblem) -> RecordReading {
    var bag = bag
    let namePath = name.first { bag.find($0) != nil }
    let name = try RecordReading.name(namePath.flatMap { bag.find($0)?.value })
    if let namePath { bag.removeDirect(namePath) }
    var restaurant = Restaurant(
      id: "",
      name: name,
      coordinate: position.coordinate,
      source: source
    )
    prepare(&bag, &restaurant)
    var id: String?
    for path in self.id where id == nil {
      guard let text = bag.find(path)?.value.asText, !text.isEmpty else { continue }
      let isPrefixed = text.begins(with: idPrefix) && text.utf8.count > idPrefix.utf8.count
      id = isPrefixed ? String(text.unicodeScalars.dropFirst(idPrefix.count)) : text
      bag.removeDirect(path)
    }
    fill(&restaurant, from: &bag)
    restaurant.extra += bag.rest
    return try RecordReading.finish(restaurant, id: foundID ?? id, warnings: position.warnings)
  }

  private func fill(_ restaurant: inout Restaurant, from bag: inout MemberBag) {
    for rule in rules where !restaurant.has(rule.field) {
      guard let found = bag.find(rule.path), let result = rule.reading.read(found.value),
        restaurant.assign(result.value, to: rule.field)
      else { continue }
      if found.isDirect, result.isWhole { bag.remove(rule.path) }
    }
    if restaurant.rating != nil, restaurant.ratingScale == nil {
      restaurant.ratingScale = ratingScale
    }
  }
}

extension MemberBag {
  /// Removes a value unless it is in a list, whose other elements would be lost.
  fileprivate mutating func removeDirect(_ path: [String]) {
    if find(path)?.isDirect == true { remove(path) }
  }
}

extension Restaurant {
  /// Whether a key has a value.
  func has(_ field: RestaurantField) -> Bool {
    if text(field) != nil { return true }
    switch field {
    case .formattedAddress: return !address.formatted.isEmpty
    case .images: return !images.isEmpty
    case .rating: return rating != nil
    case .ratingScale: return ratingScale != nil
    case .reviewCount: return reviewCount != nil
    case .priceLevel: return priceLevel != nil
    case .closed: return closed
    default: return false
    }
  }
}

/// Foursquare: the API of venues, the API of places, and the open-source places.
extension RecordShape {
  /// A venue of the API v2.
  static let foursquare = RecordShape(
    id: ["id"],
    name: ["name"],
    position: ("location.lat", "location.lng"),
    ratingScale: 10,
    rules: [
      Rule("categories", .category, .first(of: "name")),
      Rule("location.address", .address), Rule("location.crossStreet", .crossStreet),
      Rule("location.city", .city), Rule("location.state", .state),
      Rule("location.postalCode", .postalCode), Rule("location.cc", .countryCode),
      Rule("location.country", .country, .country),
      Rule("location.formattedAddress", .formattedAddress, .lines),
      Rule("contact.phone", .phone), Rule("contact.formattedPhone", .formattedPhone),
      Rule("contact.twitter", .twitter), Rule("contact.facebook", .facebook),
      Rule("contact.facebookUsername", .facebookUsername),
      Rule("contact.facebookName", .facebookName),
      Rule("url", .website, .link), Rule("description", .description, .prose),
      Rule("rating", .rating, .number),
      Rule("ratingSignals", .reviewCount, .number), Rule("price.tier", .priceLevel, .price),
      Rule("hours.status", .hours), Rule("closed", .closed, .yes),
    ]
  )

  /// A place of the API v3, or of the 2025 version with its flat position.
  static func foursquarePlaces(_ position: (latitude: String, longitude: String)) -> RecordShape {
    RecordShape(
      id: ["fsq_place_id", "fsq_id"],
      name: ["name"],
      position: position,
      ratingScale: 10,
      rules: [
        Rule("categories", .category, .first(of: "name")),
        Rule("location.address", .address), Rule("location.cross_street", .crossStreet),
        Rule("location.locality", .city), Rule("location.region", .state),
        Rule("location.postcode", .postalCode), Rule("location.country", .countryCode, .code),
        Rule("location.country", .country, .country),
        Rule("location.formatted_address", .formattedAddress, .lines),
        Rule("tel", .phone), Rule("website", .website, .link),
        Rule("description", .description, .prose), Rule("chains", .chain, .first(of: "name")),
        Rule("photos", .images, .photos),
        Rule("social_media.twitter", .twitter), Rule("social_media.facebook_id", .facebook),
        Rule("rating", .rating, .number), Rule("stats.total_ratings", .reviewCount, .number),
        Rule("price", .priceLevel, .price), Rule("hours.display", .hours),
        Rule("hours", .hours, .hours), Rule("date_closed", .closed, .present),
      ]
    )
  }

  static let foursquarePlacesV3 = foursquarePlaces(
    ("geocodes.main.latitude", "geocodes.main.longitude")
  )

  static let foursquarePlaces2025 = foursquarePlaces(("latitude", "longitude"))

  /// A row of the open-source places; a category is a path, `Dining > Restaurant > Diner`.
  static let fsqOS = RecordShape(
    id: ["fsq_place_id"],
    name: ["name"],
    rules: [
      Rule("fsq_category_labels", .category, .first(of: nil)),
      Rule("address", .address), Rule("locality", .city), Rule("region", .state),
      Rule("postcode", .postalCode), Rule("country", .countryCode, .code),
      Rule("country", .country, .country), Rule("tel", .phone), Rule("website", .website, .link),
      Rule("facebook_id", .facebook), Rule("twitter", .twitter),
      Rule("date_closed", .closed, .present),
    ]
  )
}

/// Google's Places API, new and old.
extension RecordShape {
  /// A place of the new API.
  static let google = RecordShape(
    id: ["id", "name"],
    idPrefix: "places/",
    name: ["displayName.text"],
    position: ("location.latitude", "location.longitude"),
    ratingScale: 5,
    rules: [
      Rule("primaryTypeDisplayName.text", .category), Rule("primaryType", .category),
      Rule("types", .category, .first(of: nil)),
      Rule("postalAddress.addressLines", .address, .list(of: nil)),
      Rule("postalAddress.locality", .city),
      Rule("postalAddress.administrativeArea", .state),
      Rule("postalAddress.postalCode", .postalCode),
      Rule("postalAddress.regionCode", .countryCode, .code),
      Rule("formattedAddress", .formattedAddress, .lines),
      Rule("internationalPhoneNumber", .phone), Rule("nationalPhoneNumber", .formattedPhone),
      Rule("websiteUri", .website, .link), Rule("rating", .rating, .number),
      Rule("userRatingCount", .reviewCount, .number), Rule("priceLevel", .priceLevel, .price),
      Rule("regularOpeningHours.weekdayDescriptions", .hours, .hours),
      Rule("editorialSummary.text", .description, .prose),
      Rule("businessStatus", .closed, .sign("CLOSED_PERMANENTLY")),
    ]
  )

  /// A place of the older API.
  static let googleLegacy = RecordShape(
    id: ["place_id"],
    name: ["name"],
    position: ("geometry.location.lat", "geometry.location.lng"),
    ratingScale: 5,
    rules: [
      Rule("types", .category, .first(of: nil)), Rule("vicinity", .address),
      Rule("formatted_address", .formattedAddress, .lines),
      Rule("international_phone_number", .phone),
      Rule("formatted_phone_number", .formattedPhone), Rule("website", .website, .link),
      Rule("rating", .rating, .number), Rule("user_ratings_total", .reviewCount, .number),
      Rule("price_level", .priceLevel, .price),
      Rule("opening_hours.weekday_text", .hours, .hours),
      Rule("editorial_summary.overview", .description, .prose),
      Rule("business_status", .closed, .sign("CLOSED_PERMANENTLY")),
      Rule("permanently_closed", .closed, .yes),
    ]
  )

  /// Builds an address from components, each of which has types.
  ///
  /// The components are also kept in extra, because they say more than an address.
  static func readAddressComponents(_ bag: inout MemberBag, _ restaurant: inout Restaurant) {
    guard case .array(let list)? = bag.value("addressComponents") ?? bag.value("address_components")
    else { return }
    var parts: [UTF8Key: (long: String?, short: String?)] = [:]
    for component in list.map(MemberBag.init) {
      guard case .array(let types)? = component.value("types") else { continue }
      let long = (component.value("longText") ?? component.value("long_name"))?.asText
      let short = (component.value("shortText") ?? component.value("short_name"))?.asText
      for type in types.compactMap(\.asText) { parts[UTF8Key(type)] = (long, short) }
    }
    let street = [parts["street_number"]?.long, parts["route"]?.long].compactMap(\.self)
    if parts["route"] != nil { restaurant.address.street = street.joined(separator: " ") }
    restaurant.address.city = parts["locality"]?.long ?? parts["postal_town"]?.long
    restaurant.address.state = parts["administrative_area_level_1"]?.short
    restaurant.address.postalCode = parts["postal_code"]?.long
    restaurant.address.countryCode = parts["country"]?.short
    restaurant.address.country = parts["country"]?.long
  }
}

/// The two feeds of stores.
extension RecordShape {
  /// The Bottle Rocket stores feed, in which all values are texts.
  static let bottleRocketStores = RecordShape(
    id: ["storeID"],
    name: ["name"],
    rules: [
      Rule("address", .address), Rule("city", .city), Rule("state", .state),
      Rule("zipcode", .postalCode), Rule("phone", .phone), Rule("storeLogoURL", .imageURL, .link),
    ]
  )

  /// Stores, each combined with its retailer's name, categories and links.
  static let retailerStores = RecordShape(
    id: ["id"],
    name: ["name", "retailer.name"],
    position: ("lat", "long"),
    rules: [
      Rule("retailer.category", .category, .list(of: "name")),
      Rule("retailer.categories", .category, .list(of: "name")),
      Rule("address", .address), Rule("city", .city), Rule("state", .state),
      Rule("zip", .postalCode), Rule("zipcode", .postalCode), Rule("phone", .phone),
      Rule("retailer.icon_url", .imageURL, .link), Rule("retailer.url", .website, .link),
    ]
  )
}

/// The retailers that stores refer to: those that the feed lists, and the store's chains.
struct RetailerList {
  private var retailers: [UTF8Key: JSONValue] = [:]

  /// Takes the list from a feed's root, if it is before the stores or soon after them.
  init(_ list: JSONValue?) {
    guard case .array(let elements)? = list else { return }
    for element in elements {
      guard let id = MemberBag(element).value("id")?.asText else { continue }
      retailers[UTF8Key(id)] = element
    }
  }

  /// Whether it is empty.
  var isEmpty: Bool { retailers.isEmpty }

  /// Adds chains; a retailer in the feed's own list takes precedence.
  mutating func add(_ chains: [Chain]) {
    for chain in chains where retailers[UTF8Key(chain.id)] == nil {
      var members = [JSONMember(name: "name", value: .string(chain.name))]
      if let icon = chain.iconURL {
        members.append(JSONMember(name: "icon_url", value: .string(icon)))
      }
      retailers[UTF8Key(chain.id)] = .object(members)
    }
  }

  /// Adds its retailer to a store.
  ///
  /// - Throws: `FeedProblem` if the store has no name of its own and its retailer is unknown.
  func join(_ store: JSONValue) throws(FeedProblem) -> MemberBag {
    var bag = MemberBag(store)
    guard let id = bag.value("retailer_id")?.asText, let retailer = retailers[UTF8Key(id)] else {
      if bag.value("name") != nil { return bag }
      let id = bag.value("retailer_id")?.asText
      throw FeedProblem(
        id.map { "unknown retailer \"\(shortened($0))\"" } ?? "retailer_id is missing"
      )
    }
    bag.putBack(MemberBag(retailer), as: "retailer")
    return bag
  }
}

/// Yelp: the open dataset and the Fusion API.
extension RecordShape {
  /// A business of the open dataset; of older editions too.
  static let yelp = RecordShape(
    id: ["business_id"],
    name: ["name"],
    ratingScale: 5,
    rules: [
      Rule("categories", .category, .list(of: nil)),
      Rule("address", .address), Rule("full_address", .formattedAddress, .lines),
      Rule("city", .city), Rule("state", .state), Rule("postal_code", .postalCode),
      Rule("postal code", .postalCode), Rule("stars", .rating, .number),
      Rule("review_count", .reviewCount, .number),
      Rule("attributes.RestaurantsPriceRange2", .priceLevel, .price),
      Rule("hours", .hours, .hours), Rule("is_open", .closed, .no),
    ]
  )

  /// A business of the Fusion API; its `url` is Yelp's own page.
  static let yelpFusion = RecordShape(
    id: ["id"],
    name: ["name"],
    position: ("coordinates.latitude", "coordinates.longitude"),
    ratingScale: 5,
    rules: [
      Rule("categories", .category, .list(of: "title")),
      Rule("location.city", .city), Rule("location.state", .state),
      Rule("location.zip_code", .postalCode), Rule("location.country", .countryCode, .code),
      Rule("location.country", .country, .country),
      Rule("location.display_address", .formattedAddress, .lines),
      Rule("phone", .phone), Rule("display_phone", .formattedPhone),
      Rule("image_url", .imageURL, .link), Rule("photos", .images, .links(of: nil)),
      Rule("url", .website, .link),
      Rule("rating", .rating, .number), Rule("review_count", .reviewCount, .number),
      Rule("price", .priceLevel, .price), Rule("hours", .hours, .hours),
      Rule("is_closed", .closed, .yes),
    ]
  )

  /// Joins the three lines of a Fusion address.
  static func joinAddressLines(_ bag: inout MemberBag, _ restaurant: inout Restaurant) {
    let paths = ["address1", "address2", "address3"].map { ["location", $0] }
    let lines = paths.compactMap { bag.find($0)?.value.asText }.filter { !$0.isEmpty }
    if !lines.isEmpty { restaurant.address.street = lines.joined(separator: ", ") }
    for path in paths { bag.remove(path) }
  }
}

/// Zomato's API, which is closed, but whose answers are in many collections.
extension RecordShape {
  /// A restaurant of the API v2, in which all values are texts.
  static let zomato = RecordShape(
    id: ["id", "R.res_id"],
    name: ["name"],
    position: ("location.latitude", "location.longitude"),
    ratingScale: 5,
    rules: [
      Rule("cuisines", .category), Rule("location.address", .address),
      Rule("location.city", .city), Rule("location.zipcode", .postalCode),
      Rule("phone_numbers", .phone), Rule("featured_image", .imageURL, .link),
      Rule("thumb", .imageURL, .link), Rule("url", .website, .link),
      Rule("user_rating.aggregate_rating", .rating, .number),
      Rule("user_rating.votes", .reviewCount, .number), Rule("price_range", .priceLevel, .price),
      Rule("timings", .hours),
    ]
  )
}
