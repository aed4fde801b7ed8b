import GeoQuery

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
