import GeoQuery

/// Reads a record in no special format: a row of a table, or an object with members of common
/// names.
struct GeneralRecord {
  let aliases: FieldAliases

  /// Whether every value is a text, as in a table.
  let isTable: Bool

  func read(_ value: JSONValue, source: String) throws(FeedProblem) -> RecordReading {
    var fields = try JSONFields(record: value)
    var known = aliases.known(in: fields)
    guard let named = aliases.nameMember(known, in: fields, isTable: isTable) else {
      if fields.find(["names", "primary"]) != nil {
        let position = try position(&fields, &known).reading
        return try RecordShape.overture.read(fields, at: position, source: source)
      }
      throw isTable ? FeedProblem("name is missing") : .noName(in: fields.rest)
    }
    let name = try RecordReading.name(named.value)
    aliases.trace?(.name, named.path, named.value)
    // a city or brand that is used as the name stays
    if named.meaning.field == .name { fields.take(named) }
    let (position, address) = try position(&fields, &known)
    var restaurant = position.restaurant(name, source)
    let id = Self.id(known.first(for: .id), in: &fields)
    if let id, let member = known.first(for: .id) {
      aliases.trace?(.id, member.path, .string(id))
    }
    if known.isAmenity { OpenStreetMapRecord.readCategory(&fields, &restaurant) }
    aliases.move(known, from: &fields, to: &restaurant)
    for (part, field) in address.rest.isEmpty ? [] : Self.addressParts
    where restaurant[field] == nil {
      if let value = address.value(part) { _ = restaurant.assign(value, to: field) }
    }
    restaurant.extra = fields.rest
    return try RecordReading.finish(restaurant, id: id, warnings: position.warnings)
  }

  /// The id; of OpenStreetMap's elements with the kind: `node/17`.
  private static func id(_ known: FieldAliases.Known?, in fields: inout JSONFields) -> String? {
    guard let known, let text = fields.takeText(known) else { return nil }
    let types = ["@id": "@type", "osm_id": "osm_type"]
    let type = types[known.name].flatMap { fields.value($0)?.asText }
    guard let type, ["node", "way", "relation"].contains(type), Int(text) != nil else {
      return text
    }
    return "\(type)/\(text)"
  }

  private static let addressParts: [(String, RestaurantField)] = [
    ("address", .address), ("city", .city), ("state", .state), ("zip", .postalCode),
  ]

  /// The member with the position in one value, unless latitude and longitude are members of their own.
  private func pointMember(
    _ fields: JSONFields,
    _ latitude: FieldAliases.Known?,
    _ longitude: FieldAliases.Known?
  ) -> String? {
    let isDirect = latitude?.inner == nil && longitude?.inner == nil
    guard !isDirect || latitude == nil || longitude == nil else { return nil }
    return aliases.pointMember(in: fields)
  }

  /// The two numbers in one value that are the position, if they are.
  func pair(of value: JSONValue) -> NumberPair? {
    let fields = JSONFields(value)
    let known = aliases.known(in: fields)
    guard
      let point = pointMember(fields, known.first(for: .latitude), known.first(for: .longitude)),
      let value = fields.value(point)
    else { return nil }
    return NumberPair(value, named: point)
  }

  /// Reads the position of a record that needs no name.
  func position(of value: JSONValue) throws(FeedProblem) -> CoordinateReading {
    var fields = try JSONFields(record: value)
    var known = aliases.known(in: fields)
    return try position(&fields, &known).reading
  }

  /// Takes the position: two numbers, or one value, which may contain an address in exports of
  /// Socrata.
  ///
  /// A text before the position stays.
  private func position(
    _ fields: inout JSONFields,
    _ known: inout [FieldAliases.Known]
  ) throws(FeedProblem) -> (reading: CoordinateReading, address: JSONFields) {
    let latitude = known.first(for: .latitude)
    let longitude = known.first(for: .longitude)
    if let point = pointMember(fields, latitude, longitude), let value = fields.value(point) {
      let reading = try CoordinateReading(point: value, named: point, order: aliases.order)
      aliases.trace?(.latitude, point, value)
      aliases.trace?(.longitude, point, value)
      if case .string(let text) = value, let rest = CoordinateReading.text(besidePointIn: text) {
        // an address with the position at its end
        fields.change(point) {
          $0 = .string(rest)
          return true
        }
        for index in known.indices where UTF8Key(known[index].name) == UTF8Key(point) {
          known[index].value = .string(rest)
        }
        return (reading, JSONFields(nil))
      }
      var inner = JSONFields(fields.take(point))
      inner.rest = Self.besidePosition(inner.rest)
      var address: JSONValue?
      if case .string(let text)? = inner.value("human_address") {
        address = JSONValue(nestedIn: text)
      }
      if address != nil { _ = inner.take("human_address") }
      fields.putBack(inner, as: point)
      return (reading, JSONFields(address))
    }
    let reading = try CoordinateReading(
      latitude: latitude?.value,
      longitude: longitude?.value,
      isText: isTable
    )
    for member in [latitude, longitude].compactMap(\.self) {
      aliases.trace?(member.meaning.field, member.path, member.value)
      fields.take(member)
    }
    return (reading, JSONFields(nil))
  }

  /// The members of a position that are none of its parts.
  private static func besidePosition(_ members: [JSONMember]) -> [JSONMember] {
    members.compactMap { member in
      guard pointMembers.contains(UTF8Key(member.name)) else { return member }
      guard case .object(let inner) = member.value else { return nil }
      let rest = besidePosition(inner)
      return rest.isEmpty ? nil : JSONMember(name: member.name, value: .object(rest))
    }
  }

  private static let pointMembers: Set<UTF8Key> = [
    "type", "coordinates", "coordinate", "latitude", "longitude", "lat", "lon", "lng", "long",
  ]
}

extension [FieldAliases.Known] {
  /// Whether the category is OpenStreetMap's `amenity`, to which a `cuisine` adds.
  var isAmenity: Bool {
    first(for: .category).map { UTF8Key($0.name) == "amenity" } ?? false
  }
}
