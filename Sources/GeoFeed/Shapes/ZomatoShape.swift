import GeoQuery

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
