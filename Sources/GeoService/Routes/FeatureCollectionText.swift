import GeoQuery

/// Builds a FeatureCollection (RFC 7946 §3.3) from the bytes of Features in the snapshot.
struct FeatureCollectionText {
  /// The bytes written so far.
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
  ///   - timeStamp: The time of the collection (/req/core/fc-timeStamp); nil to omit it.
  init(matched: Int, returned: Int, links: [Link], timeStamp: String? = nil) {
    self.links = links
    var json = JSONWriter()
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
  ///   - timeStamp: The time of the collection; nil to omit it.
  ///   - isFavorite: Whether the restaurant at a position is marked as a favorite.
  init(
    _ page: Page,
    links: [Link],
    timeStamp: String? = nil,
    isFavorite: (Int) -> Bool = { _ in false }
  ) {
    self.init(matched: page.total, returned: page.count, links: links, timeStamp: timeStamp)
    let (snapshot, hits) = (page.snapshot, page.hits)
    // looks all up before copying the first, so that memory fetches them in parallel
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

  /// Adds a Feature that has already been written.
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

  /// Writes the end of the collection.
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
