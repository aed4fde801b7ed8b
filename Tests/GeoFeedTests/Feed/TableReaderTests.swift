import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

/// Tables by RFC 4180, and what spreadsheets make of it.
struct TableReaderTests {
  private func names(_ text: String) throws -> [String] {
    try Feeds.read(text).restaurants.map(\.name)
  }

  @Test(arguments: [
    ("name,lat,lon\nA,1,2", ["A"]), ("name,lat,lon\r\nA,1,2\r\nB,3,4\r\n", ["A", "B"]),
    ("name,lat,lon\rA,1,2\rB,3,4", ["A", "B"]), ("\n\nname,lat,lon\n\nA,1,2\n\n\n", ["A"]),
    ("\"name\",\"lat\",\"lon\"\n\"A, B\",\"1\",\"2\"\n", ["A, B"]),
    ("name;lat;lon\nA, B;1;2\n", ["A, B"]), ("name\tlat\tlon\nA, B\t1\t2\n", ["A, B"]),
    ("name,lat,lon\n\"say \"\"hi\"\"\",1,2\n", ["say \"hi\""]),
    ("name,lat,lon\n\"\"\"\",1,2\n\"a\r\nb\",3,4", ["\"", "a\r\nb"]),
    ("name,lat,lon\n5\" pipe,1,2\n", ["5\" pipe"]), ("lon , LAT ,Name\n2,1, A \n", [" A "]),
    ("name,lat,lon,\nA,1,2,\n", ["A"]), ("name,lat,lon\nA,1,2,\nB,3,4,\n", ["A", "B"]),
    ("ylat,point_x,DBA\n1,2,A\n", ["A"]),
    ("title,the_geom\nA,POINT(2 1)\n", ["A"]),
  ])
  func `rows come apart as they should`(_ text: String, _ expected: [String]) throws {
    let feed = try Feeds.read(text)
    #expect(feed.restaurants.map(\.name) == expected)
    #expect(feed.rejected.isEmpty && feed.warnings.isEmpty)
    #expect(feed.restaurants.allSatisfy { [1, 3].contains($0.coordinate.latitude) })
  }

  @Test func `a row with cells too many or too few is skipped, with its line`() throws {
    let feed = try Feeds.read("name,lat,lon\n\"A\nA\",1,2\nB,1\nC,1,2,3\n\"D\"x,1,2\nE,1,2\n")
    #expect(feed.restaurants.map(\.name) == ["A\nA", "E"])
    #expect(
      feed.rejected.map(\.description) == [
        "feed.json:4: record 2 (byte 23): longitude is missing",
        "feed.json:5: record 3 (byte 27): the row has 4 cells; the header has 3",
        "feed.json:6: record 4 (byte 35): cell 1 has text after its closing quote",
      ]
    )
  }

  @Test func `texts stay texts`() throws {
    let feed = try Feeds.read(
      "name,lat,lon,zip,phone,facebook,x\n007,1,2,01234,0,92873089221,1.50\n"
    )
    let restaurant = feed.restaurants[0]
    #expect(restaurant.name == "007" && restaurant.address.postalCode == "01234")
    #expect(restaurant.contact.phone == "0" && restaurant.contact.facebook == "92873089221")
    #expect(restaurant.extra == [JSONMember(name: "x", value: .string("1.50"))])
  }

  @Test func `columns of other names are named, and others then mean nothing`() throws {
    var reader = FeedReader(source: "a")
    reader.columns.names = [.name: "wer", .latitude: "n", .longitude: "e", .id: "nr"]
    let feed = try reader.read(Array("nr,wer,n,e,name,id\n7,A,1,2,other,8\n".utf8))
    #expect(feed.restaurants.map(\.name) == ["A"] && feed.restaurants.map(\.id) == ["7"])
    #expect(JSONWriter.of(.object(feed.restaurants[0].extra)) == #"{"name":"other","id":"8"}"#)
    reader.columns.names[.category] = "kind"
    let error = #expect(throws: FeedError.self) {
      try reader.read(Array("nr,wer,n,e\n7,A,1,2\n".utf8))
    }
    #expect(
      error?.description
        == #"a:1: byte 0: the header has no column "kind"; it has "nr", "wer", "n", "e""#
    )
  }

  @Test func `members of JSON lines of other names are named too`() throws {
    var reader = FeedReader(source: "a")
    reader.columns.names = [.name: "wer"]
    reader.columns.point = "wo"
    let feed = try reader.read(Array(#"{"wer":"A","wo":"POINT(2 1)","name":"x"}"#.utf8))
    #expect(feed.restaurants.map(\.name) == ["A"])
    #expect(feed.restaurants.map(\.coordinate.latitude) == [1])
  }

  @Test func `a table that is asked for needs no two columns to be one`() {
    #expect(
      Feeds.refusal(of: "name\nA\n", as: .csv)
        == "feed.json:1: byte 0: no columns found: the first line has no comma, semicolon, tab or "
        + "pipe between names; name another delimiter"
    )
    #expect(Feeds.refusal(of: "hello, world\n")?.contains("no latitude and longitude") == true)
  }
}
