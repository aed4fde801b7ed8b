import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

struct FeedTextTests {
  @Test(
    arguments: [
      ([], "the feed is empty"),
      (Array(" \r\n\t".utf8), "the feed has only white space"),
      ([0xEF, 0xBB, 0xBF], "the feed has only white space"),
      ([0x1F, 0x8B, 8], "the gzip data ends early; the file is incomplete"),
      (
        [0x50, 0x4B, 3, 4],
        "this is a ZIP archive, not a feed; unpack it first: unzip feed.json"
      ),
      (
        Array("PAR1".utf8),
        "this is Parquet, not a feed; convert it: "
          + #"duckdb -c "COPY (FROM 'feed.json') TO 'feed.jsonl' (FORMAT json)""#
      ),
      (
        Array("SQLite format 3\0".utf8),
        "this is an SQLite database, not a feed; import the file itself where GDAL is installed (gdal-bin), "
          + "or convert it: ogr2ogr -f GeoJSON feed.geojson feed.json"
      ),
      (Array("%PDF-1.4".utf8), "this is a PDF, not a feed"),
    ] as [([UInt8], String)]
  )
  func `bytes that are not text are named`(_ bytes: [UInt8], _ problem: String) {
    #expect(Feeds.refusal(of: bytes) == "feed.json: \(problem)")
  }

  @Test(arguments: [
    ("<!DOCTYPE html><p>404", "an HTML page"), ("<HTML>", "an HTML page"),
    ("<?xml version=\"1.0\"?>\n<kml>", "KML"), ("<gpx>", "GPX"), ("<osm>", "OpenStreetMap XML"),
    ("<?xml?><rss>", "an RSS feed"), ("<?xml?><x/>", "XML"),
  ])
  func `markup is named by its first element`(_ text: String, _ kind: String) {
    #expect(
      Feeds.refusal(of: "\n" + text)?
        .hasPrefix("feed.json:2: byte 1: this is \(kind), not a feed") == true
    )
  }

  @Test func `the error page of a file host is told by its code`() throws {
    let page =
      "<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code><Message>x</Message></Error>"
    let refusal = try #require(Feeds.refusal(of: page))
    #expect(refusal.lowercased().contains("this is an xml error page (accessdenied)"))
  }

  @Test func `a byte order mark and white space in front are skipped`() throws {
    let bytes = [0xEF, 0xBB, 0xBF] + Array("\r\n {\"restaurants\":[5]}".utf8)
    let feed = try FeedReader(source: "a").read(bytes)
    #expect(
      feed.rejected.map(\.description) == [
        "a:2: record 1 (byte 22): the record is a number, not an object"
      ]
    )
  }

  @Test func `a byte that is not UTF-8 refuses the feed and is named`() {
    let head = Array("{\"restaurants\":[\n{\"name\":\"".utf8)
    #expect(
      Feeds.refusal(of: head + [0xE9] + Array("\"}]}".utf8))
        == "feed.json:2: byte 26: byte 0xE9 is not valid UTF-8; windows-1252 gives \"é\"; "
        + "read it as windows-1252, or convert it: "
        + "iconv -f WINDOWS-1252 -t UTF-8 feed.json > feed.utf8"
    )
    // a lone surrogate in UTF-8 form, and a sequence that the end cuts off
    #expect(
      Feeds.refusal(of: head + [0xED, 0xA0, 0x80])?.contains("byte 0xED is not valid") == true
    )
    #expect(Feeds.refusal(of: head + [0xF0, 0x9F])?.contains("byte 0xF0 is not valid") == true)
  }
}
