import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

/// GeoJSON text sequences: RFC 8142, and one Feature per line.
struct FeedLayoutTests {
  private func feature(_ name: String) -> String {
    "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},"
      + "\"properties\":{\"name\":\"\(name)\"}}"
  }

  private func read(_ parts: [String], joinedBy separator: String) throws -> Feed {
    try Feeds.read(parts.joined(separator: separator))
  }

  @Test(arguments: ["\n", "\r\n", "\n\n", "\n\u{1E}", "\u{1E}", "\n\u{1E}\u{1E}\n", ""])
  func `Features come apart at line ends and record separators`(_ separator: String) throws {
    let feed = try read(["A", "B", "C"].map(feature), joinedBy: separator)
    #expect(feed.restaurants.map(\.name) == ["A", "B", "C"])
    #expect(feed.format == .geojsonseq)
    #expect(feed.rejected.isEmpty)
  }

  @Test func `separators before the first and after the last are not records`() throws {
    let feed = try Feeds.read("\u{1E}\(feature("A"))\n\u{1E}\(feature("B"))\n\u{1E}\n")
    #expect(feed.restaurants.map(\.name) == ["A", "B"])
    #expect(feed.readCount == 2)
  }

  @Test(arguments: [
    #"{"type":"Feature", oops}"#, "nonsense", #"{"type":"Feature","x":[1,2}"#, "{\"a\":\"b",
    #"{"type""#, "]", "{\"a\":\"\\x\"}", #"{"a":"#, #"{"a":[1,"#, "[", "tru",
  ])
  func `a broken line in the middle costs only itself`(_ broken: String) throws {
    for separator in ["\n", "\n\u{1E}"] {
      let feed = try read([feature("A"), broken, feature("C")], joinedBy: separator)
      #expect(feed.restaurants.map(\.name) == ["A", "C"])
      #expect(feed.rejected.map(\.record) == [2])
      #expect(feed.recordNumbers == [1, 3])
    }
  }

  @Test func `a broken line is named with the byte where it goes wrong`() throws {
    let feed = try read([feature("A"), "  {\"type\" 5}", feature("C")], joinedBy: "\n")
    let start = feature("A").utf8.count + 1
    #expect(
      feed.rejected.map(\.description) == [
        "feed.json:2: record 2 (byte \(start + 10)): expected \":\", found \"5\""
      ]
    )
  }

  @Test func `a sequence that was cut is refused as a whole`() {
    let whole = feature("A") + "\n" + feature("B")
    let start = feature("A").utf8.count + 1
    for count in (start + 1)..<whole.utf8.count {
      let cut = String(decoding: Array(whole.utf8)[..<count], as: UTF8.self)
      let refusal = Feeds.refusal(of: cut)
      #expect(
        refusal?.hasPrefix(
          "feed.json:2: byte \(start): the feed ends inside a record: the text ends "
        ) == true,
        "cut after \(count): \(refusal ?? "read")"
      )
    }
  }

  @Test(arguments: ["true", "false", "null"])
  func `a sequence that was cut inside a literal is refused too`(_ literal: String) {
    for count in 1..<literal.count {
      let cut = feature("A") + "\n{\"type\":\"Feature\",\"x\":" + literal.prefix(count)
      let refusal = Feeds.refusal(of: cut)
      #expect(refusal?.contains("the feed ends inside a record") == true, "\(cut.suffix(6))")
    }
  }

  @Test func `what is not a Feature in a sequence is skipped`() throws {
    let feed = try read([feature("A"), "5", "[]", #"{"type":"Point"}"#], joinedBy: "\n")
    #expect(feed.restaurants.map(\.name) == ["A"])
    #expect(
      feed.rejected.map(\.problem)
        == Array(repeating: "the record is not a GeoJSON Feature", count: 3)
    )
  }

  @Test func `a sequence that is asked for may be one Feature long`() throws {
    let feed = try Feeds.read(feature("A"), as: .geojsonseq)
    #expect(feed.format == .geojsonseq)
    #expect(feed.restaurants.map(\.name) == ["A"])
  }
}
