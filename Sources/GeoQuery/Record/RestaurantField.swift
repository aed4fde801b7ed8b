import GeoIndex

/// The flat keys of a restaurant: the same in JSON, in GeoJSON properties and as CSV columns.
///
/// The order of the cases is the order of members and columns everywhere.
public enum RestaurantField: String, Sendable, CaseIterable {
  /// The identifier.
  case id
  /// The name.
  case name
  /// The category.
  case category
  /// The chain or brand.
  case chain
  /// Degrees north.
  case latitude
  /// Degrees east.
  case longitude
  /// The distance from the center of the query in meters; only in answers with a center.
  case distance
  /// Street and number.
  case address
  /// The street that crosses nearby.
  case crossStreet
  /// City or town.
  case city
  /// State or region.
  case state
  /// Postal code.
  case postalCode
  /// Two-letter country code.
  case countryCode
  /// Country by name.
  case country
  /// The address as lines to print.
  case formattedAddress
  /// Telephone number to dial.
  case phone
  /// Telephone number to read.
  case formattedPhone
  /// Twitter account.
  case twitter
  /// Facebook page id.
  case facebook
  /// Facebook account name.
  case facebookUsername
  /// Facebook page title.
  case facebookName
  /// A description in the feed's words.
  case description
  /// The address of a picture.
  case imageURL
  /// The addresses of all pictures, if there are several.
  case images
  /// The restaurant's own site.
  case website
  /// The mean rating.
  case rating
  /// The best rating possible.
  case ratingScale
  /// The number of ratings.
  case reviewCount
  /// Price from 1 to 4.
  case priceLevel
  /// Opening hours.
  case hours
  /// True when closed for good.
  case closed
  /// The feed of the record.
  case source
  /// The feed's own id, if it differs from the public one.
  case sourceID
  /// Members without a key of their own.
  case extra
  /// When the favorite was added, in UTC; only in lists of favorites.
  case favoriteSince
  /// True when the restaurant has left its feed; only in lists of favorites.
  case gone
}

extension RestaurantField {
  /// The types of values.
  package enum Kind {
    case text, texts, real, whole, flag, object
  }

  /// The type of a key's value: from it follow the packed record, the text in JSON and in cells, and the
  /// schema.
  package var kind: Kind {
    switch self {
    case .id, .name, .category, .chain, .address, .crossStreet, .city, .state, .postalCode,
      .countryCode, .country, .phone, .formattedPhone, .twitter, .facebook, .facebookUsername,
      .facebookName, .description, .imageURL, .website, .hours, .source, .sourceID, .favoriteSince:
      .text
    case .formattedAddress, .images: .texts
    case .latitude, .longitude, .distance, .rating, .ratingScale: .real
    case .reviewCount, .priceLevel: .whole
    case .closed, .gone: .flag
    case .extra: .object
    }
  }

  /// The keys that belong to an answer, not to a restaurant.
  public static let ofAnswers: Set<RestaurantField> = [.distance, .favoriteSince, .gone]

  /// The stored keys, in their order: all except those of answers.
  package static let stored = allCases.filter { !ofAnswers.contains($0) }

  /// The keys of optional texts.
  package static let optionalTexts = stored.filter {
    $0.kind == .text && ![.id, .name, .source, .sourceID].contains($0)
  }

  /// The number of a stored key, as packed records have it.
  package var column: Int {
    guard let column = Self.stored.firstIndex(of: self) else {
      preconditionFailure("A key of answers is not stored.")
    }
    return column
  }
}

extension Restaurant {
  /// The value of a key; nil if the feed has none.
  ///
  /// - Parameter field: Any key; those of answers belong to a `Match` and are nil here.
  /// - Complexity: O(1).
  public subscript(field: RestaurantField) -> JSONValue? {
    if let text = text(field) { return .string(text) }
    switch field {
    case .id: return .string(id)
    case .name: return .string(name)
    case .latitude: return .number(coordinate.latitude.description)
    case .longitude: return .number(coordinate.longitude.description)
    case .formattedAddress:
      return address.formatted.isEmpty ? nil : .array(address.formatted.map(JSONValue.string))
    case .images: return images.isEmpty ? nil : .array(images.map(JSONValue.string))
    case .rating: return rating.map { .number($0.description) }
    case .ratingScale: return ratingScale.map { .number($0.description) }
    case .reviewCount: return reviewCount.map { .number($0.description) }
    case .priceLevel: return priceLevel.map { .number($0.description) }
    case .closed: return closed ? .bool(true) : nil
    case .source: return .string(source)
    case .sourceID: return sourceID.map(JSONValue.string)
    case .extra: return extra.isEmpty ? nil : .object(extra)
    default: return nil
    }
  }

