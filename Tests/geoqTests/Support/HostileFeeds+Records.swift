extension OddRecord {
  /// JSON that is legal and odd.
  static let values: [OddRecord] = [
    OddRecord("a byte order mark", "\u{FEFF}" + TestFeed.name(#""Odd""#), .kept(#""name":"Odd""#)),
    OddRecord("half a surrogate pair", TestFeed.name(#""a\ud800""#), .rejected(#"\ud800 is half"#)),
    OddRecord("the other half", TestFeed.name(#""a\udc00b""#), .rejected(#"\udc00 is half"#)),
    OddRecord("two first halves", TestFeed.name(#""\ud83c\ud83c""#), .rejected("is half of a")),
    OddRecord("a whole pair", TestFeed.name(#""\ud83c\udf5c""#), .kept(#""name":"🍜""#)),
    OddRecord("NUL in a name", TestFeed.name(#""a\u0000""#), .rejected("name contains the char")),
    OddRecord("NUL in extra", TestFeed.members(#""x":"a\u0000b""#), .kept(#""x":"a\u0000b""#)),
    OddRecord(
      "a member twice",
      TestFeed.members(#""name":"Even""#),
      .rejected(#"member "name" is given twice"#)
    ),
    OddRecord(
      "a member twice, once escaped",
      TestFeed.members(#""n\u0061me":"Even""#),
      .rejected(#"member "name" is given twice"#)
    ),
    OddRecord(
      "members that differ in normalization",
      TestFeed.members("\"caf\u{E9}\":1,\"cafe\u{301}\":2"),
      .kept("\"caf\u{E9}\":1,\"cafe\u{301}\":2")
    ),
    OddRecord(
      "an integer beyond 64 bits",
      TestFeed.members(#""x":18446744073709551617"#),
      .kept(#""x":18446744073709551617"#)
    ),
    OddRecord("23 arrays", nested(23, "[", "]"), .kept(TestFeed.nested(23, "[", "]"))),
    OddRecord("23 objects", nested(23, #"{"a":"#, "}"), .kept(TestFeed.nested(23, #"{"a":"#, "}"))),
    tooDeep(33, "[", "]"), tooDeep(33, #"{"a":"#, "}"), tooDeep(512, "[", "]"),
    tooDeep(100_000, "[", "]"), tooDeep(100_000, #"{"a":"#, "}"),
    OddRecord("a null record", TestFeed.records("null"), .rejected("the record is null")),
    OddRecord("a text record", TestFeed.records(#""x""#), .rejected("the record is text")),
    OddRecord("an array record", TestFeed.records("[]"), .rejected("the record is an array")),
    OddRecord(
      "null everywhere",
      TestFeed.records(#"{"name":null,"location":null,"contact":null}"#),
      .rejected("name is missing")
    ),
    OddRecord(
      "null in every optional member",
      TestFeed.members(#""category":null,"contact":null,"rating":null,"id":null"#),
      .kept(#""name":"Odd","latitude":1.0"#)
    ),
    OddRecord("a name of digits", TestFeed.name("7"), .kept(#""name":"7""#)),
    OddRecord("an empty name", TestFeed.name(#""""#), .rejected("name is empty")),
    OddRecord("a blank name", TestFeed.name("\" \u{A0}\\t\""), .rejected("name is empty")),
    OddRecord("an object as name", TestFeed.name("{}"), .rejected("name is an object")),
  ]

  /// Positions that are none, and those at the edge.
  static let positions: [OddRecord] = [
    OddRecord("swapped", TestFeed.position("-96.8", "32.9"), .rejected("swapped?")),
    OddRecord("90.0000001", TestFeed.position("90.0000001", "1"), .rejected("latitude 90.0000001")),
    OddRecord(
      "180.0000001",
      TestFeed.position("1", "180.0000001"),
      .rejected("180.0000001 is not")
    ),
    OddRecord("-180.1", TestFeed.position("1", "-180.1"), .rejected("longitude -180.1 is not")),
    OddRecord("360", TestFeed.position("1", "360"), .rejected("longitude 360.0 is not")),
    OddRecord("540", TestFeed.position("1", "540"), .rejected("longitude 540.0 is not")),
    OddRecord("1e400", TestFeed.position("1e400", "1"), .rejected("1e400 is too large")),
    OddRecord("-1e400", TestFeed.position("1", "-1e400"), .rejected("-1e400 is too large")),
    OddRecord("2^64", TestFeed.position("18446744073709551616", "1"), .rejected("latitude 1.8")),
    OddRecord("the least number", TestFeed.position("5e-324", "1"), .kept(#""latitude":5e-324"#)),
    OddRecord("less than that", TestFeed.position("1e-400", "1"), .kept(#""latitude":0.0"#)),
    OddRecord("two commas", TestFeed.position(#""48,2,1""#, "1"), .rejected(#""48,2,1" is not"#)),
    OddRecord(
      "a wrong hemisphere",
      TestFeed.position(#""4.2E""#, "1"),
      .rejected(#""4.2E" is not"#)
    ),
    OddRecord("an empty text", TestFeed.position(#""""#, "1"), .rejected(#"latitude "" is not"#)),
    OddRecord("the text nan", TestFeed.position(#""nan""#, "1"), .rejected(#""nan" is not"#)),
    OddRecord("the text 0x1p3", TestFeed.position(#""0x1p3""#, "1"), .rejected(#""0x1p3" is not"#)),
    OddRecord(
      "a blank before it",
      TestFeed.position(#"" 48.2""#, "1"),
      .warned(#"latitude " 48.2" is text"#, keeps: #""latitude":48.2"#)
    ),
    OddRecord("a blank in it", TestFeed.position(#""4 8.2""#, "1"), .rejected(#""4 8.2" is not"#)),
    OddRecord(
      "a number as text",
      TestFeed.position(#""48.2""#, "1"),
      .warned(#"latitude "48.2" is text"#, keeps: #""latitude":48.2"#)
    ),
    OddRecord("null", TestFeed.position("null", "1"), .rejected("latitude is missing")),
    OddRecord("true", TestFeed.position("1", "true"), .rejected("longitude is true")),
    OddRecord("an array", TestFeed.position("[48]", "1"), .rejected("latitude is an array")),
    OddRecord("an object", TestFeed.position("{}", "1"), .rejected("latitude is an object")),
    OddRecord(
      "no location",
      TestFeed.records(#"{"name":"Odd"}"#),
      .rejected("latitude is missing")
    ),
    OddRecord(
      "a location of text",
      TestFeed.records(#"{"name":"Odd","location":"1,2"}"#),
      .rejected("location is text")
    ),
    OddRecord(
      "null island",
      TestFeed.position("0", "0"),
      .rejected("both 0")
    ),
    OddRecord("minus zero", TestFeed.position("-0.0", "1"), .kept(#""latitude":-0.0"#)),
    OddRecord("the north pole", TestFeed.position("90", "180"), .kept(#":90.0,"longitude":180.0"#)),
    OddRecord("the south pole", TestFeed.position("-90", "7"), .kept(#":-90.0,"longitude":7.0"#)),
    OddRecord("-180", TestFeed.position("1", "-180"), .kept(#""longitude":-180.0"#)),
  ]

  private static func tooDeep(_ depth: Int, _ open: String, _ close: String) -> OddRecord {
    OddRecord(
      "\(depth) deep in \(open)",
      nested(depth, open, close),
      .rejected("nested deeper than 32 levels")
    )
  }

  private static func nested(_ depth: Int, _ open: String, _ close: String) -> String {
    TestFeed.members(#""x":"# + TestFeed.nested(depth, open, close))
  }
}
