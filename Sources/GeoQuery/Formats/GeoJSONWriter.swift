package import GeoIndex

/// Writes a FeatureCollection (RFC 7946 §3.3), a Feature per line.
///
/// The collection's `bbox` goes by the smallest arc, so it has west > east where that arc crosses the
/// antimeridian (§5.2); an empty collection has none.
struct GeoJSONWriter: MatchWriter {
  private var json = JSONText()
  private var isFirst = true
  private let mark: JSONMember?

  /// - Parameter mark: The member by which geoq recognizes its own collections; nil for a feed.
  init(mark: JSONMember? = JSONMember.geoqMark) {
    self.mark = mark
  }

  var pendingCount: Int { json.bytes.count }

  mutating func begin(_ summary: AnswerSummary) {
    json.raw("{\"type\":\"FeatureCollection\",")
    if let mark {
      json.member(mark)
      json.raw(",")
    }
    if let box = summary.extent {
      json.raw("\"bbox\":")
      json.boundingBox(box)
      json.raw(",")
    }
    json.raw("\"features\":[")
  }

  mutating func write(_ match: Match) {
    json.raw(isFirst ? "\n" : ",\n")
    isFirst = false
    json.feature(match, isFeed: mark == nil)
  }

  mutating func write(_ page: Page, at index: Int) throws(SnapshotError) {
    // a feed's Features do not have the record's source
    guard mark != nil else { return write(try page.match(at: index)) }
    json.raw(isFirst ? "\n" : ",\n")
    isFirst = false
    let hit = page.hits[index]
    json.append {
      page.snapshot.appendFeature(at: hit.position, distance: hit.distance, to: &$0)
    }
  }

  mutating func end() {
    json.raw(isFirst ? "]}\n" : "\n]}\n")
  }

  mutating func takeBytes() -> [UInt8] { json.takeBytes() }
}

/// Writes a GeoJSON text sequence (RFC 8142): each Feature after 0x1E and ended by a line feed.
struct GeoJSONSeqWriter: MatchWriter {
  private var json = JSONText()
  private let mark: JSONMember?

  /// - Parameter mark: The member by which geoq recognizes its own Features; nil for a feed.
  init(mark: JSONMember? = JSONMember.geoqMark) {
    self.mark = mark
  }

  var pendingCount: Int { json.bytes.count }

  mutating func begin(_ summary: AnswerSummary) {}

  mutating func write(_ match: Match) {
    json.raw("\u{1E}")
    json.feature(match, with: mark, isFeed: mark == nil)
    json.raw("\n")
  }

  mutating func write(_ page: Page, at index: Int) throws(SnapshotError) {
    // a feed's Features do not have the record's source
    guard let mark else { return write(try page.match(at: index)) }
    let hit = page.hits[index]
    var feature: [UInt8] = []
    page.snapshot.appendFeature(at: hit.position, distance: hit.distance, to: &feature)
    // the mark comes after the type, which all records begin with
    json.raw("\u{1E}{\"type\":\"Feature\",")
    json.member(mark)
    json.raw(",")
    json.append { $0.append(contentsOf: feature.dropFirst(Self.start.count)) }
    json.raw("\n")
  }

  private static let start = Array("{\"type\":\"Feature\",".utf8)

  mutating func end() {}

  mutating func takeBytes() -> [UInt8] { json.takeBytes() }
}

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
