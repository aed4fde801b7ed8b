import GeoQuery
import TestSupport
import Testing

@testable import GeoFeed

/// Derived ids of branches of a chain, and values that are not JSON.
struct BranchTests {
  @Test(
    arguments: [
      "name,street,city,lat,lon\nStarbucks,Broadway,New York,40.7061,-74.0121\n"
        + "Starbucks,Broadway,New York,40.8075,-73.9639\n",
      #"[{"name":"A","address":"Main St","city":"X","lat":1,"lon":2},"#
        + #"{"name":"A","address":"Main St","city":"X","lat":1.1,"lon":2}]"#,
      #"{"type":"FeatureCollection","features":["#
        + #"{"type":"Feature","properties":{"name":"A","street":"S","postcode":"1"},"geometry":{"type":"Point","coordinates":[1,2]}},"#
        + #"{"type":"Feature","properties":{"name":"A","street":"S","postcode":"1"},"geometry":{"type":"Point","coordinates":[1,2.5]}}]}"#,
      #"{"restaurants":[{"name":"A","location":{"address":"S","city":"X","lat":1,"lng":2}},"#
        + #"{"name":"A","location":{"address":"S","city":"X","lat":1,"lng":-2}}]}"#,
    ]
  )
  func `branches – one name, street and city at two positions, no ids – are two`(
    text: String
  ) throws {
    let feed = try Feeds.read(text)
    #expect(feed.rejected.isEmpty)
    let ids = feed.restaurants.map(\.id)
    try #require(ids.count == 2)
    #expect(ids[1].hasPrefix(ids[0] + "-") && ids[1].utf8.count == ids[0].utf8.count + 7)
  }

  @Test func `records – no ids, one position – are one, and the message says why`() throws {
    let feed = try Feeds.read(
      "name,street,city,lat,lon\nA,S,X,1,2\nA,S,X,1.00001,2\nA,S,X,3,4\nA,S,X,3,4\n"
    )
    #expect(feed.restaurants.count == 2)
    #expect(
      feed.rejected.map(\.problem) == [
        "it has no id of its own, and its name, address and position are those of record 1",
        "it has no id of its own, and its name, address and position are those of record 3",
      ]
    )
    let given = try Feeds.read("id,name,lat,lon\n7,A,1,2\n7,A,3,4\n")
    #expect(given.rejected.map(\.problem) == ["id \"7\" is the same as in record 1"])
  }

  @Test(
    arguments: ["NaN", "Infinity", "-Infinity", "nan", "-inf", "inf", "\"NaN\""]
  )
  func `JSON – a value that is not finite – is null with a warning, in every shape`(
    word: String
  ) throws {
    let point = #""geometry":{"type":"Point","coordinates":[1,2]}"#
    let feature =
      #"{"type":"Feature","properties":{"name":"A","rating":\#(word),"x":[\#(word)]},\#(point)}"#
    let object = #"{"name":"A","lat":2,"lon":1,"rating":\#(word)}"#
    let texts = [
      #"{"type":"FeatureCollection","bbox":[\#(word)],"features":[\#(feature)]}"#,
      feature + "\n" + feature.replacing("\"A\"", with: "\"B\"") + "\n",
      "[\(object)]", object + "\n" + object.replacing("\"A\"", with: "\"B\"") + "\n",
      #"{"meta":{"x":\#(word)},"data":[\#(object)],"end":\#(word)}"#,
      #"{"restaurants":[{"name":"A","rating":\#(word),"location":{"lat":2,"lng":1}}]}"#,
    ]
    for text in texts {
      let feed = try Feeds.read(text)
      #expect(feed.restaurants.first?.coordinate == .at(2, 1), "\(text)")
      #expect(feed.restaurants.allSatisfy { $0.rating == nil }, "\(text)")
      #expect(
        feed.warnings.first?.problem == "\(word) is not a value; read as null",
        "\(text)"
      )
    }
  }

  @Test func `JSON – a position that is not finite, or another word – is rejected`() throws {
    let feed = try Feeds.read(#"[{"name":"A","lat":NaN,"lon":1},{"name":"B","lat":1,"lon":1}]"#)
    #expect(feed.restaurants.map(\.name) == ["B"])
    #expect(feed.rejected.map(\.problem) == ["latitude is missing"])
    for word in ["NaNa", "Infinit", "nann", "infinityy", "--Infinity", "None", "-", "in", "Nul"] {
      #expect(Feeds.refusal(of: #"[{"name":"A","lat":1,"lon":1,"x":\#(word)}]"#) != nil, "\(word)")
    }
  }

  @Test func `JSON – NaN cut between two pieces of a feed – is read`() throws {
    let records = (0..<40).map { #"{"name":"R\#($0)","lat":1,"lon":\#($0),"rating":-Infinity}"# }
    for size in [1, 2, 3, 5, 7] {
      let bytes = DripBytes(Array(records.joined(separator: "\n").utf8), size: size)
      let feed = try FeedReader(source: "x").read(from: bytes)
      #expect(feed.restaurants.count == 40 && feed.warnings.count == 40)
    }
  }
}
