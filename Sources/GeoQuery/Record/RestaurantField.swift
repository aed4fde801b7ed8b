import GeoIndex

/// The flat keys of a restaurant: the same in JSON, in GeoJSON properties and as CSV columns.
///
/// The order of the cases is the order of members and columns everywhere.
public enum RestaurantField: String, Sendable, CaseIterable {
  /// The property of `Restaurant` with this name.
  case id, name, category, chain
  /// Degrees north and east.
  case latitude, longitude
  /// The distance from the center of the query in meters; only in answers with a center.
  case distance
  /// Street and number.
  case address
  /// The property of `Restaurant.Address` with this name.
  case crossStreet, city, state, postalCode, countryCode, country
  /// The address as lines to print.
  case formattedAddress
  /// The property of `Restaurant.Contact` with this name.
  case phone, formattedPhone, twitter, facebook, facebookUsername, facebookName
  /// The property of `Restaurant` with this name.
  case description, imageURL, images, website, rating, ratingScale, reviewCount, priceLevel,
    hours, closed, source, sourceID
  /// Members without a key of their own.
  case extra
  /// When the favorite was added, in UTC; only in lists of favorites.
  case favoriteSince
  /// True when the restaurant has left its feed; only in lists of favorites.
  case gone

  package enum Kind {
    case text, texts, real, whole, flag, object
  }

  /// How the value of a key is read, and what a feed may set it to.
  ///
  /// Functions, not key paths, which copy the restaurant for each value: with them an import of a
  /// million records (`Benchmarks/store`) takes 1.5 times as long.
  enum Access {
    /// A text that every restaurant has, or one that no feed sets.
    case required((Restaurant) -> String)
    case given((Restaurant) -> String?)
    case text((Restaurant) -> String?, (inout Restaurant, String) -> Void)
    case texts((Restaurant) -> [String], (inout Restaurant, [String]) -> Void)
    case degrees((Restaurant) -> Double)
    case real((Restaurant) -> Double?, (inout Restaurant, Double) -> Void, above: Double)
    case whole((Restaurant) -> Int?, (inout Restaurant, Int) -> Void, in: ClosedRange<Int>)
    case flag((Restaurant) -> Bool, (inout Restaurant, Bool) -> Void)
    case object((Restaurant) -> [JSONMember])
    /// A value of the answer, which a restaurant does not have.
    case answer(Kind)
  }

