import GeoQuery

/// The meanings of a record's members: those chosen by the user, otherwise by name
/// (`ColumnAliases`).
///
/// Of several names for one key, the first in its list is used.
final class MemberSynonyms {
  typealias Meaning = ColumnAliases.Meaning

  /// A member of a record and the meaning of its name.
  struct Known {
    let name: String
    /// The name of the inner member, if that is meant.
    var inner: String?
    var value: JSONValue
    var meaning = Meaning(field: .extra, rank: .max)

    /// The names of the member and of the inner one.
    var path: String { inner.map { name + "." + $0 } ?? name }
  }

  private let chosen: [UTF8Key: [RestaurantField]]
  private let taken: Set<RestaurantField>
  private let pointColumn: UTF8Key?
  private let memo = NameMemo()

  /// The order of two numbers in one value; nil for the usual one.
  var order: PairOrder?

  /// Is told which member a key is read from.
  var trace: ((RestaurantField, String, JSONValue) -> Void)?

  private let columns: ChosenColumns

  /// The same meanings, without what is remembered.
  func copy() -> MemberSynonyms {
    let copy = MemberSynonyms(columns)
    copy.order = order
    return copy
  }

  init(_ columns: ChosenColumns = ChosenColumns()) {
    self.columns = columns
    var chosen: [UTF8Key: [RestaurantField]] = [:]
    for field in RestaurantField.allCases {
      if let name = columns.names[field] { chosen[Self.key(name), default: []].append(field) }
    }
    self.chosen = chosen
    taken = Set(columns.names.keys)
    pointColumn = columns.point.map(Self.key)
  }

  /// Whether the user chose a member for a key.
  func isChosen(_ field: RestaurantField) -> Bool { taken.contains(field) }

  /// Whether the user chose a member for `name`.
  var namesName: Bool { taken.contains(.name) }

  private static func key(_ name: String) -> UTF8Key { UTF8Key(bareName(name)) }

  /// The meaning of a name by itself, if it has one.
  private func meaning(of key: UTF8Key) -> Meaning? {
    guard let meaning = ColumnAliases.common[key], !taken.contains(meaning.field) else {
      return nil
    }
    return meaning
  }

  /// The member with a position in one value, if there is one.
  func pointMember(in bag: MemberBag) -> String? {
    if let pointColumn { return bag.rest.first { Self.key($0.name) == pointColumn }?.name }
    let keys = bag.rest.lazy.map { (member: $0, key: Self.key($0.name)) }
    if let found = keys.first(where: { ColumnAliases.points.contains($0.key) }) {
      return found.member.name
    }
    return keys.first {
      ColumnAliases.possiblePoints.contains($0.key)
        && CoordinateReading.isPoint($0.member.value, named: $0.member.name)
    }?.member.name
  }

  /// Whether the members include a position.
  func findsPosition(in members: [JSONMember]) -> Bool {
    let keys = members.map { Self.key($0.name) }
    if pointColumn != nil || keys.contains(where: ColumnAliases.points.contains) { return true }
    let known = known(in: MemberBag(.object(members)))
    if known.first(for: .latitude) != nil, known.first(for: .longitude) != nil { return true }
    return zip(members, keys).contains {
      ColumnAliases.possiblePoints.contains($1)
        && CoordinateReading.isPoint($0.value, named: $0.name)
    }
  }

  /// Whether columns with these names include the name of a restaurant.
  func findsName(among names: [String]) -> Bool {
    let keys = names.map(Self.key)
    return finds(.name, among: keys) || keys.contains("names") || isNamedByCity(keys)
  }

  /// Whether a column has numbers that may have decimals.
  func isDecimal(_ name: String) -> Bool {
    let key = Self.key(name)
    let fields = (chosen[key] ?? []) + [meaning(of: key)?.field].compactMap(\.self)
    return !fields.allSatisfy { ![.latitude, .longitude, .rating, .ratingScale].contains($0) }
  }

  /// Whether a column has what each record needs: its id, its name, a part of its position.
  func isNeeded(_ name: String) -> Bool {
    let keys = [Self.key(name)]
    return [.id, .name, .latitude, .longitude].contains { finds($0, among: keys) }
  }

