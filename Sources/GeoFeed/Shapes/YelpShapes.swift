import GeoQuery

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
