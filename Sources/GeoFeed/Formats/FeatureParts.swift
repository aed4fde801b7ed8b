import GeoQuery

/// A GeoJSON Feature taken apart: what a format built on GeoJSON needs of it.
struct FeatureParts {
  /// The Feature's own id.
  let id: String?

  /// Where it is.
  let position: CoordinateReading

  /// Its properties, and what else the Feature has under `feature`.
  var properties: MemberBag

  /// Takes a Feature apart.
  ///
  /// - Parameters:
  ///   - value: The Feature.
  ///   - takesOutlines: Whether a line or an area counts as the middle of its outline.
  /// - Throws: `FeedProblem` where it is none or has no usable geometry.
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

  /// All positions of a list of any depth.
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
