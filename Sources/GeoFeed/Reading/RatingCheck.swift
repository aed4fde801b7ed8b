import GeoQuery

/// Ratings that their scale does not have.
extension RecordReading {
  /// Gives a rating without a scale the feed's, and takes back one that is not on its scale.
  ///
  /// Without a scale, one that is above 5 is read as of 10 or of 100. What is taken back stays in
  /// `extra`.
  mutating func checkRating(scale feedScale: Double?) {
    guard let rating = restaurant.rating else { return }
    if restaurant.ratingScale == nil { restaurant.ratingScale = feedScale }
    let scale = restaurant.ratingScale
    if rating >= 0, rating <= scale ?? 5 { return }
    if scale == nil, (5.0...100).contains(rating) {
      restaurant.ratingScale = rating <= 10 ? 10 : 100
      warnings.append(
        "rating \(rating) is above 5; read as of \(rating <= 10 ? 10 : 100) "
          + "(--rating-scale gives the scale of all)"
      )
      return
    }
    warnings.append("rating \(rating) is not in 0...\(scale ?? 5); left out")
    let isFree = restaurant.extra.first(named: "rating") == nil
    restaurant.extra.append(
      JSONMember(name: isFree ? "rating" : "rating_", value: .number(rating.description))
    )
    restaurant.rating = nil
    restaurant.ratingScale = nil
  }
}
