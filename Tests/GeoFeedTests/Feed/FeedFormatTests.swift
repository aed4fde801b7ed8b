import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

struct FeedFormatTests {
  @Test(arguments: [
    (
      #"{"restaurant_id":"1","grades":[]}"#, "MongoDB's sample of restaurants",
      "its coordinates are not reliable; convert it to GeoJSON or CSV"
    ),
    (
      #"{"address":{"coord":[1,2]},"name":"A"}"#, "MongoDB's sample of restaurants",
      "its coordinates are not reliable; convert it to GeoJSON or CSV"
    ),
    (
      #"{"type":"Topology","objects":{}}"#, "TopoJSON",
      "convert it: ogr2ogr -f GeoJSON feed.geojson feed.json"
    ),
    (
      #"{"features":[{"attributes":{}}]}"#, "an Esri feature set",
      "ask the server for f=geojson, or convert it: ogr2ogr -f GeoJSON feed.geojson feed.json"
    ),
  ])
  func `a feed that is known but not read is refused by its name`(
    _ text: String,
    _ kind: String,
    _ advice: String
  ) {
    #expect(
      Feeds.refusal(of: text)
        == "feed.json:1: byte 0: this is \(kind), which geoq does not read; \(advice)"
    )
  }

  @Test(arguments: [
    (#"{"stores":[{"storeID":"1"}]}"#, FeedFormat.bottlerocketStores),
    (#"{"retailers":[],"stores":[{"retailer_id":1}]}"#, .retailerStores),
    (#"{"restaurants":[{"restaurant":{"id":"1"}}]}"#, .zomato),
    (#"[{"restaurants":[{"restaurant":{"id":"1"}}]}]"#, .zomato),
    (#"{"meta":{},"response":{"venues":[]}}"#, .foursquare),
    (#"{"response":{"venue":{}}}"#, .foursquare), (#"{"response":{"groups":[]}}"#, .foursquare),
    (#"{"results":[{"fsq_id":"1"}]}"#, .foursquarePlaces),
    (#"{"results":[{"fsq_place_id":"1"}]}"#, .foursquarePlaces),
    (#"{"fsq_id":"1"}"#, .foursquarePlaces),
    (#"{"fsq_place_id":"1","location":{}}"#, .foursquarePlaces),
    (#"{"fsq_place_id":"1"}"#, .fsqOS), (#"{"version":0.6,"osm3s":{},"elements":[]}"#, .overpass),
    (#"{"elements":[]}"#, .overpass), (#"{"business_id":"1"}"#, .yelp),
    (#"{"businesses":[]}"#, .yelpFusion), (#"{"places":[{"displayName":{}}]}"#, .google),
    (#"{"results":[{"place_id":"1"}]}"#, .googleLegacy),
    (#"{"result":{"place_id":"1"}}"#, .googleLegacy), (#"{"places":[ ]}"#, .google),
    (#"{"results":[],"status":"ZERO_RESULTS"}"#, .googleLegacy),
    (#"{"results":[]}"#, .foursquarePlaces), (#"{"stores":[]}"#, .bottlerocketStores),
    (#"{"@context":"https://schema.org"}"#, .schemaOrg), (#"{"@graph":[]}"#, .schemaOrg),
    (#"[{"@type":"Restaurant"}]"#, .schemaOrg), (#"{"lat":1}"#, .jsonl), (#"[{"lat":1}]"#, .jsonl),
    (#"{"type":"Feature","properties":{"names":{"primary":"A"}}}"#, .overture),
    (#"{"type":"Feature","properties":{"@id":"node/1"}}"#, .osm),
    ("name,lat,lon\n", .csv), ("name;lat;lon\r\n", .csv), ("name\tlat\tlon\n", .tsv),
    ("\u{FEFF}\"name\",\"wkt\"\n", .csv),
    ("fsq_place_id,name,latitude,longitude,locality\n", .fsqOS),
  ])
  func `a feed is recognized by what it has`(_ text: String, _ format: FeedFormat) throws {
    #expect(try Feeds.read(text).format == format)
  }

  @Test func `geoq's own JSON answer is told how to come back`() {
    #expect(
      Feeds.refusal(of: #"{"schema":"geoq.matches/1","count":0,"items":[]}"#)
        == "feed.json:1: byte 0: this is geoq's own JSON answer; "
        + "write it as GeoJSON to import it"
    )
  }

  @Test func `members of other kinds do not hide a feed's own`() throws {
    for extra in [#""result":"ok""#, #""response":{}"#, #""elements":[]"#, #""@context":"x""#] {
      #expect(try Feeds.read("{\(extra),\"restaurants\":[]}").format == .bottlerocket)
      let collection = "{\(extra),\"type\":\"FeatureCollection\",\"features\":[]}"
      #expect(try Feeds.read(collection).format == .geojson)
    }
  }

  @Test(arguments: [
    "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon",
    "GeometryCollection",
  ])
  func `a bare geometry is refused by its name`(_ type: String) {
    #expect(
      Feeds.refusal(of: " \n{\"type\":\"\(type)\"}")
        == "feed.json:2: byte 2: this is a GeoJSON \(type) without a Feature: "
        + "it names no restaurant"
    )
  }

  @Test(arguments: [
    (
      "{}",
      "the root has no member; "
        + #"expected "restaurants", or GeoJSON's "type": "FeatureCollection"; "#
        + "geoq help formats lists the others"
    ),
    (
      #"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}"#,
      #"the root has the members "a", "b", "c", "d", "e"; "#
        + #"expected "restaurants", or GeoJSON's "type": "FeatureCollection"; "#
        + "geoq help formats lists the others"
    ),
    ("[1]", #"the root is an array; expected an object with "restaurants", or GeoJSON"#),
    ("\"x\"", #"the root is a single value; expected an object with "restaurants", or GeoJSON"#),
    ("null", #"the root is a single value; expected an object with "restaurants", or GeoJSON"#),
  ])
  func `what is not a feed at all is described`(_ text: String, _ found: String) {
    #expect(Feeds.refusal(of: text) == "feed.json:1: byte 0: not a feed: \(found)")
  }

  @Test(arguments: ["[]", "[\n]"]) func `an empty array is an empty feed`(_ text: String) throws {
    #expect(
      Feeds.refusal(of: text)?.hasSuffix("the feed is empty: its array has no records") == true
    )
  }

  @Test func `the shapes that are read are recognized`() throws {
    let feature = #"{"type":"Feature","geometry":null}"#
    for (text, format) in [
      (#"{"restaurants":[]}"#, FeedFormat.bottlerocket),
      (#"{"restaurants":[{"name":"A","location":{}}],"restaurant":1}"#, .bottlerocket),
      (#"{"type":"FeatureCollection","features":[]}"#, .geojson),
      (feature, .geojson),
      (feature + "\n" + feature, .geojsonseq),
      ("\u{1E}" + feature + "\n", .geojsonseq),
    ] {
      #expect(try Feeds.read(text).format == format, "\(text)")
    }
  }

  @Test func `a format that is asked for is not questioned`() throws {
    let text =
      #"{"type":"Point","restaurants":[{"name":"A","location":{"lat":1,"lng":2}}]}"#
    #expect(Feeds.refusal(of: text) != nil)
    #expect(try Feeds.read(text, as: .bottlerocket).restaurants.count == 1)
    #expect(
      Feeds.refusal(of: text, as: .geojson) == "feed.json: not a feed: the root has no \"features\""
    )
  }
}
