import GeoIndex
import GeoQuery

/// Reads one GeoJSON Feature (RFC 7946 §3.2) with a Point.
///
/// Properties with geoq's own keys are read; if one is missing, common names with the same meaning
/// are too. A Feature that geoq wrote keeps its source and its `extra`; `distance` and similar
/// members belonged to an answer and are dropped.
enum GeoJSONRecord {
  /// The foreign member (RFC 7946 §6.1) by which geoq recognizes its own output: in a collection,
  /// and in each Feature of a sequence.
  static let mark = JSONMember(name: "generator", value: .string("geoq"))

  private static let positionless: Set<RestaurantField> = [
    .id, .name, .latitude, .longitude, .source, .sourceID, .extra,
  ]

  private static let ownKeys: [UTF8Key: RestaurantField] = Dictionary(
    uniqueKeysWithValues: RestaurantField.allCases
      .filter { !positionless.union(RestaurantField.ofAnswers).contains($0) }
      .map { (UTF8Key($0.rawValue), $0) }
  )

  /// Keys with which other programs may mean something else.
  private static let strictReadings: [RestaurantField: FieldReading] = [
    .website: .link, .imageURL: .link, .images: .links(of: "url"), .chain: .title,
    .description: .prose,
  ]

  /// Reads a Feature with a name and a position.
  ///
  /// `isOwn` if it is in a collection that geoq wrote, so that its properties are geoq's keys.
  static func read(
    _ value: JSONValue,
    source: String,
    isOwn: Bool,
    aliases: FieldAliases
  ) throws(FeedProblem) -> RecordReading {
    var parts = try FeatureParts(value)
    var properties = parts.properties
    let isOwn = isOwn || parts.feature.value(mark.name) == mark.value
    if isOwn, properties.value(RestaurantField.gone.rawValue) == .bool(true) {
      throw FeedProblem("it is only a favorite: its restaurant has left the feed")
    }
    let hasName = isOwn || (!aliases.isChosen(.name) && properties.value("name") != nil)
    // geoq's own names first, because most Features have mostly these
    let before = hasName && !aliases.isChosen(.id) ? [] : aliases.known(in: properties)
    let named = hasName ? nil : aliases.nameMember(before, in: properties)
    guard let value = hasName ? properties.take("name") : named?.value else {
      throw .noName(in: properties.rest)
    }
    let name = try RecordReading.name(value)
    aliases.trace?(.name, named?.path ?? "name", value)
    if let named, named.meaning.field == .name { properties.take(named) }
    var restaurant = parts.position.restaurant(name, source)
    takeOwnKeys(&properties, into: &restaurant, isOwn: isOwn, but: aliases)
    let known = isOwn ? [] : aliases.known(in: properties)
    if let member = known.first(for: .id), parts.feature.value("id") == nil {
      aliases.trace?(.id, member.path, member.value)
    } else if let value = parts.feature.value("id") {
      aliases.trace?(.id, "id", value)
    }
    let chosen = aliases.isChosen(.id) ? before.first(for: .id) : nil
    let id =
      chosen.flatMap { properties.takeText($0) } ?? parts.feature.takeText("id")
      ?? properties.takeText("id")
      ?? known.first(for: .id).flatMap { properties.takeText($0) }
    if isOwn {
      _ = parts.feature.take(mark.name)
      takeOwnMembers(&properties, into: &restaurant)
    } else {
      if restaurant.category == nil, known.isAmenity {
        OpenStreetMapRecord.readCategory(&properties, &restaurant)
      }
      aliases.move(known, from: &properties, to: &restaurant)
    }
    restaurant.extra += parts.whole(properties).rest
    let warnings = parts.position.warnings
    return try RecordReading.finish(restaurant, id: id, warnings: warnings, isOwn: isOwn)
  }

  /// Takes type and coordinates; what remains (a height, a bbox) goes to extra.
  static func point(_ geometry: inout JSONFields) throws(FeedProblem) -> CoordinateReading {
    guard let type = geometry.value("type") else {
      throw FeedProblem("geometry is missing or null")
    }
    if let single = singlePoint(geometry) {
      geometry = JSONFields(nil)
      return try CoordinateReading(latitude: single.latitude, longitude: single.longitude)
    }
    if case .string(let name) = type, Outline.types.contains(UTF8Key(name)),
      let coordinates = geometry.value("coordinates")
    {
      return try Outline.point(name, coordinates)
    }
    if case .array(let parts)? = geometry.value("geometries"),
      let reading = try mainPart(of: parts)
    {
      return reading
    }
    guard type == .string("Point") else {
      throw FeedProblem("geometry is \(shortened(type.asText ?? type.kind)); a Point is needed")
    }
    guard case .array(let position)? = geometry.value("coordinates") else {
      throw FeedProblem("coordinates are missing")
    }
    guard (2...3).contains(position.count) else {
      throw FeedProblem(
        "the position has \(position.count) number\(position.count == 1 ? "" : "s"); "
          + "expected longitude, latitude, optional height"
      )
    }
    let reading = try CoordinateReading(latitude: position[1], longitude: position[0])
    _ = geometry.take("type")
    if position.count == 2 { _ = geometry.take("coordinates") }
    return reading
  }

