package import GeoIndex

/// The only place that writes longitude first.
extension JSONText {
  private static let propertyFields = RestaurantField.allCases.filter {
    ![.id, .latitude, .longitude].contains($0)
  }
  private static let feedFields = propertyFields.filter { $0 != .source }

  /// Writes a Feature (RFC 7946 §3.2).
  ///
  /// The coordinate is the feed's, in the shortest decimals that give the same double; the flat
  /// keys are properties, except the source if the Feature is for a feed. `leading` are properties
  /// that come before those of the restaurant.
  package mutating func feature(
    _ match: Match,
    with mark: JSONMember? = nil,
    isFeed: Bool = false,
    leading: [JSONMember] = []
  ) {
    raw("{\"type\":\"Feature\",")
    if let mark {
      member(mark)
      raw(",")
    }
    raw("\"id\":")
    string(match.restaurant.id)
    raw(",\"geometry\":")
    point(match.restaurant.coordinate)
    raw(",\"properties\":{")
    for property in leading {
      member(property)
      raw(",")
    }
    let fields = isFeed ? Self.feedFields : Self.propertyFields
    members(of: match, fields: fields)
    raw("}}")
  }

  /// Writes a Point (§3.1.2).
  mutating func point(_ coordinate: Coordinate) {
    raw("{\"type\":\"Point\",\"coordinates\":[\(coordinate.longitude),\(coordinate.latitude)]}")
  }

  /// Writes a bounding box (§5): west, south, east, north; -180 to 180 if it is world-wide.
  package mutating func boundingBox(_ box: BoundingBox) {
    raw("[" + box.readableSides.map(\.description).joined(separator: ",") + "]")
  }
}

extension BoundingBox {
  /// West, south, east and north, for an answer.
  ///
  /// The smallest arc around places all over the world may begin and end anywhere: one that crosses the
  /// antimeridian and is wider than 300° is written as -180 to 180.
  package var readableSides: [Double] {
    let isWorldWide = west > east && east + 360 - west > 300
    return isWorldWide ? [-180, south, 180, north] : [west, south, east, north]
  }
}

extension JSONMember {
  /// The foreign member (RFC 7946 §6.1) by which geoq recognizes its own output: in a collection,
  /// and in each Feature of a sequence.
  package static let geoqMark = JSONMember(name: "generator", value: .string("geoq"))
}
