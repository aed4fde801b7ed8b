import GeoQuery

/// The JSON Schema of a restaurant: what there is to know of one, whichever a page shows.
///
/// Clients such as GDAL would otherwise learn the columns from the first page, and lose those that
/// only later restaurants have.
extension Asked {
  /// `GET /collections/restaurants/schema`: flat, as OGC API - Features Part 5 (23-058) has it.
  func schema() -> [UInt8] {
    var json = JSONText()
    json.raw("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":")
    json.string(links.address(Route.schema.path))
    json.raw(",\"title\":\"Restaurants\",\"type\":\"object\",\"properties\":{")
    json.raw("\"id\":{\"type\":\"string\",\"x-ogc-role\":\"id\"},")
    json.raw("\"geometry\":{\"x-ogc-role\":\"primary-geometry\",\"format\":\"geometry-point\"}")
    for field in RestaurantField.allCases {
      guard let type = field.propertyType else { continue }
      json.raw(",")
      json.name(field.rawValue)
      json.raw(type)
    }
    json.raw("}}\n")
    return json.bytes
  }
}

extension RestaurantField {
  /// The schema of what a Feature has under this key; nil if its properties never have it.
  fileprivate var propertyType: String? {
    switch self {
    case .id, .latitude, .longitude, .distance, .favoriteSince, .gone: nil
    case .name, .category, .address, .crossStreet, .city, .state, .postalCode, .countryCode,
      .country, .phone, .formattedPhone, .twitter, .facebook, .facebookUsername, .facebookName,
      .imageURL, .website, .hours, .source:
      "{\"type\":\"string\"}"
    case .formattedAddress: "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
    case .rating, .ratingScale: "{\"type\":\"number\"}"
    case .reviewCount: "{\"type\":\"integer\",\"minimum\":0}"
    case .priceLevel: "{\"type\":\"integer\",\"minimum\":1,\"maximum\":4}"
    case .closed: "{\"type\":\"boolean\"}"
    case .extra: "{\"type\":\"object\"}"
    }
  }
}
