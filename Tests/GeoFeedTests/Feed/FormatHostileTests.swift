import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

/// Each format once broken in the way that is usual for it.
struct FormatHostileTests {
  /// One change to a fixture.
  struct Harm: Sendable, CustomTestStringConvertible {
    let file: String
    let old: String
    let new: String
    let problem: String

    init(_ file: String, _ old: String, _ new: String, _ problem: String) {
      (self.file, self.old, self.new, self.problem) = (file, old, new, problem)
    }

    var testDescription: String { "\(file): \(new)" }

    func feed() throws -> String {
      let text = String(decoding: try Fixture.named(file), as: UTF8.self)
      let harmed = text.replacing(old, with: new, maxReplacements: 1)
      #expect(harmed != text, "nothing was changed")
      return harmed
    }
  }

  private static let recordHarms = [
    Harm("bottlerocket.json", #""lat":32.953201"#, #""lat":null"#, "latitude is missing"),
    Harm(
      "bottlerocket-stores.json",
      #""28.04811""#,
      #""28,048,11""#,
      #"latitude "28,048,11" is not"#
    ),
    Harm("retailer-stores.json", #""lat":40,"#, "", "latitude is missing"),
    Harm("foursquare.json", #""lng":-96.8181"#, #""lng":"N96""#, #"longitude "N96" is not"#),
    Harm("foursquare-places.json", #""latitude":32.9491"#, #""latitude":1e400"#, "too large"),
    Harm("fsq-os.csv", "a1,", "a1,extra,", "is not a number"),
    Harm("fsq-os.csv", "32.9533", "48.2E", #"latitude "48.2E" is not a number"#),
    Harm("fsq-os.jsonl", #""name":"Juniper Room""#, #""name":" ""#, "name is empty"),
    Harm("overture.geojson", "[-96.8288,32.9544]", "[32.9544,-96.8288]", "swapped?"),
    Harm(
      "overture.geojsonseq",
      #""names":{"primary":"Ember & Ash"}"#,
      #""names":[]"#,
      "name is missing"
    ),
    Harm("overture.csv", "POINT (-96", "POINT [-96", "is not a WKT point"),
    Harm("overpass.json", #""center":{"lat":32.9611,"lon":-96.8412},"#, "", #"out center;"#),
    Harm(
      "osm.geojson",
      #""Point","coordinates":[-96.8299,32.9599]"#,
      #""Point""#,
      "coordinates are missing"
    ),
    Harm("osm.geojson", "[[[-96.84,32.95],", "[[[100,0],[0,0],", "no center"),
    Harm("yelp.jsonl", #""latitude":32.9498"#, #""latitude":"NaN""#, "latitude is missing"),
    Harm("yelp-fusion.json", #""latitude":32.9541"#, #""latitude":[]"#, "latitude is an array"),
    Harm("google.json", #""text":"Basil Street""#, #""text":{}"#, "name is an object"),
    Harm("google-legacy.json", #""location":{"lat""#, #""spot":{"lat""#, "latitude is missing"),
    Harm(
      "schema-org.json",
      #""latitude":"32.9533""#,
      #""latitude":"132.9""#,
      "latitude 132.9 is not"
    ),
    Harm("schema-org.json", #""@type":"Restaurant""#, #""@type":"Person""#, "@type is Person"),
    Harm(
      "geojson.geojson",
      #"{"type":"Point","coordinates":[-96.8201,32.9502]}"#,
      "null",
      "missing or null"
    ),
    Harm("geojsonseq.geojsonseq", #""title":"Tin Roof""#, #""title":"#, "expected a value"),
    Harm("jsonl.jsonl", #""uid":"j1""#, #""uid":"j2","uid":1"#, #"member "uid" is given twice"#),
    Harm("csv.csv", ",32.95,", ",,", "latitude is missing"),
    Harm("csv.csv", "\"1 Main St,", "\"1 Main St\"x,", "cell 5 has text after its closing quote"),
    Harm("tsv.tsv", "POINT(-96.8123 32.9431)", "LINESTRING(1 2, 3 4)", "is not a WKT point"),
    Harm("tsv.tsv", "SRID=4326", "SRID=3857", "SRID 4326"),
  ]

  @Test(arguments: recordHarms)
  func `a harmed record is named and costs no other`(harm: Harm) throws {
    let whole = try FeedReader(source: "a").read(Fixture.named(harm.file))
    let feed = try Feeds.read(harm.feed())
    #expect(
      feed.rejected.contains { $0.problem.contains(harm.problem) },
      "\(feed.rejected) \(feed.restaurants.map(\.name))"
    )
    #expect(feed.format == whole.format)
    #expect(feed.restaurants.count >= whole.restaurants.count - 1)
    #expect(feed.restaurants.count < whole.restaurants.count)
  }

  private static let feedHarms = [
    Harm("bottlerocket.json", "]}\n", "]", "the text ends"),
    Harm("bottlerocket-stores.json", "]}\n", "]}}", "text after the end of the feed"),
    Harm("retailer-stores.json", #""stores":["#, #""stores":{"#, "expected"),
    Harm("foursquare.json", #""venues":["#, #""venues":7,"x":["#, #""venues" is not an array"#),
    Harm("foursquare-places.json", #""results":["#, #""results":[,"#, "expected a value"),
    Harm("fsq-os.csv", "javascript:alert(1)", "\"javascript", "inside a quoted cell"),
    Harm("overture.geojson", "\"features\"", "'features'", "member name in double quotes"),
    Harm("overpass.json", "]}\n", #"],"remark":"runtime error: out of memory"}"#, "did not finish"),
    Harm("yelp-fusion.json", #""total":3"#, #""businesses":[]"#, #"the member "businesses" twice"#),
    Harm("google.json", "]}\n", "", "the text ends"),
    Harm("google-legacy.json", #""status":"OK""#, #""status":OK"#, "expected a value"),
    Harm(
      "google-legacy.json",
      #""status":"OK""#,
      #""status":"OVER_QUERY_LIMIT","error_message":"slow down""#,
      "Google did not answer: OVER_QUERY_LIMIT (slow down); ask it again"
    ),
    Harm("schema-org.json", #""@graph":["#, #""@graph":null,"g":["#, #""@graph" is not an array"#),
    Harm("csv.csv", "LAT,Long", "LAT,Width", "no latitude and longitude"),
    Harm("tsv.tsv", "category", "name", #"the header names "name" twice"#),
  ]

  @Test(arguments: feedHarms)
  func `a harmed feed is refused as a whole`(harm: Harm) throws {
    let refusal = try #require(Feeds.refusal(of: harm.feed()))
    #expect(refusal.contains(harm.problem), "\(refusal)")
  }
}
