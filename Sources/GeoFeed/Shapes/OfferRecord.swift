import GeoQuery

/// Reads one record of a list of offers.
///
/// The shape: `id`, `name`, `description`, `terms`, `url`, `large_url`, `amount`, `categories` (objects with
/// a `name`, or texts), `retailers` (ids of chains), `expiration` (or another of `ends`); also
/// `restaurants` (ids) and `restaurant_categories`. A member of another type stays in `extra`.
enum OfferRecord {
  /// The maximum number of items in a list of an offer.
  static let maximumItems = 10_000

  /// The bare names of the member with the end of an offer; of several the first in this list counts.
  static let ends = [
    "expiration", "expirationdate", "expirationtime", "expires", "expiresat", "expireson",
    "expiresdate", "expiry", "expirydate", "expiredate", "validuntil", "validthrough", "validto",
    "availabilityends", "pricevaliduntil", "enddate", "enddatetime", "endtime", "endsat", "endson",
    "ends", "until",
  ]

  /// Reads a record, which needs an id and a name.
  static func read(_ value: JSONValue, source: String) throws(FeedProblem) -> Offer {
    var fields = try JSONFields(record: value)
    let id = try id(&fields)
    let name = try RecordReading.name(fields.take("name"))
    var offer = Offer(id: id, name: name, source: source)
    offer.description = fields.takeText("description")
    offer.terms = fields.takeText("terms")
    offer.url = fields.takeLink("url")
    offer.largeURL = fields.takeLink("large_url")
    offer.amount = fields.takeAmount("amount")
    offer.categories = try fields.takeTexts("categories")
    offer.chains = try fields.takeTexts("retailers")
    offer.restaurants = try fields.takeTexts("restaurants")
    offer.restaurantCategories = try fields.takeTexts("restaurant_categories")
    offer.expiration = fields.takeText(named: ends)
    offer.extra = fields.rest
    let texts = [
      offer.id, offer.name, offer.description, offer.terms, offer.url, offer.largeURL,
      offer.expiration,
    ]
    let lists = [offer.categories, offer.chains, offer.restaurants, offer.restaurantCategories]
    try check(texts.compactMap(\.self) + lists.flatMap { $0 }, offer.extra)
    return offer
  }

  /// Takes the id, which is needed to refer to the record, also in addresses.
  static func id(_ fields: inout JSONFields) throws(FeedProblem) -> String {
    guard let id = fields.takeText("id") else { throw FeedProblem("id is missing") }
    try RecordReading.checkLink(id: id)
    return id
  }

  /// Checks for values that the database cannot store.
  static func check(_ texts: [String], _ extra: [JSONMember]) throws(FeedProblem) {
    if texts.contains(where: \.containsNUL) {
      throw FeedProblem("one of its texts contains the character U+0000")
    }
    try RecordReading.checkDepth(extra)
  }
}

extension JSONFields {
  /// Takes the text of the first of these bare names that has one.
  fileprivate mutating func takeText(named names: [String]) -> String? {
    let members = rest.map { (bare: bareName($0.name), name: $0.name) }
    for name in names {
      for member in members where member.bare.isUTF8Equal(to: name) {
        if let text = takeText(member.name) { return text }
      }
    }
    return nil
  }

  /// Takes an http or https address; any other value stays.
  mutating func takeLink(_ name: String) -> String? {
    guard let value = value(name), let link = FieldReading.link.read(value), link.isWhole,
      let text = link.value.asText
    else { return nil }
    _ = take(name)
    return text
  }

  /// Takes an amount; a value out of range stays.
  fileprivate mutating func takeAmount(_ name: String) -> Double? {
    guard let value = value(name), let token = FieldReading.number.read(value)?.value.asText,
      let amount = Double(token), (0...Offer.maximumAmount).contains(amount)
    else { return nil }
    _ = take(name)
    // SQLite has no negative zero
    return amount + 0
  }

  /// Takes a list of texts, numbers, or objects with a name; a list with other members also stays.
  fileprivate mutating func takeTexts(_ name: String) throws(FeedProblem) -> [String] {
    guard case .array(let elements)? = value(name) else { return [] }
    guard elements.count <= OfferRecord.maximumItems else {
      throw FeedProblem(
        "\(name) has \(elements.count) items; the limit is \(OfferRecord.maximumItems)"
      )
    }
    var isWhole = true
    let texts = elements.compactMap { element -> String? in
      var text = element.asText
      if case .object(let members) = element {
        isWhole = false
        text = members.first(named: "name")?.value.asText
      }
      if text?.isEmpty != false { isWhole = false }
      return text?.isEmpty == true ? nil : text
    }
    if isWhole { _ = take(name) }
    return texts
  }
}

/// Reads one record of a list of chains: `id`, `name`, `icon_url`, `featured`.
enum ChainRecord {
  /// Reads a record, which needs an id and a name.
  static func read(_ value: JSONValue, source: String) throws(FeedProblem) -> Chain {
    var fields = try JSONFields(record: value)
    let id = try OfferRecord.id(&fields)
    let name = try RecordReading.name(fields.take("name"))
    var chain = Chain(id: id, name: name, source: source)
    chain.iconURL = fields.takeLink("icon_url")
    if case .bool(let flag)? = fields.value("featured") {
      chain.featured = flag
      _ = fields.take("featured")
    }
    chain.extra = fields.rest
    try OfferRecord.check([chain.id, chain.name, chain.iconURL ?? ""], chain.extra)
    return chain
  }
}
