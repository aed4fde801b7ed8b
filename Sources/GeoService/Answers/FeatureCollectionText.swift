import GeoIndex
import GeoQuery

/// A FeatureCollection (RFC 7946 §3.3), put together from the prepared bytes of its Features.
struct FeatureCollectionText {
  /// What has been written so far.
  private(set) var bytes: [UInt8] = []

  /// The links of the collection.
  let links: [Link]

  private var isFirst = true

  /// Writes what comes before the Features.
  ///
  /// - Parameters:
  ///   - matched: How many restaurants the query matches, whatever its limit.
  ///   - returned: How many will be added.
  ///   - links: The links of the collection.
  ///   - timeStamp: What the collection says of its time (/req/core/fc-timeStamp); nil for nothing.
  init(matched: Int, returned: Int, links: [Link], timeStamp: String? = nil) {
    self.links = links
    var json = JSONText()
    json.raw("{\"type\":\"FeatureCollection\",\"generator\":\"geoq\",\"numberMatched\":\(matched),")
    json.raw("\"numberReturned\":\(returned),")
    if let timeStamp { json.raw("\"timeStamp\":\"\(timeStamp)\",") }
    json.links(links)
    json.raw(",\"features\":[")
    bytes.append(contentsOf: json.bytes)
  }

  /// Adds the Features at some positions.
  mutating func add(_ positions: some Collection<Int>, from data: some ServedData) {
    withExtendedLifetime(data) {
      let features = positions.map(data.feature)
      reserve(features)
      for feature in features {
        separate()
        feature.append(to: &bytes)
      }
    }
  }

  /// Adds the Features of some neighbours, with their distances.
  mutating func add(_ hits: some Collection<Neighbor>, from data: some ServedData) {
    withExtendedLifetime(data) {
      // all looked up before the first is copied: memory fetches them side by side
      let features = hits.map { data.feature(at: $0.index) }
      reserve(features)
      for (feature, hit) in zip(features, hits) {
        separate()
        feature.append(distance: hit.distance, to: &bytes)
      }
    }
  }

  /// Adds a Feature that is written already.
  mutating func add(_ feature: [UInt8]) {
    separate()
    bytes.append(contentsOf: feature)
  }

  private mutating func separate() {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\n"))
    isFirst = false
  }

  private mutating func reserve(_ features: [ServedFeature]) {
    let length = features.reduce(0) { $0 + $1.bytes.count + ServedFeature.distanceLength + 2 }
    bytes.reserveCapacity(bytes.count + length + Self.endLength)
  }

  private static let endLength = 4

  /// Writes what comes after the Features.
  mutating func end() {
    bytes.append(contentsOf: isFirst ? "]}\n".utf8 : "\n]}\n".utf8)
  }
}

extension AnswerPlan.Body {
  /// A collection as the body of an answer.
  init(_ text: FeatureCollectionText, hits: Int) {
    self.init(bytes: text.bytes, hits: hits, links: text.links)
  }
}
