import GeoQuery

/// The names by which feeds of no special format call what a restaurant has.
///
/// Compared without case; of several names for one key the first of its list counts.
struct MemberSynonyms: Sendable {
  /// A key and how far down its list a name stands.
  struct Meaning: Sendable {
    let field: RestaurantField
    let rank: Int
  }

  /// A member of a record and what its name means.
  struct Known {
    let name: String
    let value: JSONValue
    let meaning: Meaning
  }

  private static let lists: [(RestaurantField, [String])] = [
    (.id, ["id", "uid", "store_id", "place_id"]),
    (.name, ["name", "title", "dba", "business_name"]),
    (.category, ["category", "amenity", "cuisine", "type", "categories"]),
    (.latitude, ["latitude", "lat", "y", "ylat", "point_y"]),
    (.longitude, ["longitude", "lon", "lng", "long", "x", "xlon", "point_x"]),
    (.address, ["address", "street", "addr", "street_address", "address1"]),
    (.crossStreet, ["crossstreet", "cross_street"]),
    (.city, ["city", "locality", "town"]),
    (.state, ["state", "region", "province"]),
    (
      .postalCode,
      ["postalcode", "postal_code", "postcode", "zip", "zipcode", "zip_code"]
    ),
    (.countryCode, ["countrycode", "country_code", "cc"]), (.country, ["country"]),
    (.formattedAddress, ["formattedaddress", "formatted_address", "full_address"]),
    (.phone, ["phone", "tel", "telephone"]), (.formattedPhone, ["formattedphone"]),
    (.twitter, ["twitter"]), (.facebook, ["facebook"]),
    (.facebookUsername, ["facebookusername"]), (.facebookName, ["facebookname"]),
    (.imageURL, ["imageurl", "image_url", "image"]),
    (.website, ["website", "url", "web"]), (.rating, ["rating", "stars"]),
    (.ratingScale, ["ratingscale", "rating_scale"]),
    (.reviewCount, ["reviewcount", "review_count"]),
    (.priceLevel, ["pricelevel", "price_level", "price"]),
    (.hours, ["hours", "opening_hours"]),
    (
      .closed,
      [
        "closed", "permanently_closed", "is_closed", "is_open", "businessstatus", "business_status",
        "operating_status", "date_closed",
      ]
    ),
  ]

  private static let pointNames: Set<ByteKey> = ["wkt", "geom", "geometry", "the_geom", "point"]

  private static let common: [ByteKey: Meaning] = Dictionary(
    uniqueKeysWithValues: lists.flatMap { field, names in
      names.enumerated().map { (ByteKey($1), Meaning(field: field, rank: $0)) }
    }
  )

  private let chosen: [ByteKey: RestaurantField]
  private let taken: Set<RestaurantField>
  private let pointColumn: String?

  init(_ columns: ColumnNames = ColumnNames()) {
    chosen = Dictionary(
      columns.names.map { (ByteKey($1), $0) },
      uniquingKeysWith: { first, _ in first }
    )
    taken = Set(columns.names.keys)
    pointColumn = columns.point
  }

  /// What a name means, if anything.
  func meaning(of name: String) -> Meaning? {
    if !chosen.isEmpty, let field = chosen[ByteKey(name)] { return Meaning(field: field, rank: -1) }
    guard let meaning = Self.common[ByteKey(name)] ?? Self.common[ByteKey(name.lowercased())],
      !taken.contains(meaning.field)
    else { return nil }
    return meaning
  }

  /// The member that somebody said holds a key's value.
  func chosenName(for field: RestaurantField) -> String? {
    chosen.first { $0.value == field }?.key.text
  }

  /// The member that holds a key's value, if there is one.
  func member(for field: RestaurantField, in bag: MemberBag) -> String? {
    best(for: field, among: bag.rest.lazy.map(\.name))
  }

  /// The member that holds the name; `name` where none does.
  func nameMember(in bag: MemberBag) -> String {
    if chosen.isEmpty, bag.value("name") != nil { return "name" }
    return member(for: .name, in: bag) ?? "name"
  }

  /// The member that holds a position as WKT, if there is one.
  func pointMember(in bag: MemberBag) -> String? {
    if let pointColumn { return bag.value(pointColumn) == nil ? nil : pointColumn }
    return bag.rest.first { Self.isPoint($0.name) }?.name
  }

  /// Whether columns with these names tell a position.
  func findsPosition(among names: [String]) -> Bool {
    if pointColumn != nil || names.contains(where: Self.isPoint) { return true }
    return best(for: .latitude, among: names) != nil && best(for: .longitude, among: names) != nil
  }

  private static func isPoint(_ name: String) -> Bool {
    pointNames.contains(ByteKey(name.lowercased()))
  }

  /// The members of a record whose names mean something, looked up once.
  func known(in bag: MemberBag) -> [Known] {
    bag.rest.compactMap { member in
      meaning(of: member.name).map {
        Known(name: member.name, value: member.value, meaning: $0)
      }
    }
  }

  /// Gives a restaurant what it has not yet and a known member means; that goes out of the bag.
  func move(_ known: [Known], from bag: inout MemberBag, to restaurant: inout Restaurant) {
    let candidates = known.filter { !Self.isKey($0.meaning.field) }
      .sorted { $0.meaning.rank < $1.meaning.rank }
    for member in candidates where !restaurant.has(member.meaning.field) {
      // what has given the position is no longer there
      if let pointColumn, ByteKey(pointColumn) == ByteKey(member.name),
        bag.value(pointColumn) == nil
      {
        continue
      }
      guard let result = Self.reading(of: member).read(member.value),
        restaurant.assign(result.value, to: member.meaning.field)
      else { continue }
      if result.isWhole { _ = bag.take(member.name) }
    }
  }

  private func best(for field: RestaurantField, among names: some Sequence<String>) -> String? {
    var best: (name: String, rank: Int)?
    for name in names {
      guard let meaning = meaning(of: name), meaning.field == field else { continue }
      if best.map({ meaning.rank < $0.rank }) ?? true { best = (name, meaning.rank) }
    }
    return best?.name
  }

  /// What a record must have is read by itself.
  private static func isKey(_ field: RestaurantField) -> Bool {
    switch field {
    case .id, .name, .latitude, .longitude: true
    default: false
    }
  }

  private static func reading(of member: Known) -> FieldReading {
    switch member.meaning.field {
    case .category: .list(of: nil)
    case .imageURL, .website: .link
    case .rating, .ratingScale, .reviewCount: .number
    case .priceLevel: .price
    case .formattedAddress: .lines
    case .hours: .hours
    case .closed: closedReading(member.name.lowercased())
    default: .text
    }
  }

  /// Feeds have many ways to say that a place is closed for good.
  private static func closedReading(_ name: String) -> FieldReading {
    switch name {
    case "is_open": .no
    case "businessstatus", "business_status": .sign("CLOSED_PERMANENTLY")
    case "operating_status": .sign("permanently_closed")
    case "date_closed": .present
    default: .yes
    }
  }
}