  /// The table of keys, for the packed record, JSON, cells, the schema, and what feeds may set.
  var access: Access {
    switch self {
    case .id: .required { $0.id }
    case .name: .required { $0.name }
    case .category: .text({ $0.category }, { $0.category = $1 })
    case .chain: .text({ $0.chain }, { $0.chain = $1 })
    case .latitude: .degrees { $0.coordinate.latitude }
    case .longitude: .degrees { $0.coordinate.longitude }
    case .distance: .answer(.real)
    case .address: .text({ $0.address.street }, { $0.address.street = $1 })
    case .crossStreet: .text({ $0.address.crossStreet }, { $0.address.crossStreet = $1 })
    case .city: .text({ $0.address.city }, { $0.address.city = $1 })
    case .state: .text({ $0.address.state }, { $0.address.state = $1 })
    case .postalCode: .text({ $0.address.postalCode }, { $0.address.postalCode = $1 })
    case .countryCode: .text({ $0.address.countryCode }, { $0.address.countryCode = $1 })
    case .country: .text({ $0.address.country }, { $0.address.country = $1 })
    case .formattedAddress: .texts({ $0.address.formatted }, { $0.address.formatted = $1 })
    case .phone: .text({ $0.contact.phone }, { $0.contact.phone = $1 })
    case .formattedPhone: .text({ $0.contact.formattedPhone }, { $0.contact.formattedPhone = $1 })
    case .twitter: .text({ $0.contact.twitter }, { $0.contact.twitter = $1 })
    case .facebook: .text({ $0.contact.facebook }, { $0.contact.facebook = $1 })
    case .facebookUsername:
      .text({ $0.contact.facebookUsername }, { $0.contact.facebookUsername = $1 })
    case .facebookName: .text({ $0.contact.facebookName }, { $0.contact.facebookName = $1 })
    case .description: .text({ $0.description }, { $0.description = $1 })
    case .imageURL: .text({ $0.imageURL }, { $0.imageURL = $1 })
    case .images: .texts({ $0.images }, { $0.images = $1 })
    case .website: .text({ $0.website }, { $0.website = $1 })
    case .rating: .real({ $0.rating }, { $0.rating = $1 }, above: -.infinity)
    case .ratingScale: .real({ $0.ratingScale }, { $0.ratingScale = $1 }, above: 0)
    case .reviewCount: .whole({ $0.reviewCount }, { $0.reviewCount = $1 }, in: 0...Int.max)
    case .priceLevel: .whole({ $0.priceLevel }, { $0.priceLevel = $1 }, in: 1...4)
    case .hours: .text({ $0.hours }, { $0.hours = $1 })
    case .closed: .flag({ $0.closed }, { $0.closed = $1 })
    case .source: .required { $0.source }
    case .sourceID: .given { $0.sourceID }
    case .extra: .object { $0.extra }
    case .favoriteSince: .answer(.text)
    case .gone: .answer(.flag)
    }
  }

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
    case .required(let value): .string(value(self))
    case .given(let value): value(self).map(JSONValue.string)
    case .text(let value, _): value(self).map(JSONValue.string)
    case .texts(let value, _):
      value(self).isEmpty ? nil : .array(value(self).map(JSONValue.string))
    case .degrees(let value): .number(value(self).description)
    case .real(let value, _, _): value(self).map { .number($0.description) }
    case .whole(let value, _, _): value(self).map { .number($0.description) }
    case .flag(let value, _): value(self) ? .bool(true) : nil
    case .object(let value): value(self).isEmpty ? nil : .object(value(self))
    case .answer: nil
    }
  }

  /// Why it cannot be kept, as a clause; nil if it can: what no feed could set would not be read back.
  package var fault: String? {
    for field in RestaurantField.stored {
      let isKept =
        switch field.access {
        case .required(let value): !value(self).isEmpty
        case .real(let value, _, let bound): value(self).map { $0.isFinite && $0 > bound } ?? true
        case .whole(let value, _, let range): value(self).map(range.contains) ?? true
        case .object(let value):
          value(self).isEmpty
            || self[field].map { (try? JSONValue(parsing: Array($0.description.utf8))) == $0 }
              == true
        case .given, .text, .texts, .degrees, .flag, .answer: true
        }
      if !isKept { return "has a \(field.rawValue) that is not possible" }
    }
    return nil
  }

  /// Sets a stored key other than those of the initializer to what the subscript gives.
  ///
  /// - Returns: False if it cannot have the value.
  mutating func restore(_ value: JSONValue, of field: RestaurantField) -> Bool {
    switch (field, value) {
    case (.name, _), (.source, _), (.id, _), (.latitude, _), (.longitude, _): return true
    case (.sourceID, .string(let id)): sourceID = id
    case (.extra, .object(let members)): extra = members
    case (_, let value): return assign(value, to: field)
    }
    return true
  }

  /// The value of a text that feeds set; nil for every other key.
  package func text(_ field: RestaurantField) -> String? {
    if case .text(let value, _) = field.access { value(self) } else { nil }
  }

  /// Sets a key from a feed's value.
  ///
  /// - Returns: False if feeds do not set the key, the value is not of its type, or is an empty text;
  ///   the caller keeps it in `extra`.
  package mutating func assign(_ value: JSONValue, to field: RestaurantField) -> Bool {
    if value == .string("") { return false }
    switch (field.access, value) {
    case (.text(_, let set), _):
      guard let text = value.asText else { return false }
      set(&self, text)
    case (.texts(_, let set), .string(let text)): set(&self, [text])
    case (.texts(_, let set), .array(let elements)):
      let texts = elements.compactMap(\.asText)
      guard texts.count == elements.count, !texts.allSatisfy(\.isEmpty) else { return false }
      set(&self, texts)
    case (.real(_, let set, let bound), .number(let token)):
      guard let number = Double(token), number.isFinite, number > bound else { return false }
      // SQLite has no negative zero
      set(&self, number + 0)
    case (.whole(_, let set, let range), .number(let token)):
      guard let number = wholeNumber(token), range.contains(number) else { return false }
      set(&self, number)
    case (.flag(_, let set), .bool(let flag)): set(&self, flag)
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
