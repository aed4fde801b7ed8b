import Testing

@testable import GeoFeed
@testable import GeoQuery

struct FeedErrorTests {
  @Test func `an error says where and then what, as far as the place is known`() {
    let problem = "latitude 95.2 is not in -90...90"
    #expect(
      FeedError(source: "lunch.json", record: 12, line: 214, byte: 5_120, problem: problem)
        .description == "lunch.json:214: record 12 (byte 5120): latitude 95.2 is not in -90...90"
    )
    #expect(
      FeedError(source: "lunch.json", record: 12, problem: problem).description
        == "lunch.json: record 12: latitude 95.2 is not in -90...90"
    )
    #expect(
      FeedError(source: "lunch.json", line: 3, byte: 40, problem: "broken").description
        == "lunch.json:3: byte 40: broken"
    )
    #expect(
      FeedError(source: "standard input", problem: "the feed is empty").description
        == "standard input: the feed is empty"
    )
  }
}
