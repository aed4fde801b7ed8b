import GeoQuery

/// The parts of a GeoJSON Feature that formats based on GeoJSON need.
struct FeatureParts {
  /// The Feature's own id.
  let id: String?

  /// Its position.
  let position: CoordinateReading

  /// Its properties, and the Feature's other members under `feature`.
  var properties: MemberBag

  /// Reads a Feature.
  ///
  /// - Parameters:
  ///   - value: The Feature.
  ///   - takesOutlines: Whether a line or an area has the center of its outline as its position.
  /// - Throws: `FeedProblem` if it is not a Feature or has no usable geometry.
  init(_ value: JSONValue, takesOutlines: Bool) throws(FeedProblem) {
    var feature = MemberBag(value)
    guard case .object = value, feature.take("type") == .string("Feature") else {
      throw FeedProblem("the record is not a GeoJSON Feature")
    }
    var geometry = feature.takeObject("geometry")
    let wholeGeometry = geometry
    let type = geometry.value("type")?.asText
    if takesOutlines, let type, type != "Point", let list = geometry.value("coordinates") {
      position = try CoordinateReading(middleOf: Self.corners(list))
    } else {
      position = try GeoJSONRecord.point(&geometry)
    }
    id = feature.takeID()
    properties = feature.takeObject("properties")
    properties.putBack(feature, as: "feature")
    if !geometry.rest.isEmpty { properties.putBack(wholeGeometry, as: "geometry") }
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