  /// The position of a collection with one point, or without one but with an outline.
  private static func mainPart(of parts: [JSONValue]) throws(FeedProblem) -> CoordinateReading? {
    let parts = parts.map { JSONFields($0) }
    let points = parts.filter { $0.value("type") == .string("Point") }
    if points.count == 1, case .array(let place)? = points[0].value("coordinates"),
      (2...3).contains(place.count)
    {
      let found = try CoordinateReading(latitude: place[1], longitude: place[0])
      let warning = "position taken from the point of the geometries"
      return CoordinateReading(found.coordinate, warnings: found.warnings + [warning])
    }
    let outline = parts.first { Outline.types.contains(UTF8Key($0.value("type")?.asText ?? "")) }
    guard points.isEmpty, let type = outline?.value("type")?.asText,
      let coordinates = outline?.value("coordinates")
    else { return nil }
    return try Outline.point(type, coordinates)
  }

  /// The only position of a MultiPoint or a collection of points, which programs make of points.
  private static func singlePoint(
    _ geometry: JSONFields
  ) -> (latitude: JSONValue, longitude: JSONValue)? {
    func positions(_ geometry: JSONFields) -> [JSONValue]? {
      switch geometry.value("type")?.asText {
      case "Point": return geometry.value("coordinates").map { [$0] }
      case "MultiPoint":
        guard case .array(let all)? = geometry.value("coordinates") else { return nil }
        return all
      case "GeometryCollection":
        guard case .array(let all)? = geometry.value("geometries") else { return nil }
        let each = all.map { positions(JSONFields($0)) }
        return each.contains { $0 == nil } ? nil : each.flatMap { $0 ?? [] }
      default: return nil
      }
    }
    guard geometry.value("type") != .string("Point"), let all = positions(geometry),
      case .array(let place)? = all.first, (2...3).contains(place.count),
      all.allSatisfy({ $0 == all[0] })
    else { return nil }
    return (place[1], place[0])
  }

  /// Takes properties with geoq's own names and suitable values; for example, a link from another
  /// program must be one.
  private static func takeOwnKeys(
    _ properties: inout JSONFields,
    into restaurant: inout Restaurant,
    isOwn: Bool,
    but aliases: FieldAliases
  ) {
    properties.rest.removeAll { member in
      guard let field = ownKeys[UTF8Key(member.name)], isOwn || !aliases.isChosen(field) else {
        return false
      }
      let reading = isOwn ? nil : strictReadings[field]
      let result = reading.map { $0.read(member.value) } ?? .init(value: member.value)
      guard let result, restaurant.assign(result.value, to: field) else { return false }
      aliases.trace?(field, member.name, member.value)
      return result.isWhole
    }
  }

  /// Takes what geoq wrote in addition to the flat keys; later additions of users stay.
  private static func takeOwnMembers(
    _ properties: inout JSONFields,
    into restaurant: inout Restaurant
  ) {
    for field in RestaurantField.ofAnswers { _ = properties.take(field.rawValue) }
    if case .string(let source)? = properties.value("source"), !source.isEmpty {
      restaurant.source = source
      _ = properties.take("source")
    }
    if case .string(let id)? = properties.value("sourceID"), !id.isEmpty {
      restaurant.sourceID = id
      _ = properties.take("sourceID")
    }
    restaurant.extra = properties.takeObject("extra").rest
    properties.rename(namesIn: restaurant.extra)
  }
}

/// The parts of a GeoJSON Feature.
struct FeatureParts {
  let position: CoordinateReading
  let properties: JSONFields

  /// Its other members.
  var feature: JSONFields

  /// The geometry, if it says more than the position.
  private let geometry: JSONFields

  /// Reads a Feature; with `takesOutlines`, the position of a line or an area is the center of its
  /// outline.
  init(_ value: JSONValue, takesOutlines: Bool = false) throws(FeedProblem) {
    feature = JSONFields(value)
    guard case .object = value, feature.take("type") == .string("Feature") else {
      throw FeedProblem("the record is not a GeoJSON Feature")
    }
    let geometry = feature.takeObject("geometry")
    var rest = geometry
    let type = geometry.value("type")?.asText
    if takesOutlines, let type, type != "Point", let list = geometry.value("coordinates") {
      position = try CoordinateReading(middleOf: Self.corners(list))
    } else {
      position = try GeoJSONRecord.point(&rest)
    }
    self.geometry = rest.rest.isEmpty ? rest : geometry
    properties = feature.takeObject("properties")
  }

  /// Properties with what remains of the Feature, so that nothing is lost.
  func whole(_ properties: consuming JSONFields) -> JSONFields {
    properties.putBack(feature, as: "feature")
    properties.putBack(geometry, as: "geometry")
    return properties
  }

  /// All positions in a list of any depth.
  private static func corners(_ list: JSONValue) -> [(latitude: Double, longitude: Double)] {
    guard case .array(let values) = list else { return [] }
    if values.count >= 2, case .number(let east) = values[0], case .number(let north) = values[1],
      let longitude = Double(east), let latitude = Double(north)
    {
      return [(latitude, longitude)]
    }
    return values.flatMap(corners)
  }
}
