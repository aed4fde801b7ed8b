extension OddRecord {
  /// Ids as feeds have them.
  static let ids: [OddRecord] = [
    OddRecord("an id of digits", id("7"), .kept(#""id":"7""#)),
    OddRecord("an id with a fraction", id("1.50"), .kept(#""id":"1.50""#)),
    OddRecord("an empty id", id(#""""#), .kept(#""id":"odd-"#)),
    OddRecord("a null id", id("null"), .kept(#""id":"odd-"#)),
    OddRecord("an array as id", id("[1]"), .kept(#""extra":{"id":[1]}"#)),
    OddRecord("true as id", id("true"), .kept(#""extra":{"id":true}"#)),
    OddRecord("an id of 10 KB", id("\"\(long(10_240))\""), .kept("\"id\":\"\(long(10_240))\"")),
    OddRecord("a slash", id(#""node/123""#), .kept(#""id":"node/123""#)),
    OddRecord("a way out", id(#""../../etc/passwd""#), .kept(#""id":"../../etc/passwd""#)),
    OddRecord("an option", id(#""--help""#), .kept(#""id":"--help""#)),
    OddRecord("a line end", id(#""a\nb""#), .kept(#""id":"a\nb""#)),
    OddRecord("a NUL", id(#""a\u0000b""#), .rejected("id contains the character U+0000")),
    OddRecord("a dot", id(#"".""#), .rejected(#"id "." cannot be used in a URL"#)),
    OddRecord("two dots", id(#""..""#), .rejected(#"id ".." cannot be used in a URL"#)),
    OddRecord("three dots", id(#""...""#), .kept(#""id":"...""#)),
    OddRecord("SQL", id(#""'; DROP TABLE restaurants;--""#), .kept("'; DROP TABLE restaurants;--")),
  ]

  /// Texts that try to be more than text.
  static let words: [OddRecord] = [
    ("HTML", "<script>alert(1)</script>&amp;"),
    ("a javascript address", "javascript:alert(1)"),
    ("a data address", "data:text/html,<b>x</b>"),
    ("a file address", "file:///etc/passwd"),
    ("an address without a scheme", "//host/path"),
    ("an address with a password", "http://user:pass@host/"),
    ("a formula", "=HYPERLINK(\\\"http://x\\\")"),
    ("a right-to-left override", "a\u{202E}gpj.exe"),
    ("zero width", "a\u{200B}\u{FEFF}b"),
    ("a joined emoji", "\u{1F469}\u{200D}\u{1F373}"),
    ("10,000 combining marks", "e" + String(repeating: "\u{301}", count: 10_000)),
    ("64 KB", long(65_536)),
    ("a homograph", "\u{430}pple"),
    ("noncharacters", "\u{FFFF}\u{10FFFF}"),
    ("quotes and backslashes", #"\"\\\"\\\\"#),
    ("decomposed", "Cafe\u{301}"),
    ("mojibake", "a\u{C3}\u{A7}a\u{C3}\u{AD}"),
    ("a non-breaking space and CRLF", "a\u{A0}b\\r\\nc"),
  ].flatMap { name, text in
    [
      OddRecord("\(name) as name", TestFeed.name("\"x\(text)\""), .kept("\"name\":\"x\(text)\"")),
      OddRecord(
        "\(name) as address",
        TestFeed.members("\"website\":\"\(text)\",\"backgroundImageURL\":\"\(text)\""),
        .kept("\"imageURL\":\"\(text)\",\"website\":\"\(text)\"")
      ),
    ]
  }

  /// Geometries that are not Point, and Points that are odd.
  static let geometries: [OddRecord] =
    [
      OddRecord("a null geometry", TestFeed.geometry("null"), .rejected("missing or null")),
      OddRecord("an empty geometry", TestFeed.geometry("{}"), .rejected("missing or null")),
      OddRecord("an array as geometry", TestFeed.geometry("[3,1]"), .rejected("geometry is")),
      OddRecord("a Point without a position", point(nil), .rejected("coordinates are missing")),
      OddRecord("null coordinates", point("null"), .rejected("coordinates are missing")),
      OddRecord("no coordinate", point("[]"), .rejected("the position has 0 numbers")),
      OddRecord("one coordinate", point("[1]"), .rejected("the position has 1 number")),
      OddRecord(
        "a position in a position",
        point("[[3,1]]"),
        .rejected("the position has 1 number")
      ),
      OddRecord("five coordinates", point("[1,2,3,4,5]"), .rejected("the position has 5 numbers")),
      OddRecord("a height", point("[3,1,250]"), .kept(#""coordinates":[3,1,250]"#)),
      OddRecord("latitude first", point("[32.9,-96.8]"), .rejected("swapped?")),
      OddRecord(
        "a crs that says degrees",
        TestFeed.geometry(
          TestFeed.point,
          rootMembers:
            #","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}}"#
        ),
        .kept(#""name":"Odd""#)
      ),
      OddRecord(
        "foreign members",
        TestFeed.geometry(TestFeed.point, rootMembers: #","bbox":[0,0,9,9],"x":{"type":"y"}"#),
        .kept(#""name":"Odd""#)
      ),
      OddRecord(
        "a nested collection",
        TestFeed.collection(
          "\(TestFeed.collection(TestFeed.goodFeature)),\(TestFeed.goodFeature)"
        ),
        .rejected("the record is not a GeoJSON Feature")
      ),
      OddRecord(
        "null properties",
        TestFeed.collection(
          #"{"type":"Feature","geometry":\#(TestFeed.point),"properties":null},"#
            + TestFeed.goodFeature
        ),
        .rejected("name is missing")
      ),
    ] + otherGeometries

  private static let otherGeometries =
    [
      ("MultiPoint", "[[3,1],[4,1]]"), ("Circle", "[3,1]"),
    ].map { type, coordinates in
      OddRecord(
        type,
        TestFeed.geometry(#"{"type":"\#(type)","coordinates":\#(coordinates)}"#),
        .rejected("geometry is \(type); a Point is needed")
      )
    } + [
      OddRecord(
        "GeometryCollection",
        TestFeed.geometry(#"{"type":"GeometryCollection","geometries":[]}"#),
        .rejected("geometry is GeometryCollection; a Point is needed")
      )
    ]

  private static func id(_ id: String) -> String { TestFeed.members("\"id\":\(id)") }

  private static func point(_ coordinates: String?) -> String {
    TestFeed.geometry(
      #"{"type":"Point"\#(coordinates.map { #","coordinates":\#($0)"# } ?? "")}"#
    )
  }

  private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }
}
