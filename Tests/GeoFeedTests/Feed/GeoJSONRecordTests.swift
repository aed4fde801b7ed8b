import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

struct GeoJSONRecordTests {
  private let point = #""geometry":{"type":"Point","coordinates":[-96.8,32.9]}"#

  private func feed(_ features: String...) throws -> Feed {
    try Feeds.read(
      "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}"
    )
  }

  private func extra(_ feed: Feed) -> String {
    feed.restaurants.map { JSONWriter.of(.object($0.extra)) }.joined(separator: "|")
  }

  @Test func `a Feature gives a restaurant, longitude first`() throws {
    let properties = """
      {"name":"A","category":"Thai","address":"1 Main St","city":"Addison","formattedAddress":
      ["1 Main St","Addison"],"phone":"1","rating":4.5,"priceLevel":2,"closed":false}
      """
    let feature = "{\"type\":\"Feature\",\"id\":\"a-1\",\(point),\"properties\":\(properties)}"
    for feed in [try Feeds.read(feature), try feed(feature)] {
      let restaurant = try #require(feed.restaurants.first)
      #expect(feed.format == .geojson)
      #expect(restaurant.id == "a-1")
      #expect(restaurant.coordinate == .at(32.9, -96.8))
      #expect(restaurant.category == "Thai")
      #expect(restaurant.address.street == "1 Main St")
      #expect(restaurant.address.formatted == ["1 Main St", "Addison"])
      #expect(restaurant.rating == 4.5 && restaurant.priceLevel == 2 && !restaurant.closed)
      #expect(restaurant.source == "feed.json")
      #expect(restaurant.extra.isEmpty)
    }
  }

