import GeoQuery

/// A FeatureCollection (RFC 7946 §3.3), put together from the prepared bytes of its Features.
struct FeatureCollectionText {
  /// What has been written so far.
  private(set) var bytes: [UInt8] = []

  private var isFirst = true

  /// Writes what comes before the Features.
  ///
  /// - Parameters:
  ///   - matched: How many restaurants the query matches, whatever its limit.
  ///   - returned: How many will be added.
  ///   - links: The links of the collection.
  init(matched: Int, returned: Int, links: [Link]) {
    var json = JSONText()
    json.raw("{\"type\":\"FeatureCollection\",\"generator\":\"geoq\",\"numberMatched\":\(matched),")
    json.raw("\"numberReturned\":\(returned),")
    json.links(links)
    json.raw(",\"features\":[")
    bytes.reserveCapacity(1_024 + returned * 1_024)
    bytes.append(contentsOf: json.bytes)
  }

  /// Adds the Feature at a position.
  mutating func add(_ position: Int, distance: Double? = nil, from data: some ServedData) {
    bytes.append(contentsOf: isFirst ? [0x0A] : [0x2C, 0x0A])
    isFirst = false
    data.appendFeature(at: position, distance: distance, to: &bytes)
  }

  /// Adds a Feature that is written already.
  mutating func add(_ feature: [UInt8]) {
    bytes.append(contentsOf: isFirst ? [0x0A] : [0x2C, 0x0A])
    isFirst = false
    bytes.append(contentsOf: feature)
  }

  /// Writes what comes after the Features.
  mutating func end() {
    bytes.append(contentsOf: isFirst ? "]}\n".utf8 : "\n]}\n".utf8)
  }
}

extension FeatureCollectionText {
  /// The body of an answer.
  var body: AnswerPlan.Body { AnswerPlan.Body(bytes: bytes) }
}
