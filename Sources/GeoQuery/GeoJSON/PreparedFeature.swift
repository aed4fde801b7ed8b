package import GeoIndex

/// The bytes of a restaurant's Feature, ready to be put into any answer.
///
/// A distance has its place among the properties (`RestaurantField`'s order), so the bytes come in two
/// parts: an answer with a centre writes `,"distance":…` between them.
package struct PreparedFeature {
  /// The Feature without a distance, as `GeoJSONWriter` writes it.
  package let bytes: [UInt8]

  /// Where a distance goes: an offset into `bytes`.
  package let distanceOffset: Int

  /// The Feature of a match, with all that the match says.
  package static func bytes(of match: Match) -> [UInt8] {
    var json = JSONText()
    json.feature(match)
    return json.bytes
  }

  /// Prepares a restaurant.
  package init(_ restaurant: Restaurant) {
    var json = JSONText()
    json.feature(Match(restaurant: restaurant))
    bytes = json.bytes
    // what comes after the distance is what the fields behind it write
    let fields = RestaurantField.allCases
    let behind = fields[(fields.firstIndex(of: .distance) ?? fields.endIndex)...].dropFirst()
    var rest = JSONText()
    rest.members(of: Match(restaurant: restaurant), fields: behind)
    // the fields before always write the name, so a comma stands between the two
    let restCount = rest.bytes.isEmpty ? 0 : rest.bytes.count + 1
    distanceOffset = bytes.count - 2 - restCount
  }
}

extension JSONText {
  /// Writes a bounding box as GeoJSON has it.
  package mutating func box(_ box: BoundingBox) {
    boundingBox(box)
  }
}