  /// Sets one optional key from a feed's value.
  ///
  /// - Returns: False if the value is not of the key's type, or is an empty text; the caller keeps
  ///   it in `extra`.
  package mutating func assign(_ value: JSONValue, to field: RestaurantField) -> Bool {
    if value == .string("") { return false }
    if let text = value.asText, setText(text, field) { return true }
    switch (field, value) {
    case (.formattedAddress, .string(let line)): address.formatted = [line]
    case (.images, .string(let address)): images = [address]
    case (.formattedAddress, .array(let elements)), (.images, .array(let elements)):
      let texts = elements.compactMap(\.asText)
      guard texts.count == elements.count, !texts.allSatisfy(\.isEmpty) else { return false }
      if field == .images { images = texts } else { address.formatted = texts }
    case (.closed, .bool(let flag)): closed = flag
    case (_, .number(let token)): return assign(number: token, to: field)
    default: return false
    }
    return true
  }

  /// The value of an optional text; nil for every other key.
  package func text(_ field: RestaurantField) -> String? {
    switch field {
    case .category: category
    case .chain: chain
    case .address: address.street
    case .crossStreet: address.crossStreet
    case .city: address.city
    case .state: address.state
    case .postalCode: address.postalCode
    case .countryCode: address.countryCode
    case .country: address.country
    case .phone: contact.phone
    case .formattedPhone: contact.formattedPhone
    case .twitter: contact.twitter
    case .facebook: contact.facebook
    case .facebookUsername: contact.facebookUsername
    case .facebookName: contact.facebookName
    case .description: description
    case .imageURL: imageURL
    case .website: website
    case .hours: hours
    default: nil
    }
  }

  /// Sets an optional text; false for every other key.
  package mutating func setText(_ text: String, _ field: RestaurantField) -> Bool {
    switch field {
    case .category: category = text
    case .chain: chain = text
    case .address: address.street = text
    case .crossStreet: address.crossStreet = text
    case .city: address.city = text
    case .state: address.state = text
    case .postalCode: address.postalCode = text
    case .countryCode: address.countryCode = text
    case .country: address.country = text
    case .phone: contact.phone = text
    case .formattedPhone: contact.formattedPhone = text
    case .twitter: contact.twitter = text
    case .facebook: contact.facebook = text
    case .facebookUsername: contact.facebookUsername = text
    case .facebookName: contact.facebookName = text
    case .description: description = text
    case .imageURL: imageURL = text
    case .website: website = text
    case .hours: hours = text
    default: return false
    }
    return true
  }

  private mutating func assign(number token: String, to field: RestaurantField) -> Bool {
    switch field {
    // SQLite has no negative zero
    case .rating: return assign(Double(token).map { $0 + 0 }, to: \.rating) { $0.isFinite }
    case .ratingScale: return assign(Double(token), to: \.ratingScale) { $0.isFinite && $0 > 0 }
    case .reviewCount: return assign(wholeNumber(token), to: \.reviewCount) { $0 >= 0 }
    case .priceLevel: return assign(wholeNumber(token), to: \.priceLevel) { (1...4).contains($0) }
    default: return false
    }
  }

  private mutating func assign<Number>(
    _ number: Number?,
    to path: WritableKeyPath<Restaurant, Number?>,
    where isValid: (Number) -> Bool
  ) -> Bool {
    guard let number, isValid(number) else { return false }
    self[keyPath: path] = number
    return true
  }
}

extension JSONValue {
  /// A text, or the digits of a number, because some feeds write texts as numbers (`75254`).
  package var asText: String? {
    switch self {
    case .string(let text): text
    case .number(let token): token
    default: nil
    }
  }
}
