extension RefusedFeed {
  /// Bytes that are not JSON text.
  static let bytes: [RefusedFeed] = [
    RefusedFeed("nothing", "", "the feed is empty"),
    RefusedFeed("white space", " \n\t\r ", "only white space"),
    RefusedFeed("a byte order mark alone", [0xEF, 0xBB, 0xBF], "only white space"),
    RefusedFeed("UTF-16 that ends early", cut(TestFeed.name(#""é""#)), "character"),
    RefusedFeed("UTF-16 of half a pair", [0xFF, 0xFE, 0x7B, 0, 0, 0xD8, 0x7B, 0], "character"),
    RefusedFeed("Latin-1 in a name", name([0xE9]), "byte 0xE9 is not valid UTF-8"),
    RefusedFeed("a byte that UTF-8 never has", name([0xFF]), "byte 0xFF is not valid UTF-8"),
    RefusedFeed("an overlong slash", name([0xC0, 0xAF]), "byte 0xC0 is not valid UTF-8"),
    RefusedFeed("a surrogate in UTF-8", name([0xED, 0xA0, 0x80]), "byte 0xED is not valid UTF-8"),
    RefusedFeed("beyond U+10FFFF", name([0xF4, 0x90, 0x80, 0x80]), "is not valid UTF-8"),
    RefusedFeed("half a character at the end", name([0xE2, 0x82]), "is not valid UTF-8"),
    RefusedFeed("a thousand NULs", [UInt8](repeating: 0, count: 1_000), "found byte 0x00"),
    RefusedFeed("a NUL in a string", name([0]), "control character 0x00 inside a string"),
    RefusedFeed("a line end in a string", name([0x0A]), "control character 0x0A inside a string"),
    RefusedFeed("gzip", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0], "gzip"),
    RefusedFeed("ZIP", Array("PK\u{3}\u{4}".utf8), "ZIP"),
    RefusedFeed("Parquet", "PAR1", "Parquet"),
    RefusedFeed("PDF", "%PDF-1.4\n", "a PDF"),
    RefusedFeed("SQLite", "SQLite format 3\0", "an SQLite database"),
    RefusedFeed("PNG", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "not valid UTF-8"),
  ]

  /// Text that is not JSON by RFC 8259.
  static let grammar: [RefusedFeed] = [
    RefusedFeed("trailing garbage", TestFeed.records(TestFeed.good) + " x", "after the end"),
    RefusedFeed("two documents", twice(TestFeed.records(TestFeed.good)), "after the end"),
    RefusedFeed("a comment in front", "/*c*/" + TestFeed.name("1"), #"found "/""#),
    RefusedFeed("a comment behind", TestFeed.name("1") + "//c", "after the end"),
    RefusedFeed("single quotes", "{'restaurants':[]}", "a member name in double quotes"),
    RefusedFeed("a name without quotes", "{restaurants:[]}", "a member name in double quotes"),
    RefusedFeed("a trailing comma", #"{"restaurants":[1,]}"#, "expected a value"),
    RefusedFeed("a comma too few", #"{"restaurants":[1 2]}"#, #"expected "," or "]""#),
    RefusedFeed("no colon", #"{"restaurants" []}"#, #"expected ":""#),
    RefusedFeed("the wrong bracket", #"{"restaurants":[1}"#, #"expected "," or "]""#),
    RefusedFeed("undefined", TestFeed.position("undefined", "1"), "expected a value"),
    RefusedFeed("True", TestFeed.position("True", "1"), "expected a value"),
    RefusedFeed("a plus sign", TestFeed.position("+1", "1"), "expected a value"),
    RefusedFeed("a leading zero", TestFeed.position("01", "1"), #"expected "," or "}""#),
    RefusedFeed("a leading point", TestFeed.position(".5", "1"), "expected a value"),
    RefusedFeed("a trailing point", TestFeed.position("1.", "1"), "expected a digit"),
    RefusedFeed("hexadecimal", TestFeed.position("0x10", "1"), #"expected "," or "}""#),
    RefusedFeed("an unknown escape", TestFeed.name(#""\x41""#), "an escape"),
    RefusedFeed("a short escape", TestFeed.name(#""\u12""#), "four hexadecimal digits"),
    RefusedFeed("100,000 open brackets", String(repeating: "[", count: 100_000), "the text ends"),
  ]

  private static func name(_ bytes: [UInt8]) -> [UInt8] {
    Array(#"{"restaurants":[{"name":"a"#.utf8) + bytes
      + Array(#"","location":{"lat":1,"lng":2}}]}"#.utf8)
  }

  /// Little-endian UTF-16 with a byte order mark, without its last byte.
  private static func cut(_ text: String) -> [UInt8] {
    ("\u{FEFF}" + text).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }.dropLast()
  }

  private static func twice(_ text: String) -> String { text + text }
}
