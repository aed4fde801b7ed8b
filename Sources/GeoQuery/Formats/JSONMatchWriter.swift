public import GeoIndex

/// Writes `json`, `jsonl`, `geojson` or `geojsonseq`.
///
/// - `json`: `{"schema":"geoq.matches/1","count":n,"items":[…]}`, one item per line, with the cursor of the
///   next page as `"next"` and `"explain":{…}` before the items, if the answer has them.
/// - `jsonl`: the items of `json`, one per line.
/// - `geojson`: a FeatureCollection (RFC 7946 §3.3), one Feature per line. Its `bbox` goes by the smallest
///   arc, so it has west > east where that arc crosses the antimeridian (§5.2); an empty collection has none.
/// - `geojsonseq`: a GeoJSON text sequence (RFC 8142), each Feature after 0x1E and ended by a line feed.
struct JSONMatchWriter: MatchWriter {
  /// The members of a document around its list, which in GeoJSON are foreign members (RFC 7946 §6.1).
  struct Frame {
    let schema: String
    let listName: String

    /// The members before the list, and after it.
    let head: [JSONMember]
    let tail: [JSONMember]
  }

  /// Values of the next restaurant in addition to its keys: after them in JSON, before them in GeoJSON.
  var notes: [JSONMember] = []

  private let format: AnswerFormat
  private let fields: [RestaurantField]
  private let frame: Frame?
  private let isFeed: Bool
  private var json = JSONWriter()
  private var isFirst = true

  /// - Parameters:
  ///   - format: One of the formats above.
  ///   - fields: The keys in `json` and `jsonl`; nil for all.
  ///   - frame: The document; nil for `geoq.matches/1`.
  ///   - isFeed: Whether GeoJSON has neither the member by which geoq recognizes its own output nor sources.
  init(
    _ format: AnswerFormat,
    fields: [RestaurantField]? = nil,
    frame: Frame? = nil,
    isFeed: Bool = false
  ) {
    self.format = format
    self.fields = fields ?? RestaurantField.allCases
    self.frame = frame
    self.isFeed = isFeed
  }

  var pendingCount: Int { json.bytes.count }

  mutating func begin(_ summary: AnswerSummary) {
    switch format {
    case .json:
      json.raw("{\"schema\":\"\(frame?.schema ?? "geoq.matches/1")\",")
      json.members(frame?.head ?? summary.members)
      json.raw("\"\(frame?.listName ?? "items")\":[")
    case .geojson:
      json.raw("{\"type\":\"FeatureCollection\",")
      if !isFeed { json.members([.geoqMark]) }
      if let frame { json.members(frame.head + frame.tail) }
      if let box = summary.extent {
        json.raw("\"bbox\":")
        json.boundingBox(box)
        json.raw(",")
      }
      json.raw("\"features\":[")
    default: break
    }
  }

  mutating func write(_ match: Match) {
    beginItem()
    switch format {
    case .geojson: json.feature(match, isFeed: isFeed, leading: notes)
    case .geojsonseq:
      json.feature(match, with: isFeed ? nil : .geoqMark, isFeed: isFeed, leading: notes)
    default: json.object(of: match, fields: fields, notes: notes)
    }
    endItem()
  }

  mutating func write(_ page: Page, at index: Int) throws(SnapshotError) {
    // a feed's Features do not have the record's source
    guard format == .geojson || format == .geojsonseq, !isFeed else {
      return write(try page.match(at: index))
    }
    let hit = page.hits[index]
    beginItem()
    if format == .geojson {
      json.append {
        page.snapshot.appendFeature(at: hit.position, distance: hit.distance, to: &$0)
      }
    } else {
      var feature: [UInt8] = []
      page.snapshot.appendFeature(at: hit.position, distance: hit.distance, to: &feature)
      // the mark comes after the type, which all records begin with
      json.raw(Self.start)
      json.members([.geoqMark])
      json.append { $0.append(contentsOf: feature.dropFirst(Self.start.utf8.count)) }
    }
    endItem()
  }

  private static let start = "{\"type\":\"Feature\","

  mutating func end() {
    guard format == .json || format == .geojson else { return }
    json.raw(isFirst ? "]" : "\n]")
    if format == .json {
      for member in frame?.tail ?? [] {
        json.raw(",")
        json.member(member)
      }
    }
    json.raw("}\n")
  }

  mutating func takeBytes() -> [UInt8] { json.takeBytes() }

  private mutating func beginItem() {
    switch format {
    case .json, .geojson:
      json.raw(isFirst ? "\n" : ",\n")
      isFirst = false
    case .geojsonseq: json.raw("\u{1E}")
    default: break
    }
  }

  private mutating func endItem() {
    if format == .jsonl || format == .geojsonseq { json.raw("\n") }
  }
}

extension AnswerSummary {
  /// The members of `geoq.matches/1` before its list.
  fileprivate var members: [JSONMember] {
    var members: [JSONMember] = []
    members.add("count", count)
    members.add("next", next)
    members.add("explain", statistics?.json)
    return members
  }
}

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

extension JSONWriter {
  /// Writes a match's keys as members, without the braces; missing ones are omitted.
  mutating func members(
    of match: Match,
    fields: some Sequence<RestaurantField>,
    notes: [JSONMember] = []
  ) {
    var isFirst = true
    for field in fields {
      if let text = match.restaurant.text(field) {
        begin(field, &isFirst)
        string(text)
        continue
      }
      guard let value = match[field] else { continue }
      begin(field, &isFirst)
      self.value(value)
    }
    for note in notes {
      if !isFirst { raw(",") }
      isFirst = false
      member(note)
    }
  }

  /// Writes a key, which needs no escapes, and what comes before its value.
  private mutating func begin(_ field: RestaurantField, _ isFirst: inout Bool) {
    raw(isFirst ? "\"" : ",\"")
    isFirst = false
    raw(field.rawValue)
    raw("\":")
  }

  /// Writes a match as one flat object.
  mutating func object(
    of match: Match,
    fields: some Sequence<RestaurantField>,
    notes: [JSONMember] = []
  ) {
    raw("{")
    members(of: match, fields: fields, notes: notes)
    raw("}")
  }

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
    if let mark { members([mark]) }
    raw("\"id\":")
    string(match.restaurant.id)
    // longitude first: only here, in `boundingBox` and in `FeatureWriter`
    let point = match.restaurant.coordinate
    raw(",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(point.longitude),\(point.latitude)]}")
    raw(",\"properties\":{")
    members(leading)
    members(of: match, fields: isFeed ? Self.feedFields : Self.propertyFields)
    raw("}}")
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