  @Test func `ids are texts, numbers, properties or derived`() throws {
    func feature(_ id: String, _ name: String, _ inner: String = "") -> String {
      "{\"type\":\"Feature\",\(id)\(point),\"properties\":{\"name\":\"\(name)\"\(inner)}}"
    }
    let feed = try feed(
      feature(#""id":"x","#, "A"),
      feature(#""id":92873089221,"#, "B"),
      feature("", "C", #","id":"inner""#),
      feature("", "D"),
      feature(#""id":null,"#, "E"),
      feature(#""id":"y","#, "F", #","id":7"#)
    )
    let derived = ["D", "E"].map {
      derivedID(for: Restaurant(id: "", name: $0, coordinate: .at(32.9, -96.8), source: ""))
    }
    #expect(
      feed.restaurants.map(\.id) == ["x", "92873089221", "inner", derived[0], derived[1], "y"]
    )
    #expect(extra(feed) == #"{}|{}|{}|{}|{}|{"id":7}"#)
  }

  @Test func `title, amenity and cuisine stand in for what is missing`() throws {
    let feed = try feed(
      #"{"type":"Feature",\#(point),"properties":{"title":"A","amenity":"cafe","cuisine":"thai"}}"#,
      #"{"type":"Feature",\#(point),"properties":{"name":"B","title":"b","cuisine":"thai"}}"#
    )
    #expect(feed.restaurants.map(\.name) == ["A", "B"])
    #expect(feed.restaurants.map(\.category) == ["cafe, thai", "thai"])
    #expect(extra(feed) == #"{"cuisine":"thai"}|{"title":"b"}"#)
  }

  @Test func `a height and other members of the geometry are kept in extra`() throws {
    let feed = try feed(
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2,30.50]},"properties":{"name":"A"}}"#,
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[3,4],"bbox":[3,4,3,4]},"properties":{"name":"B"}}"#
    )
    #expect(feed.restaurants.map(\.coordinate) == [.at(2, 1), .at(4, 3)])
    #expect(
      extra(feed)
        == #"{"geometry":{"type":"Point","coordinates":[1,2,30.50]}}"#
        + #"|{"geometry":{"type":"Point","coordinates":[3,4],"bbox":[3,4,3,4]}}"#
    )
  }

  @Test func `foreign members are kept in extra, next to a property of the same name`() throws {
    let feed = try feed(
      #"{"type":"Feature","theme":"x","bbox":[1],\#(point),"properties":{"name":"A","feature":{"a":1}}}"#
    )
    #expect(extra(feed) == #"{"feature":{"a":1},"feature_":{"theme":"x","bbox":[1]}}"#)
  }

  @Test func `source, distance and positions of a foreign Feature are extra`() throws {
    let feed = try feed(
      """
      {"type":"Feature",\(point),"properties":{"name":"A","source":"survey","distance":5,
      "latitude":1,"extra":{"k":1}}}
      """
    )
    #expect(feed.restaurants[0].source == "feed.json")
    #expect(
      extra(feed) == #"{"source":"survey","distance":5,"latitude":1,"extra":{"k":1}}"#
    )
  }

  @Test(arguments: [
    #"{"type":"Feature","id":"a",POINT,"properties":{"name":"A","source":"s"}}"#,
    #"{"type":"Feature","generator":"qgis","id":"a",POINT,"properties":{"name":"A","source":"s"}}"#,
    #"{"type":"Feature","id":"a","x":1,POINT,"properties":{"name":"A","source":"s"}}"#,
    #"{"type":"Feature","id":1,POINT,"properties":{"name":"A","source":"s"}}"#,
    #"{"type":"Feature","id":"a",POINT,"properties":{"name":"A","source":"s","x":1}}"#,
    #"{"type":"Feature","id":"a",POINT,"properties":{"name":"A","source":"s","extra":{}}}"#,
    #"{"type":"Feature","id":"a",POINT,"properties":{"name":"A","source":"s","extra":[1]}}"#,
    #"{"type":"Feature","id":"a","geometry":{"type":"Point","coordinates":[1,2,3]},"properties":{"name":"A","source":"s"}}"#,
  ])
  func `a Feature that geoq would not write does not choose its source`(_ text: String) throws {
    let feed = try feed(text.replacing("POINT", with: point))
    #expect(feed.restaurants.map(\.source) == ["feed.json"])
    #expect(extra(feed).contains(#""source":"s""#))
  }

  @Test func `what is not a web address is not a website, and does not hide one`() throws {
    let properties =
      #"{"name":"A","website":"javascript:alert(1)","url":"https://a.example","imageURL":"data:x"}"#
    let feed = try feed(
      #"{"type":"Feature","id":"a",POINT,"properties":P}"#
        .replacing("POINT", with: point).replacing("P}", with: properties + "}")
    )
    #expect(feed.restaurants.map(\.website) == ["https://a.example"])
    #expect(feed.restaurants.map(\.imageURL) == [nil])
    #expect(extra(feed).contains("javascript:alert(1)") && extra(feed).contains("data:x"))
  }

  @Test func `geoq's own export comes back byte for byte, source and extra included`() throws {
    var random = SplitMix64(stream: "own export")
    let restaurants = (0..<60).map { number in
      var restaurant = Restaurant.full("\(number)é", at: random.coordinate()) {
        random.hostileText(upTo: 6)
      }
      restaurant.source = "s" + random.hostileText(upTo: 4)
      return restaurant
    }
    var writer = AnswerFormat.geojson.writer()
    writer.begin(AnswerSummary(count: 60, total: 60, extent: nil, hasDistance: true))
    for restaurant in restaurants { writer.write(Match(restaurant: restaurant, distance: 12.5)) }
    writer.end()
    let bytes = writer.takeBytes()
    let feed = try FeedReader(source: "other").read(bytes)
    #expect(feed.rejected.isEmpty, "SEED=\(SplitMix64.seed)")
    #expect(
      feed.restaurants.map(\.allBytes) == restaurants.map(\.allBytes),
      "SEED=\(SplitMix64.seed)"
    )
    let forced = try FeedReader(source: "other", overridesSource: true).read(bytes)
    #expect(Set(forced.restaurants.map(\.source)) == ["other"])
  }

  @Test(arguments: [
    ("5", "the record is not a GeoJSON Feature"),
    (#"{"type":"Point","coordinates":[1,2]}"#, "the record is not a GeoJSON Feature"),
    (#"{"type":"FeatureCollection","features":[]}"#, "the record is not a GeoJSON Feature"),
    (#"{"type":"Feature","properties":{"name":"A"}}"#, "geometry is missing or null"),
    (
      #"{"type":"Feature","geometry":null,"properties":{"name":"A"}}"#,
      "geometry is missing or null"
    ),
    (
      #"{"type":"Feature","geometry":{"type":"Polygon","coordinates":[]},"properties":{}}"#,
      "the Polygon has no position"
    ),
    (
      #"{"type":"Feature","geometry":{"type":"GeometryCollection","geometries":[]}}"#,
      "geometry is GeometryCollection; a Point is needed"
    ),
    (#"{"type":"Feature","geometry":{"type":"Point"}}"#, "coordinates are missing"),
    (
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1]}}"#,
      "the position has 1 number; expected longitude, latitude, optional height"
    ),
    (
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2,3,4,5]}}"#,
      "the position has 5 numbers; expected longitude, latitude, optional height"
    ),
    (
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[32.9,-96.8]}}"#,
      "latitude -96.8 is not in -90...90; are latitude and longitude swapped?"
    ),
    (#"{"type":"Feature",POINT,"properties":null}"#, "name is missing"),
    (#"{"type":"Feature",POINT}"#, "name is missing"),
    (#"{"type":"Feature",POINT,"properties":[1]}"#, "name is missing"),
    (#"{"type":"Feature",POINT,"properties":{"name":[]}}"#, "name is an array, not text"),
  ])
  func `what is not a Feature with a Point and a name is skipped`(
    _ text: String,
    _ problem: String
  ) throws {
    let feed = try feed(text.replacing("POINT", with: point))
    #expect(feed.restaurants.isEmpty)
    #expect(feed.rejected.map(\.problem) == [problem])
  }
}
