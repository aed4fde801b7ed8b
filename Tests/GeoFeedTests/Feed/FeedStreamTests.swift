import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

/// Feeds that come piece by piece.
struct FeedStreamTests {
  private func feed(_ bytes: [UInt8], size: Int) throws -> Feed {
    try FeedReader(source: "a").read(from: DripBytes(bytes, size: size))
  }

  @Test(arguments: Fixture.all)
  func `a feed gives the same however it is cut into pieces`(fixture: Fixture) throws {
    let bytes = try fixture.bytes()
    let whole = try FeedReader(source: "a").read(bytes)
    for size in [1, 7, 64] {
      let feed = try feed(bytes, size: size)
      #expect(feed.format == whole.format)
      #expect(feed.restaurants.map(\.allBytes) == whole.restaurants.map(\.allBytes))
      #expect(feed.rejected == whole.rejected)
      #expect(feed.warnings == whole.warnings)
    }
  }

  private static func longFeature(_ number: Int) -> String {
    "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},"
      + "\"properties\":{\"name\":\"N\(number)\",\"note\":\""
      + String(repeating: "ü", count: 20_000 + number) + "\"}}"
  }

  @Test(arguments: ["\n", "\n\u{1E}", ","])
  func `records that lie across the window are whole`(_ separator: String) throws {
    // 8 MB in all, past the look-ahead and many chunks; every second byte can split a character
    let count = 200
    var text = (0..<count).map(Self.longFeature).joined(separator: separator)
    if separator == "," { text = "{\"type\":\"FeatureCollection\",\"features\":[\(text)]}" }
    let feed = try Feeds.read(text)
    #expect(feed.rejected.isEmpty)
    #expect(feed.restaurants.map(\.name) == (0..<count).map { "N\($0)" })
    #expect(feed.format == (separator == "," ? .geojson : .geojsonseq))
  }

  @Test(arguments: ["\u{1E}", "\n"], [FeedReader.maximumRecordBytes, 3_000_000])
  func `a first text that is too long costs only itself`(_ start: String, length: Int) throws {
    let letters = String(repeating: "y", count: length)
    let long = Self.longFeature(1).replacing("ü", with: letters, maxReplacements: 1)
    // only a separator tells where a text ends that is not closed
    for first in start == "\n" ? [long] : [long, String(long.dropLast(9))] {
      let feed = try Feeds.read(start + first + "\n" + start + Self.longFeature(2))
      #expect(feed.format == .geojsonseq)
      #expect(feed.restaurants.map(\.name) == ["N2"])
      #expect(feed.rejected.count == 1)
    }
  }

  @Test func `errors far into a feed name line, record and byte`() throws {
    let lines = (0..<100).map(Self.longFeature)
    let text = lines.joined(separator: "\n") + "\n{\"type\":5}\n\n" + lines[0] + "\n{\"x\" 1}\n"
    let feed = try Feeds.read(text)
    let start = lines.reduce(0) { $0 + $1.utf8.count + 1 }
    #expect(
      feed.rejected.map(\.description) == [
        "feed.json:101: record 101 (byte \(start)): the record is not a GeoJSON Feature",
        "feed.json:103: record 102 (byte \(start + 12)): it has no id of its own, and its name, "
          + "address and position are those of record 1",
        "feed.json:104: record 103 (byte \(start + 12 + lines[0].utf8.count + 6)): "
          + "expected \":\", found \"1\"",
      ]
    )
  }

  @Test func `a fault after the records is thrown after them`() throws {
    let record = #"{"name":"A","location":{"lat":1,"lng":2}}"#
    let text = "{\"restaurants\":[\(record)],\"note\":\"" + String(repeating: "x", count: 2 << 20)
    for (end, problem) in [
      ("\"} x", "text after the end of the feed"), ("", "the text ends inside a string"),
      ("\",}", "expected a member name in double quotes"), ("\u{1}", "control character"),
    ] {
      var stream = try FeedReader(source: "a").stream(MemoryBytes(Array((text + end).utf8)))
      guard case .accepted(let first)? = try stream.next() else {
        Issue.record("no record")
        return
      }
      #expect(first.restaurant.name == "A")
      let error = #expect(throws: FeedError.self) { try stream.next() }
      #expect(error?.problem.contains(problem) == true, "\(error?.description ?? "")")
      #expect(error?.byte ?? 0 > 2 << 20)
    }
  }

  @Test func `a byte that is not UTF-8 is found far into the feed`() throws {
    var bytes = Array((0..<100).map(Self.longFeature).joined(separator: "\n").utf8)
    let place = bytes.count - 51
    bytes[place] = 0xFF
    #expect(
      Feeds.refusal(of: bytes)?
        .hasPrefix("feed.json:100: byte \(place): byte 0xFF is not valid UTF-8; ") == true
    )
  }

  @Test func `the text of an entry is buffered until the next`() throws {
    let lines = [#"{"lat":1,"lon":2,"name":"A"}"#, #"{"lat":1}"#]
    let bytes = Array(lines.joined(separator: "\n").utf8)
    var stream = try FeedReader(source: "a").stream(DripBytes(bytes, size: 5))
    for line in lines {
      _ = try #require(try stream.next())
      #expect(stream.recordText == Array(line.utf8))
    }
    if try stream.next() != nil { Issue.record("there is more than two records") }
    #expect(stream.recordCount == 2)
    #expect(stream.byteCount == bytes.count)
  }

  @Test(arguments: [
    ("", " "), ("{\"restaurants\":[", " "), ("{\"restaurants\":[\"", "x"),
    ("{\"restaurants\":[", "9"),
    ("{\"lat\":1}\n\"", "x"), ("name,lat,lon\n\"", "x,\n"),
  ])
  func `what never ends is given up`(_ start: String, _ pattern: String) {
    let bytes = EndlessBytes(start, then: pattern, upTo: 300 << 20)
    #if DEBUG
    // unoptimized code takes minutes for as much
    if pattern != "x,\n" { return }
    #endif
    #expect(throws: FeedError.self) { try FeedReader(source: "a").read(from: bytes) }
  }
}
