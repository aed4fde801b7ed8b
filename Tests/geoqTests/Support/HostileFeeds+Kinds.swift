extension RefusedFeed {
  /// JSON, but no feed.
  static let shapes: [RefusedFeed] = [
    RefusedFeed("an array", "[\(TestFeed.good)]", "the root is an array"),
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
      #"the root names "restaurants" twice"#
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
      "metres instead of degrees",
      TestFeed.geometry(
        TestFeed.point,
        rootMembers: #","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::3857"}}"#
      ),
      "EPSG::3857 is not WGS84 degrees"
    ),
    RefusedFeed(
      "a sequence that breaks off",
      "\u{1E}\(TestFeed.goodFeature)\n\u{1E}{\"type\":\"Feat",
      "breaks off inside a record"
    ),
  ]

  /// Feeds of other makers, each named in the error.
  static let kinds: [RefusedFeed] =
    [
      ("a Foursquare v2 answer", #"{"meta":{},"response":{"venues":[]}}"#),
      ("a Foursquare Places v3 answer", #"{"results":[{"fsq_id":"a"}]}"#),
      ("a Foursquare Places answer", #"{"results":[{"fsq_place_id":"a"}]}"#),
      ("a Foursquare place", #"{"fsq_place_id":"a"}"#),
      ("an Overpass answer", #"{"version":0.6,"osm3s":{},"elements":[]}"#),
      ("an Overpass answer", #"{"elements":[],"remark":"runtime error: Query timed out"}"#),
      ("Yelp's open dataset", #"{"business_id":"a"}"#),
      ("a Yelp Fusion answer", #"{"businesses":[]}"#),
      ("a Google Places answer", #"{"places":[{"displayName":{"text":"a"}}]}"#),
      ("a Google Places answer (legacy)", #"{"results":[{"place_id":"a"}]}"#),
      ("schema.org JSON-LD", #"{"@context":"https://schema.org","@type":"Restaurant"}"#),
      ("schema.org JSON-LD", #"{"@graph":[]}"#),
      ("a Zomato feed", #"{"restaurants":[{"restaurant":{"id":"1"}}]}"#),
      ("MongoDB's sample of restaurants", #"{"restaurant_id":"3","name":"x"}"#),
      (
        "an Overture feed",
        TestFeed.collection(#"{"type":"Feature","properties":{"names":{"primary":"x"}}}"#)
      ),
      ("an Esri feature set", #"{"features":[{"attributes":{}}]}"#),
      ("TopoJSON", #"{"type":"Topology","objects":{}}"#),
      ("a Bottle Rocket stores feed", #"{"stores":[{"storeID":"1"}]}"#),
      ("a retailer stores feed", #"{"stores":[{"retailer_id":"1"}]}"#),
      ("geoq's own JSON answer", #"{"schema":"geoq.matches/1","count":0,"items":[]}"#),
      ("an HTML page", "<!DOCTYPE html>\n<html><body>Not here</body></html>"),
      ("an HTML page", "\n  <HTML></HTML>"),
      ("an XML error page", #"<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>"#),
      ("KML", #"<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"/>"#),
      ("GPX", "<gpx/>"),
      ("OpenStreetMap XML", #"<osm version="0.6"/>"#),
      ("an RSS feed", "<rss/>"),
      ("XML", "<restaurants/>"),
      ("CSV", "id,name,latitude,longitude\n1,A,2,3\n"),
      ("CSV", "name;lat;lon\r\nA;2;3\r\n"),
      ("tab-separated values", "id\tname\tlatitude\tlongitude\n1\tA\t2\t3\n"),
    ].map { name, text in RefusedFeed("\(name): \(text.prefix(24))", text, "this is \(name)") }
}
