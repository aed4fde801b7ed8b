import GeoIndex

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
