import GeoIndex
import GeoQuery

/// A record read from a feed, with warnings.
struct RecordReading {
  /// The record.
  var restaurant: Restaurant

  /// Sentences about values that were accepted but look wrong.
  var warnings: [String]

  /// Whether geoq wrote it, so that it has been checked before.
  var isOwn = false
}

extension FeedProblem {
  /// The problem of a record without a name, with what it has instead.
  static func noName(in members: [JSONMember]) -> FeedProblem {
    let names = members.prefix(12).map { "\"\(shortened($0.name))\"" }.joined(separator: ", ")
    return FeedProblem(
      names.isEmpty
        ? "name is missing" : "name is missing (it has \(names)); choose one with --name-col"
    )
  }
}

extension RecordReading {
  /// The maximum nesting of `extra`: an export adds four levels around it and must still be
  /// readable.
  static let maximumExtraDepth = JSONScanner.maximumDepth - 8

  /// The name of a record, unchanged.
  ///
  /// - Throws: `FeedProblem` if it is missing, blank or not a text.
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
    guard JSONValue.object(restaurant.extra).depth <= maximumExtraDepth else {
      throw FeedProblem("its members are nested deeper than \(maximumExtraDepth) levels")
    }
    // a record that geoq wrote is already in this form
    if !isOwn { restaurant.arrangeImages() }
    restaurant.id = id ?? derivedID(for: restaurant)
    try checkLink(id: restaurant.id)
    if let field = restaurant.fieldWithNUL {
      throw FeedProblem("\(field.rawValue) contains the character U+0000")
    }
    return RecordReading(restaurant: restaurant, warnings: warnings, isOwn: isOwn)
  }
}

extension RecordReading {
  /// Checks that an id can be the end of an address.
  ///
  /// Clients resolve a path step such as `..` before they send a request (RFC 3986 §5.2.4), even if
  /// it is escaped.
  ///
  /// - Throws: `FeedProblem` if the id is such a step.
  static func checkLink(id: String) throws(FeedProblem) {
    if [UTF8Key("."), ".."].contains(UTF8Key(id)) {
      throw FeedProblem(
        "id \"\(id)\" cannot be used in a URL: it means a folder, not a name"
      )
    }
  }
}

extension MemberBag {
  /// Takes a feed's id out of a known member.
  mutating func takeID(_ known: MemberSynonyms.Known?) -> String? {
    guard let known, let text = known.value.asText, !text.isEmpty else { return nil }
    take(known)
    return text
  }

  /// Takes a feed's id: a text that is not empty, or a number's digits.
  mutating func takeID(_ name: String = "id") -> String? {
    guard let text = value(name)?.asText, !text.isEmpty else { return nil }
    _ = take(name)
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
func derivedID(for restaurant: Restaurant) -> String {
  let address = restaurant.address
  let position = roundedText(of: restaurant)
  let area = address.postalCode ?? address.city ?? (address.street == nil ? "" : position)
  let place = address.street ?? position
  let key = [restaurant.name, place, area].map(folded).joined(separator: "\n")
  let check = SHA256.hexDigest(of: Array(key.utf8)).prefix(8)
  let slug = slug(of: restaurant.name)
  return (slug.isEmpty ? "restaurant" : slug) + "-" + check
}

/// A name in ASCII lower-case letters and digits, everything else as single hyphens between them.
func slug(of name: String) -> String {
  folded(name).utf8
    .split { !isLowerCaseLetterOrDigit($0) }
    .map { String(decoding: $0, as: UTF8.self) }
    .joined(separator: "-")
}

private func isLowerCaseLetterOrDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

/// `LAT,LON` with 4 decimals: about 11 m, coarser than the noise between two fetches of a feed.
private func roundedText(of restaurant: Restaurant) -> String {
  [restaurant.coordinate.latitude, restaurant.coordinate.longitude]
    .map { degrees in
      let units = Int((degrees * 10_000).rounded())
      let digits = String(units.magnitude)
      let padded = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
      return (units < 0 ? "-" : "") + padded.dropLast(4) + "." + padded.suffix(4)
    }
    .joined(separator: ",")
}
