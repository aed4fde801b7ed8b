import GeoQuery

/// A FeatureCollection (RFC 7946 §3.3), put together from the snapshot's bytes of its Features.
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

  /// Writes a page as a collection.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - links: The links of the collection.
  ///   - timeStamp: What the collection says of its time; nil for nothing.
  ///   - isFavorite: Whether the restaurant at a position is marked as a favorite.
  init(
    _ page: Page,
    links: [Link],
    timeStamp: String? = nil,
    isFavorite: (Int) -> Bool = { _ in false }
  ) {
    self.init(matched: page.total, returned: page.count, links: links, timeStamp: timeStamp)
    let (snapshot, hits) = (page.snapshot, page.hits)
    // all looked up before the first is copied: memory fetches them side by side
    let length = (0..<hits.count).reduce(0) {
      $0 + snapshot.featureLength(at: hits[$1].position) + Self.separatorLength
    }
    bytes.reserveCapacity(bytes.count + length + Self.endLength)
    for index in 0..<hits.count {
      let (position, distance) = hits[index]
      separate()
      snapshot.appendFeature(
        at: position,
        distance: distance,
        isFavorite: isFavorite(position),
        to: &bytes
      )
    }
    end()
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

  private static let separatorLength = 2
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
