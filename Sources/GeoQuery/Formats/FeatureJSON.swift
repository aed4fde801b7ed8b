public import GeoIndex

extension SearchStatistics {
  /// The counts by name, in the order of the search, for explained answers in JSON.
  public var members: [(name: String, count: Int)] {
    [
      ("nodesVisited", nodesVisited), ("nodesPruned", nodesPruned),
      ("subtreesTaken", subtreesTaken), ("leavesScanned", leavesScanned),
      ("pointsScanned", pointsScanned), ("distancesSolved", distancesSolved),
      ("longGeodesicsSolved", longGeodesicsSolved),
    ]
  }

  /// The value of `explain`.
  var json: JSONValue {
    .object(members.map { JSONMember(name: $0.name, value: .number($0.count.description)) })
  }
}

extension Match {
  /// The keys as members of an object; missing ones are omitted.
  func members(_ fields: [RestaurantField]) -> [JSONMember] {
    fields.compactMap { field in
      self[field].map { JSONMember(name: field.rawValue, value: $0) }
    }
  }
}

extension JSONWriter {
  /// The keys that are properties of a Feature.
  package static let featureProperties = RestaurantField.allCases.filter {
    ![.id, .latitude, .longitude].contains($0)
  }

  /// Writes a Feature (RFC 7946 §3.2).
  ///
  /// The coordinate is the feed's, in the shortest decimals of the same double. `leading` are
  /// properties before those of the restaurant.
  package mutating func feature(
    _ match: Match,
    with mark: JSONMember? = nil,
    properties: [RestaurantField] = featureProperties,
    leading: [JSONMember] = []
  ) {
    raw("{\"type\":\"Feature\",")
    if let mark { members([mark]) }
    raw("\"id\":")
    string(match.restaurant.id)
    // longitude first: only here, in `boundingBox` and in `FeatureWriter`
    let point = match.restaurant.coordinate
    raw(",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(point.longitude),\(point.latitude)]}")
    raw(",\"properties\":")
    value(.object(leading + match.members(properties)))
    raw("}")
  }

  /// A document with a list, an item per line: `{members,"name":[…]}`.
  static func document(
    _ members: [JSONMember],
    _ listName: String,
    _ items: [[JSONMember]]
  ) -> [UInt8] {
    var json = JSONWriter()
    json.raw("{")
    json.members(members)
    json.name(listName)
    json.lines(items) { $0.value(.object($1)) }
    return json.bytes
  }

  /// Writes a bounding box (§5): west, south, east, north; -180 to 180 if it is world-wide.
  package mutating func boundingBox(_ box: BoundingBox) {
    raw("[" + box.readableSides.map(\.description).joined(separator: ",") + "]")
  }
}

extension BoundingBox {
  /// West, south, east and north, for an answer.
  ///
  /// The smallest arc around places all over the world may begin anywhere: one that crosses the
  /// antimeridian and is wider than 300° is written as -180 to 180.
  package var readableSides: [Double] {
    let isWorldWide = west > east && east + 360 - west > 300
    return isWorldWide ? [-180, south, 180, north] : [west, south, east, north]
  }
}

extension JSONMember {
  /// The foreign member (RFC 7946 §6.1) by which geoq recognizes its own collections and sequences.
  package static let geoqMark = JSONMember(name: "generator", value: .string("geoq"))
}