  /// Whether a name is that of an id.
  static func isID(_ name: String) -> Bool { ColumnAliases.common[key(name)]?.field == .id }

  /// Whether a column has whole numbers.
  func isCount(_ name: String) -> Bool { finds(.reviewCount, among: [Self.key(name)]) }

  private func finds(_ field: RestaurantField, among keys: [UTF8Key]) -> Bool {
    keys.contains { chosen[$0]?.contains(field) == true || meaning(of: $0)?.field == field }
  }

  /// Whether a table is one of cities, in which only the city is a name.
  private func isNamedByCity(_ keys: [UTF8Key]) -> Bool {
    keys.contains("city") && !keys.contains("brand") && !finds(.address, among: keys)
  }

  /// The member with the name.
  ///
  /// A branch without a name has the name of its brand, except in a table, whose header shows what
  /// it has.
  func nameMember(_ known: [Known], in bag: MemberBag, isTable: Bool = false) -> Known? {
    if let found = known.first(for: .name) { return found }
    if !isTable, !namesName, let brand = bag.value("brand") {
      return Known(name: "brand", value: brand)
    }
    guard let city = known.first(for: .city), isNamedByCity(bag.rest.map { Self.key($0.name) })
    else { return nil }
    return city
  }

  /// The members of a record whose names have a meaning, looked up once.
  ///
  /// This includes those of its objects, by both names: `address.street` is the street.
  func known(in bag: MemberBag) -> [Known] {
    var known: [Known] = []
    known.reserveCapacity(bag.rest.count)
    var place = 0
    for member in bag.rest {
      for meaning in memo.meanings(of: member.name, from: &place, else: meanings) {
        known.append(Known(name: member.name, value: member.value, meaning: meaning))
      }
      guard case .object(let members) = member.value, members.count <= 64 else { continue }
      for inner in members where !inner.value.isNull {
        for meaning in meanings(of: member.name + "." + inner.name) {
          known.append(
            Known(name: member.name, inner: inner.name, value: inner.value, meaning: meaning)
          )
        }
      }
    }
    return known
  }

  /// Whether a member has a meaning, by its own name or by those of its members.
  func knows(_ member: JSONMember) -> Bool {
    let key = Self.key(member.name)
    if key == pointColumn || ColumnAliases.points.contains(key) { return true }
    return !known(in: MemberBag(.object([member]))).isEmpty
  }

  /// The meanings of a name: the user's, then its own.
  private func meanings(of name: String) -> [Meaning] {
    let key = Self.key(name)
    let isStreet = ColumnAliases.streets.contains(key)
    let named = (chosen[key] ?? []).map { Meaning(field: $0, rank: -1, isStreet: isStreet) }
    // Esri's OBJECTID is the number of a row, which another export changes
    if key == "objectid", UTF8Key(name) != "objectID" { return named }
    return named + [meaning(of: key)].compactMap(\.self)
  }

  /// Assigns known members to a restaurant's missing keys, and removes them from the bag.
  func move(_ known: [Known], from bag: inout MemberBag, to restaurant: inout Restaurant) {
    let candidates = known.indices.filter {
      !Self.isKey(known[$0].meaning.field) && !known[$0].meaning.isHouseNumber
    }
    .sorted { (known[$0].meaning.rank, $0) < (known[$1].meaning.rank, $1) }
    var hasStreet = false
    for position in candidates where !restaurant.has(known[position].meaning.field) {
      let member = known[position]
      // the member with the position is no longer there
      if let pointColumn, Self.key(member.name) == pointColumn, bag.value(member.name) == nil {
        continue
      }
      guard let result = Self.reading(of: member).read(member.value),
        restaurant.assign(result.value, to: Self.field(of: member))
      else { continue }
      trace?(Self.field(of: member), member.path, member.value)
      if result.isWhole { bag.take(member) }
      hasStreet = hasStreet || member.meaning.isStreet
      if let scale = result.scale, restaurant.ratingScale == nil { restaurant.ratingScale = scale }
    }
    if hasStreet { Self.addHouseNumber(known, from: &bag, to: &restaurant) }
  }

