import GeoQuery

/// Reads one record of the Bottle Rocket lunch feed.
///
/// `contact` is an object or null; `location` has address parts, `lat` and `lng`. Members with
/// geoq's own names are also read at the record's root. Other feeds have such a `location` too, so that
/// name and id may have other common names.
enum BottleRocketRecord {
  private static let locationKeys: [(String, RestaurantField)] = [
    ("address", .address), ("crossStreet", .crossStreet), ("city", .city), ("state", .state),
    ("postalCode", .postalCode), ("cc", .countryCode), ("country", .country),
    ("formattedAddress", .formattedAddress),
  ]

  private static let contactKeys: [RestaurantField] = [
    .phone, .formattedPhone, .twitter, .facebook, .facebookUsername, .facebookName,
  ]

  private static let rootKeys: [RestaurantField] = [
    .category, .chain, .description, .images, .website, .rating, .ratingScale, .reviewCount,
    .priceLevel, .hours, .closed,
  ]

  static func read(
    _ value: JSONValue,
    source: String,
    aliases: FieldAliases
  ) throws(FeedProblem) -> RecordReading {
    var record = try JSONFields(record: value)
    let known = aliases.known(in: record)
    let named = aliases.nameMember(known, in: record)
    let name = try RecordReading.name(named?.value)
    if let named, named.meaning.field == .name { record.take(named) }
    let id = known.first(for: .id).flatMap { record.takeText($0) }
    var location = record.takeObject("location")
    var contact = record.takeObject("contact")
    if let other = record.value("location") {
      throw FeedProblem("location is \(other.kind), not an object")
    }
    let reading = try CoordinateReading(
      latitude: location.take("lat"),
      longitude: location.take("lng")
    )
    var restaurant = reading.restaurant(name, source)
    record.move("backgroundImageURL", to: .imageURL, of: &restaurant)
    for field in rootKeys { record.move(field.rawValue, to: field, of: &restaurant) }
    for (key, field) in locationKeys { location.move(key, to: field, of: &restaurant) }
    for field in contactKeys { contact.move(field.rawValue, to: field, of: &restaurant) }

    record.putBack(location, as: "location")
    record.putBack(contact, as: "contact")
    restaurant.extra = record.rest
    return try RecordReading.finish(restaurant, id: id, warnings: reading.warnings)
  }
}
