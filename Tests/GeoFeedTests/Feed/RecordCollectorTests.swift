import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

struct RecordCollectorTests {
  @Test func `of two records with one id the first stays, and both places are named`() throws {
    let feed = try Feeds.read(
      """
      {"restaurants":[{"id":"x","name":"A","location":{"lat":1,"lng":2}},
      {"name":"Other","location":{"lat":1,"lng":2}},
      {"id":"x","name":"B","location":{"lat":3,"lng":4}}]}
      """
    )
    #expect(feed.restaurants.map(\.name) == ["A", "Other"])
    #expect(
      feed.rejected.map(\.description) == [
        "feed.json:3: record 3 (byte 115): id \"x\" is the same as in record 1"
      ]
    )
    #expect(feed.recordNumbers == [1, 2])
    #expect(feed.readCount == 3)
  }

  @Test func `ids that differ only in normalization are two records`() throws {
    let feed = try Feeds.read(
      """
      {"restaurants":[{"id":"\u{E9}","name":"A","location":{"lat":1,"lng":2}},
      {"id":"e\u{301}","name":"B","location":{"lat":1,"lng":2}}]}
      """
    )
    #expect(feed.restaurants.map(\.name) == ["A", "B"])
  }

  @Test func `a restaurant listed twice without an id is one`() throws {
    let record = #"{"name":"A","location":{"lat":1,"lng":2,"address":"x"}}"#
    let feed = try Feeds.read("{\"restaurants\":[\(record),\(record)]}")
    #expect(feed.restaurants.count == 1)
    #expect(feed.rejected.map(\.record) == [2])
  }

  @Test func `a warning names the record and costs nothing`() throws {
    let feed = try Feeds.read(
      """
      {"restaurants":[5,
      {"name":"A","location":{"lat":"1","lng":0}}]}
      """
    )
    #expect(feed.restaurants.count == 1)
    #expect(feed.rejected.count == 1)
    #expect(
      feed.warnings.map(\.description) == [
        "feed.json:2: record 2 (byte 19): latitude \"1\" is text; read as a number"
      ]
    )
    #expect(feed.recordNumbers == [2])
  }

  @Test func `a record is taken up to 1 MiB, as it is and as GeoJSON`() throws {
    func record(_ bytes: Int) -> String {
      let head = #"{"name":"A","location":{"lat":1,"lng":2},"x":""#
      return head + String(repeating: "x", count: bytes - head.utf8.count - 2) + "\"}"
    }
    let limit = FeedReader.maximumRecordBytes
    #expect(try Feeds.read("{\"restaurants\":[\(record(limit - 1_000))]}").restaurants.count == 1)
    let grown = try Feeds.read("{\"restaurants\":[\(record(limit))]}")
    #expect(grown.rejected.first?.problem == "the record is longer than 1 MiB as GeoJSON")
    let over = try Feeds.read("{\"restaurants\":[\(record(limit + 1)),\(record(2 * limit))]}")
    #expect(over.restaurants.isEmpty)
    #expect(over.rejected.last?.problem == "the record has 2097152 bytes; the limit is 1048576")
    #expect(over.rejected.count == 2)
  }

  @Test(arguments: [
    #"{"x":"LONG","name":"A","latitude":1,"longitude":2}"#,
    #"{"name":"A","x":"LONG","latitude":1,"longitude":2}"#,
    #"{"x":[{"y":"LONG"}],"name":"A"}"#, #"{"x":{"y":["LONG","LONG"]}}"#,
  ])
  func `a first record that is too long to be recognized is named with its size`(
    text: String
  ) throws {
    let record = text.replacing("LONG", with: String(repeating: "x", count: 2_000_000))
    let problem = "the record has \(record.utf8.count) bytes; the limit is 1048576"
    let alone = try Feeds.read(" [\n \(record)]")
    #expect(alone.rejected.map(\.description) == ["feed.json:2: record 1 (byte 4): \(problem)"])
    let other = #"{"name":"B","latitude":1,"longitude":2}"#
    let feed = try Feeds.read("[\(record),\(other)]")
    #expect(feed.restaurants.map(\.name) == ["B"] && feed.rejected.first?.problem == problem)
    // a root may be a record or hold them
    let error = #expect(throws: FeedError.self) { try Feeds.read("\(record)\n\(other)\n") }
    #expect(error?.problem.contains("an object of more than 1 MiB") == true)
    #expect(error?.problem.contains("at most 1048576 bytes") == true)
  }
}
