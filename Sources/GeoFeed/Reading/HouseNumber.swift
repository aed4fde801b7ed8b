import GeoIndex
import GeoQuery

/// A house number, which some countries write before the street and others after it.
struct HouseNumber {
  private let text: String

  init(_ text: String) {
    self.text = text
  }

  /// The street with the number, in the order of the restaurant's country, otherwise of its
  /// street's language, otherwise of its position.
  func joined(to street: String, of restaurant: Restaurant) -> String {
    let isFirst = Self.isFirst(street, restaurant.address, at: restaurant.coordinate)
    return isFirst ? "\(text) \(street)" : "\(street) \(text)"
  }

  /// Whether a street already has a number.
  static func isIn(_ street: String) -> Bool {
    let isDigit = { (byte: UInt8?) in byte.map { (0x30...0x39).contains($0) } ?? false }
    // 5th Avenue has no house number
    let word = street.utf8.prefix { $0 != 0x20 }
    return isDigit(word.first) && isDigit(word.last)
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

  private static func isFirst(
    _ street: String,
    _ address: Restaurant.Address,
    at place: Coordinate
  ) -> Bool {
    if let country = address.countryCode ?? address.country {
      return countriesWithNumberFirst.contains(UTF8Key(country))
    }
    let isShort = street.utf8.count <= 200
    let words = isShort ? street.lowercased().split { $0 == " " || $0 == "." } : []
    if words.contains(where: { wordsWithNumberFirst.contains(UTF8Key(String($0))) }) { return true }
    return !isWhereNumbersFollow(place)
  }

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
