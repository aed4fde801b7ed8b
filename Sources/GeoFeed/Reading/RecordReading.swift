package import GeoIndex
package import GeoQuery

/// A record read from a feed, with warnings.
struct RecordReading {
  var restaurant: Restaurant

  /// Sentences about values that were accepted but look wrong.
  var warnings: [String]

  /// Whether geoq wrote it, so that it has been checked before.
  var isOwn = false

  /// Whether its id is derived, because the feed gives none.
  var derivesID = false

  /// The maximum nesting of `extra`: an export adds four levels around it and must still be
  /// readable.
  static let maximumExtraDepth = JSONScanner.maximumDepth - 8

  /// The name of a record, unchanged; it must be a text and not blank.
  static func name(_ value: JSONValue?) throws(FeedProblem) -> String {
    guard let value else { throw FeedProblem("name is missing") }
    guard let name = value.asText else { throw FeedProblem("name is \(value.kind), not text") }
    guard name.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
      throw FeedProblem("name is empty")
    }
    return name
  }

  /// Gives the record its id and checks its texts.
  ///
  /// - Throws: `FeedProblem` if a text contains U+0000, which databases do not allow, or the id is
  ///   a path step such as `..`.
  static func finish(
    _ restaurant: consuming Restaurant,
    id: String?,
    warnings: [String],
    isOwn: Bool = false
  ) throws(FeedProblem) -> RecordReading {
    try checkDepth(restaurant.extra)
    // a record that geoq wrote is already in this form
    if !isOwn { restaurant.arrangeImages() }
    restaurant.id = id ?? derivedID(for: restaurant)
    try checkLink(id: restaurant.id)
    if let field = restaurant.fieldWithNUL {
      throw FeedProblem("\(field.rawValue) contains the character U+0000")
    }
    var reading = RecordReading(restaurant: restaurant, warnings: warnings)
    (reading.isOwn, reading.derivesID) = (isOwn, id == nil)
    return reading
  }

  /// Checks that members are not nested too deeply.
  static func checkDepth(_ extra: [JSONMember]) throws(FeedProblem) {
    guard JSONValue.object(extra).depth <= maximumExtraDepth else {
      throw FeedProblem("its members are nested deeper than \(maximumExtraDepth) levels")
    }
  }

  /// Checks that an id can be the end of an address.
  ///
  /// Clients resolve a path step such as `..` before they send a request (RFC 3986 §5.2.4), even if
  /// it is escaped.
  static func checkLink(id: String) throws(FeedProblem) {
    if [UTF8Key("."), ".."].contains(UTF8Key(id)) {
      throw FeedProblem("id \"\(id)\" cannot be used in a URL: it means a folder, not a name")
    }
  }

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
        "rating \(rating) is above 5; read as out of \(rating <= 10 ? 10 : 100), "
          + "but ratings up to 5 as out of 5 (\(Remedy.ratingScale))"
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

extension FeedProblem {
  /// The problem of a record without a name, with what it has instead.
  static func noName(in members: [JSONMember]) -> FeedProblem {
    let names = members.prefix(12).map { "\"\(shortened($0.name))\"" }.joined(separator: ", ")
    return FeedProblem(
      names.isEmpty
        ? "name is missing" : "name is missing (it has \(names)); \(Remedy.chooseNameColumn)"
    )
  }
}

extension JSONFields {
  /// Takes a text that is not empty, or a number's digits; any other value stays.
  mutating func takeText(_ name: String) -> String? {
    guard let text = value(name)?.asText, !text.isEmpty else { return nil }
    _ = take(name)
    return text
  }

  /// Takes such a text out of a known member.
  mutating func takeText(_ known: FieldAliases.Known) -> String? {
    guard let text = known.value.asText, !text.isEmpty else { return nil }
    take(known)
    return text
  }
}

extension Restaurant {
  /// The first key whose text holds U+0000, if one does.
  fileprivate var fieldWithNUL: RestaurantField? {
    if id.containsNUL { return .id }
    if sourceID?.containsNUL == true { return .sourceID }
    if name.containsNUL { return .name }
    for field in RestaurantField.optionalTexts where text(field)?.containsNUL == true {
      return field
    }
    if address.formatted.contains(where: \.containsNUL) { return .formattedAddress }
    return images.contains(where: \.containsNUL) ? .images : nil
  }

  /// Makes `imageURL` the first of the images; a single image is only in `imageURL`.
  fileprivate mutating func arrangeImages() {
    guard let first = imageURL ?? images.first else { return }
    let others = images.filter { UTF8Key($0) != UTF8Key(first) }
    imageURL = first
    images = others.isEmpty ? [] : [first] + others
  }

