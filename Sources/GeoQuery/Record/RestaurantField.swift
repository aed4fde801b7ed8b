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

  /// Where a restaurant has the value of a key, and what a feed may set it to.
  enum Access {
    /// A text that every restaurant has, or one that no feed sets.
    case required(KeyPath<Restaurant, String>)
    case given(KeyPath<Restaurant, String?>)
    case text(WritableKeyPath<Restaurant, String?>)
    case texts(WritableKeyPath<Restaurant, [String]>)
    case degrees(KeyPath<Restaurant, Double>)
    case real(WritableKeyPath<Restaurant, Double?>, above: Double)
    case whole(WritableKeyPath<Restaurant, Int?>, ClosedRange<Int>)
    case flag(WritableKeyPath<Restaurant, Bool>)
    case object(KeyPath<Restaurant, [JSONMember]>)
    /// A value of the answer, which a restaurant does not have.
    case answer(Kind)
  }

  /// The table of keys: from it follow the packed record, JSON, cells, the schema, and what feeds may
  /// set.
  var access: Access {
    switch self {
    case .id: .required(\.id)
    case .name: .required(\.name)
    case .category: .text(\.category)
    case .chain: .text(\.chain)
    case .latitude: .degrees(\.coordinate.latitude)
    case .longitude: .degrees(\.coordinate.longitude)
    case .distance: .answer(.real)
    case .address: .text(\.address.street)
    case .crossStreet: .text(\.address.crossStreet)
    case .city: .text(\.address.city)
    case .state: .text(\.address.state)
    case .postalCode: .text(\.address.postalCode)
    case .countryCode: .text(\.address.countryCode)
    case .country: .text(\.address.country)
    case .formattedAddress: .texts(\.address.formatted)
    case .phone: .text(\.contact.phone)
    case .formattedPhone: .text(\.contact.formattedPhone)
    case .twitter: .text(\.contact.twitter)
    case .facebook: .text(\.contact.facebook)
    case .facebookUsername: .text(\.contact.facebookUsername)
    case .facebookName: .text(\.contact.facebookName)
    case .description: .text(\.description)
    case .imageURL: .text(\.imageURL)
    case .images: .texts(\.images)
    case .website: .text(\.website)
    case .rating: .real(\.rating, above: -.infinity)
    case .ratingScale: .real(\.ratingScale, above: 0)
    case .reviewCount: .whole(\.reviewCount, 0...Int.max)
    case .priceLevel: .whole(\.priceLevel, 1...4)
    case .hours: .text(\.hours)
    case .closed: .flag(\.closed)
    case .source: .required(\.source)
    case .sourceID: .given(\.sourceID)
    case .extra: .object(\.extra)
    case .favoriteSince: .answer(.text)
    case .gone: .answer(.flag)
    }
  }

  /// The type of a key's value.
  package var kind: Kind {
    switch access {
    case .required, .given, .text: .text
    case .texts: .texts
    case .degrees, .real: .real
    case .whole: .whole
    case .flag: .flag
    case .object: .object
    case .answer(let kind): kind
    }
  }

  /// The keys that belong to an answer, not to a restaurant.
  public static let ofAnswers = Set(
    allCases.filter { if case .answer = $0.access { true } else { false } }
  )

  /// The stored keys, in their order: all except those of answers.
  package static let stored = allCases.filter { !ofAnswers.contains($0) }

  /// The keys of texts that feeds set.
  package static let optionalTexts = stored.filter {
    if case .text = $0.access { true } else { false }
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
    switch field.access {
    case .required(let path): .string(self[keyPath: path])
    case .given(let path): self[keyPath: path].map(JSONValue.string)
    case .text(let path): self[keyPath: path].map(JSONValue.string)
    case .texts(let path):
      self[keyPath: path].isEmpty ? nil : .array(self[keyPath: path].map(JSONValue.string))
    case .degrees(let path): .number(self[keyPath: path].description)
    case .real(let path, _): self[keyPath: path].map { .number($0.description) }
    case .whole(let path, _): self[keyPath: path].map { .number($0.description) }
    case .flag(let path): self[keyPath: path] ? .bool(true) : nil
    case .object(let path): self[keyPath: path].isEmpty ? nil : .object(self[keyPath: path])
    case .answer: nil
    }
  }

  /// The value of a text that feeds set; nil for every other key.
  package func text(_ field: RestaurantField) -> String? {
    if case .text(let path) = field.access { self[keyPath: path] } else { nil }
  }

  /// Sets a key from a feed's value.
  ///
  /// - Returns: False if feeds do not set the key, the value is not of its type, or is an empty text;
  ///   the caller keeps it in `extra`.
  package mutating func assign(_ value: JSONValue, to field: RestaurantField) -> Bool {
    if value == .string("") { return false }
    switch (field.access, value) {
    case (.text(let path), _):
      guard let text = value.asText else { return false }
      self[keyPath: path] = text
    case (.texts(let path), .string(let text)): self[keyPath: path] = [text]
    case (.texts(let path), .array(let elements)):
      let texts = elements.compactMap(\.asText)
      guard texts.count == elements.count, !texts.allSatisfy(\.isEmpty) else { return false }
      self[keyPath: path] = texts
    case (.real(let path, let bound), .number(let token)):
      guard let number = Double(token), number.isFinite, number > bound else { return false }
      // SQLite has no negative zero
      self[keyPath: path] = number + 0
    case (.whole(let path, let range), .number(let token)):
      guard let number = wholeNumber(token), range.contains(number) else { return false }
      self[keyPath: path] = number
    case (.flag(let path), .bool(let flag)): self[keyPath: path] = flag
    default: return false
    }
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
