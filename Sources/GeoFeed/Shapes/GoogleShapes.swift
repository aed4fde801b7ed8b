import GeoQuery

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