  /// A street with its number, in the order of the restaurant's country, otherwise of the street's
  /// language, otherwise of the position.
  func street(_ street: String, number: String) -> String {
    let isFirst: Bool
    if let country = address.countryCode ?? address.country {
      isFirst = Self.countriesWithNumberFirst.contains(UTF8Key(country))
    } else {
      let isShort = street.utf8.count <= 200
      let words = isShort ? street.lowercased().split { $0 == " " || $0 == "." } : []
      isFirst =
        words.contains { Self.wordsWithNumberFirst.contains(UTF8Key(String($0))) }
        || !Self.isWhereNumbersFollow(coordinate)
    }
    return isFirst ? "\(number) \(street)" : "\(street) \(number)"
  }

  private static let countriesWithNumberFirst: Set<UTF8Key> = [
    "US", "CA", "GB", "UK", "IE", "FR", "LU", "MC", "AU", "NZ", "ZA", "IN", "PK", "BD", "LK", "SG",
    "MY", "HK", "PH", "TH", "JP", "KE", "NG", "GH", "UG", "TZ", "EG", "IL", "JM", "TT", "BB", "BS",
    "PR", "GU", "MT", "GI", "JE", "GG", "IM", "TN", "DZ", "MA", "SN", "CI", "RE", "GP", "MQ", "NC",
    "United States", "USA", "Canada", "United Kingdom", "Ireland", "France", "Australia",
    "New Zealand",
  ]

  private static let wordsWithNumberFirst: Set<UTF8Key> = [
    "rue", "avenue", "boulevard", "quai", "impasse", "street", "road", "lane", "drive", "st", "rd",
    "ave", "blvd",
  ]

  /// Continental Europe and Latin America.
  private static func isWhereNumbersFollow(_ place: Coordinate) -> Bool {
    let (north, east) = (place.latitude, place.longitude)
    if (34...72).contains(north), (-10.0...45).contains(east) {
      let isBritish = north > 49.9 && north < 61 && east < 1.8
      let isFrench = (42.4...49).contains(north) && (-5.0...5.8).contains(east)
      return !isBritish && !isFrench
    }
    let isSouth = (-56.0..<14).contains(north) && (-93.0 ... -34).contains(east)
    let isMexican = (14.0..<25.8).contains(north) && (-118.0 ... -86).contains(east)
    return isSouth || isMexican
  }
}

extension String {
  /// Whether it contains U+0000, which databases do not allow.
  var containsNUL: Bool {
    var text = self
    return text.withUTF8 { $0.contains(0) }
  }
}

/// A stable, readable id for a restaurant whose feed gives none.
///
/// The name as a slug (folded to ASCII lower case, runs of other characters to one hyphen), a
/// hyphen, and the first 8 hex digits of SHA-256 over folded name, address and postal code or city,
/// joined by newlines; coordinates rounded to 4 decimals replace a missing address, or an address
/// with neither code nor city, because a chain may have a Main Street 1 in many towns. The order of
/// the feed and its other members do not matter.
package func derivedID(for restaurant: Restaurant) -> String {
  let address = restaurant.address
  let position = roundedText(of: restaurant.coordinate)
  let area = address.postalCode ?? address.city ?? (address.street == nil ? "" : position)
  let place = address.street ?? position
  let key = [restaurant.name, place, area].map(folded).joined(separator: "\n")
  let check = SHA256.hexDigest(of: Array(key.utf8)).prefix(8)
  let slug = slug(of: restaurant.name)
  return (slug.isEmpty ? "restaurant" : slug) + "-" + check
}

/// A derived id that another record of the source has at another position: a hyphen and 6 hex digits
/// of the SHA-256 of the position rounded to 4 decimals are added.
package func branchID(of id: String, at place: Coordinate) -> String {
  id + "-" + SHA256.hexDigest(of: Array(roundedText(of: place).utf8)).prefix(6)
}

/// A number for a position rounded to 4 decimals, never 0; two with the same are one place.
package func placeNumber(of place: Coordinate) -> UInt64 {
  let (north, east) = (tenThousandths(place.latitude), tenThousandths(place.longitude))
  return UInt64(north + 1_000_000) << 32 | UInt64(east + 2_000_000)
}

private func tenThousandths(_ degrees: Double) -> Int { Int((degrees * 10_000).rounded()) }

/// A name in ASCII lower-case letters and digits, everything else as single hyphens between them.
func slug(of name: String) -> String {
  folded(name).utf8
    .split { !$0.isDigit && !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    .map { String(decoding: $0, as: UTF8.self) }
    .joined(separator: "-")
}

/// `LAT,LON` with 4 decimals: about 11 m, coarser than the noise between two fetches of a feed.
private func roundedText(of place: Coordinate) -> String {
  [place.latitude, place.longitude]
    .map { degrees in
      let units = tenThousandths(degrees)
      let digits = String(units.magnitude)
      let padded = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
      return (units < 0 ? "-" : "") + padded.dropLast(4) + "." + padded.suffix(4)
    }
    .joined(separator: ",")
}

/// Whether a street already has a house number; 5th Avenue has none.
func hasHouseNumber(_ street: String) -> Bool {
  let word = street.utf8.prefix { $0 != 0x20 }
  return word.first?.isDigit == true && word.last?.isDigit == true
}