  /// Adds a house number to its street, in the order of the country.
  private static func addHouseNumber(
    _ known: [Known],
    from bag: inout MemberBag,
    to restaurant: inout Restaurant
  ) {
    guard let member = known.first(where: \.meaning.isHouseNumber),
      let number = member.value.asText?.trimmed, !number.isEmpty, number.utf8.count <= 16,
      number.utf8.contains(where: { (0x30...0x39).contains($0) }),
      let street = restaurant.address.street, !HouseNumber.isIn(street)
    else { return }
    restaurant.address.street = HouseNumber(number).joined(to: street, of: restaurant)
    bag.take(member)
  }

  /// Whether a key is one that records must have, which is read separately.
  private static func isKey(_ field: RestaurantField) -> Bool {
    switch field {
    case .id, .name, .latitude, .longitude: true
    default: false
    }
  }

  /// The key to which a member is assigned: a list of pictures is not assigned to the first one
  /// alone.
  private static func field(of member: Known) -> RestaurantField {
    let field = member.meaning.field
    guard field == .imageURL, let elements = FieldReading.elements(member.value),
      elements.count > 1
    else { return field }
    return .images
  }

  private static func reading(of member: Known) -> FieldReading {
    switch field(of: member) {
    case .postalCode where ColumnAliases.shortCodes.contains(key(member.name)): .postalCode
    case .country where key(member.name) == "land": .letters
    case .category: .list(of: nil)
    case .countryCode: .letters
    case .imageURL, .website: .link
    case .images: .links(of: "url")
    case .chain: .title
    case .description: member.meaning.rank < 0 ? .text : .prose
    case .rating: .rating
    case .ratingScale, .reviewCount: .number
    case .priceLevel: .price
    case .formattedAddress: .lines
    case .hours: .hours
    case .closed: closedReading(bareName(member.name))
    default: .text
    }
  }

  /// The reading of a flag for closed places, which feeds write in many ways.
  private static func closedReading(_ name: String) -> FieldReading {
    switch UTF8Key(name) {
    case "isopen": .no
    case "businessstatus": .sign("CLOSED_PERMANENTLY")
    case "operatingstatus": .sign("permanently_closed")
    case "dateclosed", "closedon": .present
    default: .yes
    }
  }
}

extension [MemberSynonyms.Known] {
  /// The member for a key; if there are several, the first of its list.
  func first(for field: RestaurantField) -> Element? {
    var best: Int?
    for position in indices where self[position].meaning.field == field {
      let meaning = self[position].meaning
      if meaning.isHouseNumber { continue }
      // the key of an object is one of its inner members: `{"$oid": "5a"}`
      if case .object = self[position].value, [.id, .latitude, .longitude].contains(field) {
        continue
      }
      if best.map({ meaning.rank < self[$0].meaning.rank }) ?? true { best = position }
    }
    return best.map { self[$0] }
  }
}

extension MemberBag {
  /// Takes a member, or only one of its inner members.
  mutating func take(_ known: MemberSynonyms.Known) {
    if let inner = known.inner { remove([known.name, inner]) } else { _ = take(known.name) }
  }
}

/// Remembers the meanings of names, because most records have the same names in the same order.
final class NameMemo {
  private var entries: [(name: String, meanings: [ColumnAliases.Meaning])] = []
  private static let maximumCount = 128
  private static let maximumStep = 16

  /// The meanings of a name.
  ///
  /// - Parameters:
  ///   - name: The name of a member.
  ///   - place: Where to look for the names that follow; 0 at the start of a record.
  ///   - find: Finds the meanings of a name that is not remembered.
  /// - Returns: The meanings, the user's first.
  func meanings(
    of name: String,
    from place: inout Int,
    else find: (String) -> [ColumnAliases.Meaning]
  ) -> [ColumnAliases.Meaning] {
    let key = UTF8Key(name)
    var next = place
    while next < entries.count, next < place + Self.maximumStep {
      if UTF8Key(entries[next].name) == key {
        place = next + 1
        return entries[next].meanings
      }
      next += 1
    }
    let meanings = find(name)
    if entries.count < Self.maximumCount, name.utf8.count <= 64 {
      entries.insert((name, meanings), at: place)
      place += 1
    }
    return meanings
  }
}
