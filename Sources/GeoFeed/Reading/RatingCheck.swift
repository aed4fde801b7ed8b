import GeoQuery

/// Checks ratings against their scale.
extension RecordReading {
  /// Gives a rating without a scale the feed's scale, and removes one that is not on its scale.
  ///
  /// Without a scale, a rating above 5 is one out of 10 or 100. A removed rating stays in `extra`.
  mutating func checkRating(scale feedScale: Double?) {
    guard let rating = restaurant.rating else { return }
    if restaurant.ratingScale == nil { restaurant.ratingScale = feedScale }
    let scale = restaurant.ratingScale
    if rating >= 0, rating <= scale ?? 5 { return }
    if scale == nil, (5.0...100).contains(rating) {
      restaurant.ratingScale = rating <= 10 ? 10 : 100
      warnings.append(
        "rating \(rating) is above 5; read as out of \(rating <= 10 ? 10 : 100) "
          + "(--rating-scale sets the scale)"
      )
      return
    }
    warnings.append("rating \(rating) is not in 0...\(scale ?? 5); dropped")
    let isFree = restaurant.extra.first(named: "rating") == nil
    restaurant.extra.append(
      JSONMember(name: isFree ? "rating" : "rating_", value: .number(rating.description))
    )
    restaurant.rating = nil
    restaurant.ratingScale = nil
  }
}
