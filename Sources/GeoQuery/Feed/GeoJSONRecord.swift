import GeoIndex

/// Reads one GeoJSON Feature (RFC 7946 §3.2) with a Point.
///
/// Properties whose names are geoq's own keys are taken; `title`, `amenity` and `cuisine` stand in
/// for a missing name or category. A Feature that geoq wrote (string id, a `source`, and no member
/// outside geoq's keys) keeps its source; its `distance` belonged to an answer and is dropped.
enum GeoJSONRecord {
  private static let positionless: Set<RestaurantField> = [
    .id, .name, .latitude, .longitude, .distance, .source, .extra,
  ]

  private static let ownNames = Set(
    RestaurantField.allCases.map(\.rawValue)
  ).subtracting(["id", "latitude", "longitude"])

  /// Reads a Feature.
  ///
  /// - Throws: `FeedProblem` where it is no Feature, has no usable name, or no Point.
  static func read(_ value: JSONValue, source: String) throws(FeedProblem) -> RecordReading {
    var feature = MemberBag(value)
    guard case .object = value, feature.take("type") == .string("Feature") else {
      throw FeedProblem("the record is not a GeoJSON Feature")
    }
    var geometry = feature.takeObject("geometry")
    let wholeGeometry = geometry
    let reading = try point(&geometry, in: feature)
    var properties = feature.takeObject("properties")
    let isOwn = isWrittenByGeoq(feature, properties, geometry)

    let name = try RecordReading.name(properties.take("name") ?? properties.take("title"))
    var restaurant = Restaurant(
      id: "",
      name: name,
      coordinate: reading.coordinate,
      source: source
    )
    for field in RestaurantField.allCases where !positionless.contains(field) {
      properties.move(field.rawValue, to: field, of: &restaurant)
    }
    for synonym in ["amenity", "cuisine"] where restaurant.category == nil {
      properties.move(synonym, to: .category, of: &restaurant)
    }
    let id = feature.takeID() ?? properties.takeID()
    if isOwn {
      takeOwnMembers(&properties, into: &restaurant)
    } else {
      properties.putBack(feature, as: "feature")
      if !geometry.rest.isEmpty { properties.putBack(wholeGeometry, as: "geometry") }
      restaurant.extra = properties.rest
    }
    return try RecordReading.finish(restaurant, id: id, warnings: reading.warnings)
  }

  /// Takes type and coordinates; what is left in the bag (a height, a bbox) goes to extra.
  private static func point(
    _ geometry: inout MemberBag,
    in feature: MemberBag
  ) throws(FeedProblem) -> CoordinateReading {
    guard let type = geometry.value("type") else {
      throw FeedProblem("geometry is missing or null")
    }
    guard type == .string("Point") else {
      throw FeedProblem("geometry is \(type.asText ?? type.kind); a Point is needed")
    }
    guard case .array(let position)? = geometry.value("coordinates") else {
      throw FeedProblem("coordinates are missing")
    }
    guard (2...3).contains(position.count) else {
      throw FeedProblem(
        "the position has \(position.count) numbers; expected longitude, latitude and at most a height"
      )
    }
    let reading = try CoordinateReading(latitude: position[1], longitude: position[0])
    _ = geometry.take("type")
    if position.count == 2 { _ = geometry.take("coordinates") }
    return reading
  }

  private static func isWrittenByGeoq(
    _ feature: MemberBag,
    _ properties: MemberBag,
    _ geometry: MemberBag
  ) -> Bool {
    guard feature.rest.count == 1, case .string(let id)? = feature.value("id"), !id.isEmpty,
      case .string(let source)? = properties.value("source"), !source.isEmpty,
      geometry.rest.isEmpty
    else { return false }
    if let extra = properties.value("extra"), MemberBag(extra).rest.isEmpty { return false }
    return properties.rest.allSatisfy { ownNames.contains($0.name) }
  }

  private static func takeOwnMembers(
    _ properties: inout MemberBag,
    into restaurant: inout Restaurant
  ) {
    _ = properties.take("distance")
    if case .string(let source)? = properties.take("source") { restaurant.source = source }
    let extra = properties.takeObject("extra")
    // what has geoq's name but not its type stays beside the members of extra
    restaurant.extra = extra.rest + properties.rest.filter { extra.value($0.name) == nil }
  }
}
