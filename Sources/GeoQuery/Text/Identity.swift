import GeoIndex

/// A stable, readable id for a restaurant whose feed gives none.
///
/// The name as a slug (folded to ASCII lower case, runs of other characters to one hyphen), a
/// hyphen, and the first 8 hex digits of SHA-256 over folded name, address and postal code or city,
/// joined by newlines; coordinates rounded to 4 decimals replace a missing address, or an address
/// with neither code nor city, because a chain may have a Main Street 1 in many towns. The order of
/// the feed and its other members do not matter.
package func derivedID(for restaurant: Restaurant) -> String {
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
