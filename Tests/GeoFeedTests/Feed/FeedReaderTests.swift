import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

struct FeedReaderTests {
  private static let small = #"""
    {"restaurants": [
      {"name": "A", "location": {"lat": 1, "lng": 2}, "x": [true, null, "\u00e9"]},
      {"name": "B", "location": {"lat": 3, "lng": 4}}
    ]}
    """#

  @Test func `a feed cut at any byte is refused as a whole`() throws {
    let bytes = Array(Self.small.utf8)
    #expect(try FeedReader(source: "a").read(bytes).restaurants.count == 2)
    for count in bytes.indices {
      #expect(Feeds.refusal(of: Array(bytes[..<count])) != nil, "cut after \(count) bytes")
    }
  }

  @Test(arguments: [
    (#"{"restaurants":[1,]}"#, 1, 18, #"expected a value, found "]""#),
    ("{\"restaurants\":[\n\n{\"a\" 1}]}", 3, 23, #"expected ":", found "1""#),
    (#"{"restaurants":[]} x"#, 1, 19, "text after the end of the feed"),
    ("{\"restaurants\":[]}\n{\"restaurants\":[]}", 2, 19, "text after the end of the feed"),
    (
      #"{"restaurants":[],"restaurants":[]}"#, 1, 0,
      #"the root object has the member "restaurants" twice"#
    ),
    (#"{"restaurants":{}}"#, 1, 15, #"not a feed: "restaurants" is not an array"#),
    (
      #"{"type":"FeatureCollection","features":5}"#, 1, 39,
      #"not a feed: "features" is not an array"#
    ),
    (
      "{\"restaurants\":[\"\u{1}\"]}", 1, 17,
      "control character 0x01 inside a string; it must be escaped"
    ),
  ])
  func `a broken text is refused with its place`(
    _ text: String,
    _ line: Int,
    _ byte: Int,
    _ problem: String
  ) {
    #expect(Feeds.refusal(of: text) == "feed.json:\(line): byte \(byte): \(problem)")
  }

  @Test func `nesting counts from the root of the feed`() throws {
    func feed(_ levels: Int) -> String {
      let nest = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
      return "{\"restaurants\":[{\"name\":\"A\",\"location\":{\"lat\":1,\"lng\":2},\"x\":\(nest)}]}"
    }
    #expect(try Feeds.read(feed(23)).restaurants.count == 1)
    let deep = try Feeds.read(feed(24))
    #expect(deep.rejected.first?.problem == "its members are nested deeper than 24 levels")
    #expect(try Feeds.read(feed(29)).rejected.count == 1)
    for levels in [30, 100_000] {
      #expect(
        try Feeds.read(feed(levels)).rejected.map(\.description) == [
          "feed.json:1: record 1 (byte 90): nested deeper than 32 levels"
        ]
      )
    }
  }

  @Test func `GeoJSON of another reference system is refused`() throws {
    func feed(_ name: String) -> String {
      "{\"type\":\"FeatureCollection\",\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"\(name)\"}},"
        + "\"features\":[]}"
    }
    for name in ["urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326", "urn:ogc:def:crs:EPSG::4326"] {
      #expect(Feeds.refusal(of: feed(name)) == nil)
    }
    for name in ["urn:ogc:def:crs:EPSG::3857", "EPSG:14326"] {
      #expect(
        Feeds.refusal(of: feed(name))
          == "feed.json:1: byte 34: the reference system \(name) is not WGS84 degrees; "
          + "reproject it to EPSG:4326"
      )
    }
    #expect(Feeds.refusal(of: #"{"type":"FeatureCollection","crs":null,"features":[]}"#) == nil)
  }

  @Test(arguments: [
    (#"{"results":[],"status":"REQUEST_DENIED"}"#, "Google did not answer: REQUEST_DENIED; ask"),
    (#"{"status":"X","results":[{"place_id":"1"}]}"#, "Google did not answer: X; ask"),
    (#"{"results":[],"status":"OK"}"#, nil), (#"{"results":[],"status":"ZERO_RESULTS"}"#, nil),
  ])
  func `a service that did not answer is not a feed`(_ text: String, _ problem: String?) {
    guard let problem else {
      #expect(Feeds.refusal(of: text) == nil)
      return
    }
    #expect(Feeds.refusal(of: text)?.contains(problem) == true)
  }

  @Test func `a place of Google's that has a name only is known by that`() throws {
    let feed = try Feeds.read(
      #"{"places":[{"name":"places/Ch2","displayName":{"text":"A"},"#
        + #""location":{"latitude":1,"longitude":2}}]}"#
    )
    #expect(feed.restaurants.map(\.id) == ["Ch2"])
  }

  @Test func `a part of a Google address that is empty is missing, or another part has its place`()
    throws
  {
    let feed = try Feeds.read(
      #"{"places":[{"id":"a","displayName":{"text":"A"},"location":{"latitude":1,"longitude":2},"#
        + #""addressComponents":[{"longText":"","types":["locality"]},"#
        + #"{"longText":"Bath","types":["postal_town"]},{"longText":"","types":["route"]},"#
        + #"{"longText":"5","types":["street_number"]},{"longText":"","types":["country"]}]}]}"#
    )
    var expected = Restaurant.Address()
    expected.city = "Bath"
    #expect(feed.restaurants.map(\.address) == [expected])
  }

  @Test func `the first website that is one counts`() throws {
    let feed = try Feeds.read(
      #"{"type":"Feature","id":"a","geometry":{"type":"Point","coordinates":[2,1]},"properties":"#
        + #"{"theme":"places","names":{"primary":"A"},"#
        + #""websites":["instagram: a","https://a.example/"]}}"#
    )
    #expect(feed.restaurants.map(\.website) == ["https://a.example/"])
    #expect(feed.restaurants.first?.extra.contains { $0.name == "websites" } == true)
  }

  @Test func `a text without records is not at fault`() throws {
    for text in [#"{"restaurants":[]}"#, #"{"type":"FeatureCollection","features":[ ]}"#] {
      let feed = try Feeds.read(text)
      #expect(feed.readCount == 0)
      #expect(feed.restaurants.isEmpty && feed.rejected.isEmpty)
    }
  }

  @Test func `lines are counted by line feeds, whatever the order of faults`() throws {
    let feed = try Feeds.read("{\"restaurants\":[\r\n5,\r\n\r\n{\"name\":\"\"},\n{}]}")
    #expect(
      feed.rejected.map(\.description) == [
        "feed.json:2: record 1 (byte 18): the record is a number, not an object",
        "feed.json:4: record 2 (byte 24): name is empty",
        "feed.json:5: record 3 (byte 37): name is missing",
      ]
    )
  }

  @Test func `a feed larger than the limit is refused without being read`() {
    let bytes = [UInt8](repeating: 0x20, count: FeedReader.maximumBytes + 1)
    #expect(Feeds.refusal(of: bytes) == "feed.json: the feed is larger than 256 MiB")
  }
}
