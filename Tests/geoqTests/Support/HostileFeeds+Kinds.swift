extension RefusedFeed {
  /// JSON, but no feed.
  static let shapes: [RefusedFeed] = [
    RefusedFeed("an array of numbers", "[1,2]", "the root is an array"),
    RefusedFeed("an empty array", "[]", "the feed is empty"),
    RefusedFeed(
      "an array of lists of nothing",
      "[[]]",
      "the root is an array"
    ),
    RefusedFeed("a text", #""restaurants""#, "the root is a single value"),
    RefusedFeed("a number", "1", "the root is a single value"),
    RefusedFeed("null", "null", "the root is a single value"),
    RefusedFeed("an empty object", "{}", "the root has no member"),
    RefusedFeed("other members", #"{"a":1,"b":2}"#, #"the root has the members "a", "b""#),
    RefusedFeed("restaurants is null", #"{"restaurants":null}"#, "is not an array"),
    RefusedFeed("restaurants is an object", #"{"restaurants":{}}"#, "is not an array"),
    RefusedFeed(
      "restaurants is given twice",
      #"{"restaurants":[],"restaurants":[\#(TestFeed.good)]}"#,
      #"the root object has the member "restaurants" twice"#
    ),
    RefusedFeed("no record", #"{"restaurants":[]}"#, "the feed has no restaurant"),
    RefusedFeed("no Feature", TestFeed.collection(""), "the feed has no restaurant"),
    RefusedFeed("no features", #"{"type":"FeatureCollection"}"#, #"the root has no "features""#),
    RefusedFeed("a bare geometry", TestFeed.point, "GeoJSON Point without a Feature"),
    RefusedFeed(
      "only a nested collection",
      TestFeed.collection(TestFeed.collection(TestFeed.goodFeature)),
      "every record was rejected",
      badRecords: 1
    ),
    RefusedFeed(
      "bad records only",
      #"{"restaurants":[null,{"name":"a"},{"location":{"lat":1,"lng":2}}]}"#,
      "every record was rejected",
      badRecords: 3
    ),
    RefusedFeed(
      "meters instead of degrees",
      TestFeed.geometry(
        TestFeed.point,
        rootMembers: #","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::3857"}}"#
      ),
      "EPSG::3857 is not WGS84 degrees"
    ),
    RefusedFeed(
      "Overpass ran out of time",
      #"{"elements":[],"remark":"runtime error: Query timed out"}"#,
      "Overpass did not finish: runtime error: Query timed out"
    ),
    RefusedFeed("a table without positions", "id,name\n1,A\n", "--lat-col and --lon-col"),
    RefusedFeed(
      "a column named twice",
      "name,lat,lon,name\nA,1,2,B\n",
      #"the header names "name" twice"#
    ),
    RefusedFeed(
      "a quote that is never closed",
      "name,lat,lon\nA,1,2\n\"B,3,4\n",
      "ends inside a quoted cell"
    ),
    RefusedFeed(
      "a sequence that breaks off",
      "\u{1E}\(TestFeed.goodFeature)\n\u{1E}{\"type\":\"Feat",
      "ends inside a record"
    ),
  ]

  /// Feeds of other makers, each named in the error.
  static let kinds: [RefusedFeed] =
    [
      ("JSON with its records in .data", #"{"data":[{"id":"1"}]}"#),
      ("MongoDB's sample of restaurants", #"{"restaurant_id":"3","grades":[],"name":"x"}"#),
      ("an Esri feature set", #"{"features":[{"attributes":{}}]}"#),
      ("TopoJSON", #"{"type":"Topology","objects":{}}"#),
      ("YAML", "---\n- name: x\n"),
      ("geoq's own JSON answer", #"{"schema":"geoq.matches/1","count":0,"items":[]}"#),
      ("an HTML page", "<!DOCTYPE html>\n<html><body>Not here</body></html>"),
      ("an HTML page", "\n  <HTML></HTML>"),
      ("an XML error page", #"<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>"#),
      ("KML", #"<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"/>"#),
      ("GPX", "<gpx/>"),
      ("OpenStreetMap XML", #"<osm version="0.6"/>"#),
      ("an RSS feed", "<rss/>"),
      ("XML", "<restaurants/>"),
    ].map { name, text in RefusedFeed("\(name): \(text.prefix(24))", text, "this is \(name)") }
}
