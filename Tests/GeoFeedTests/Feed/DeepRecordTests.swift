import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

/// A record that is nested too deep costs itself only, however deep, whichever the format.
struct DeepRecordTests {
  private static let depths = [33, 1_000, 150_000]

  private func nest(_ depth: Int) -> [String] {
    [("[", "]"), (#"{"a":"#, "}")].map { open, close in
      String(repeating: open, count: depth) + (open == "[" ? "" : "1")
        + String(repeating: close, count: depth)
    }
  }

  private func expectOnlyDeepIsLost(_ feed: String, as format: FeedFormat, line: Int) throws {
    let read = try Feeds.read(feed)
    #expect(read.format == format)
    #expect(read.restaurants.map(\.name) == ["First", "Last"])
    #expect(read.rejected.map(\.problem) == ["nested deeper than 32 levels"])
    #expect(read.rejected.first?.record == 2)
    #expect(read.rejected.first?.line == line)
  }

  @Test(arguments: depths)
  func `in a document`(_ depth: Int) throws {
    for deep in nest(depth) {
      let records = ["First", "Deep", "Last"].map { name in
        #"{"name":"\#(name)","location":{"lat":1,"lng":2},"x":\#(name == "Deep" ? deep : "1")}"#
      }
      try expectOnlyDeepIsLost(
        #"{"restaurants":["# + records.joined(separator: ",\n") + "]}",
        as: .bottlerocket,
        line: 2
      )
      // the recognizer sees it first, and past it
      let first = try Feeds.read(
        #"{"restaurants":["# + ([records[1]] + records).joined(separator: ",") + "]}"
      )
      #expect(first.rejected.map(\.record) == [1, 3])
    }
  }

  @Test(arguments: depths)
  func `in GeoJSON, also where the type comes after the features`(_ depth: Int) throws {
    for deep in nest(depth) {
      let features = ["First", "Deep", "Last"].map { name in
        #"{"type":"Feature","properties":{"name":"\#(name)","x":\#(name == "Deep" ? deep : "1")},"#
          + #""geometry":{"type":"Point","coordinates":[2,1]}}"#
      }
      let collection = "[" + features.joined(separator: ",\n") + "]"
      try expectOnlyDeepIsLost(
        #"{"type":"FeatureCollection","features":\#(collection)}"#,
        as: .geojson,
        line: 2
      )
      try expectOnlyDeepIsLost(
        #"{"features":\#(collection),"type":"FeatureCollection"}"#,
        as: .geojson,
        line: 2
      )
      for start in ["", "\u{1E}"] {
        let sequence = features.map { start + $0 + "\n" }
        try expectOnlyDeepIsLost(sequence.joined(), as: .geojsonseq, line: 2)
        let first = try Feeds.read(([sequence[1]] + sequence).joined())
        #expect(first.rejected.map(\.record) == [1, 3])
      }
    }
  }

  @Test(arguments: depths)
  func `in lines of JSON, and in an array`(_ depth: Int) throws {
    for deep in nest(depth) {
      let lines = ["First", "Deep", "Last"].map { name in
        #"{"name":"\#(name)","lat":1,"lon":2,"x":\#(name == "Deep" ? deep : "1")}"#
      }
      try expectOnlyDeepIsLost(lines.joined(separator: "\n"), as: .jsonl, line: 2)
      let array = "[" + lines.joined(separator: ",\n") + "]"
      try expectOnlyDeepIsLost(array, as: .jsonl, line: 2)
    }
  }

  @Test func `one that is too long as well is skipped as that`() throws {
    let deep = nest(600_000)[0]
    for feed in [
      #"{"restaurants":[{"x":\#(deep)},{"name":"A","location":{"lat":1,"lng":2}}]}"#,
      #"{"beside":\#(deep),"restaurants":[{"x":\#(deep)},{"name":"A","location":{"lat":1,"lng":2}}]}"#,
    ] {
      let read = try Feeds.read(feed, as: .bottlerocket)
      #expect(read.restaurants.map(\.name) == ["A"])
      #expect(read.rejected.first?.problem.hasPrefix("the record has 1200006 bytes") == true)
    }
  }

  @Test func `an array that is not closed costs its line`() throws {
    let open = String(repeating: "[1,\n", count: 20_000)
    let record = #"{"name":"A","lat":1,"lon":2}"# + "\n"
    let feed = try Feeds.read(record + open + record, as: .jsonl)
    #expect(feed.restaurants.count == 1 || feed.restaurants.count == 2)
    #expect(feed.rejected.count >= 20_000)
  }
}
