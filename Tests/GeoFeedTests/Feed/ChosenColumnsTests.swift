import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

/// Columns that a user names, where the feed has none or knows better; and how a table is cut.
struct ChosenColumnsTests {
  private func read(_ text: String, _ names: [RestaurantField: String]) throws -> Feed {
    var reader = FeedReader(source: "a", name: "feed.json")
    reader.columns.names = names
    return try reader.read(Array(text.utf8))
  }

  private func refusal(_ text: String, _ names: [RestaurantField: String]) -> String? {
    do {
      _ = try read(text, names)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(
    arguments: [
      (#"{"restaurants":[]}"#, "bottlerocket"), (#"{"business_id":"a","name":"A"}"#, "yelp"),
      (#"{"elements":[]}"#, "overpass"), ("fsq_place_id,name,locality,lat,lon\n", "fsq-os"),
    ]
  )
  func `a feed whose names are known takes no others`(text: String, format: String) {
    let problem = refusal(text, [.name: "name"])
    #expect(problem?.contains("this looks like \(format), whose names are known") == true)
  }

  @Test func `GeoJSON takes an id from a property, and no position`() throws {
    let text =
      #"{"type":"Feature","id":9,"geometry":{"type":"Point","coordinates":[2,1]},"#
      + #""properties":{"TITEL":"x","code":"07"}}"#
    let feed = try read(text, [.name: "TITEL", .id: "code"])
    #expect(feed.restaurants.map(\.id) == ["07"])
    #expect(feed.restaurants.map(\.name) == ["x"])
    #expect(refusal(text, [.latitude: "a", .longitude: "b"])?.contains("in its geometry") == true)
  }

  @Test(
    arguments: [
      ("name;lat;lon;\"a,b,c,d,e,f\"\nA;1;2;3\n", "A"),
      ("no,te,s,x,y\tlat\tlon\tname\n1\t1\t2\tA", "A"),
      ("sep=;\nname;lat;lon\nA;1;2\n", "A"), ("sep=,\r\nname,lat,lon\r\nA,1,2\r\n", "A"),
      ("name,lat,lon,\"a;b;c;d;e\"\nA,1,2,3\n", "A"),
    ]
  )
  func `the separator is the one by which a position is found`(text: String, name: String) throws {
    let feed = try Feeds.read(text)
    #expect(feed.restaurants.map(\.name) == [name])
    #expect(feed.restaurants.first?.coordinate.longitude == 2)
  }

  @Test func `a row that is too long costs only itself, unless a quote is in it`() throws {
    let long = String(repeating: "y", count: FeedReader.maximumRecordBytes)
    for rows in ["a,1,2,\(long)\nb,1,2,\n", "b,1,2,\na,1,2,\(long)\(long)"] {
      let feed = try Feeds.read("name,lat,lon,z\n" + rows)
      #expect(feed.restaurants.map(\.name) == ["b"])
      #expect(feed.rejected.first?.problem.contains("the limit is 1048576") == true)
      #expect(feed.rejected.first?.line == (rows.hasPrefix("a") ? 2 : 3))
    }
    let quoted = Feeds.refusal(of: "name,lat,lon,z\na,1,2,\"\(long)\(long)\nb,1,2,\nc,1,2,\n")
    #expect(quoted?.contains("is a quote not closed?") == true)
  }
}
