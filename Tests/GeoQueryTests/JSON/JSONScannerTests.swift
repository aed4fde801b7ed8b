import Testing

@testable import GeoFeed
@testable import GeoQuery

struct JSONScannerTests {
  /// Both passes over a whole text; nil if it is taken.
  static func fault(in text: [UInt8]) -> JSONSyntaxError? {
    var check = JSONScanner(text)
    var build = JSONScanner(text)
    do throws(JSONSyntaxError) {
      try check.skipValue()
      check.skipWhitespace()
      if check.next != nil { throw check.unexpected("the end") }
      _ = try build.readValue()
      build.skipWhitespace()
      return build.position == check.position
        ? nil : JSONSyntaxError(offset: build.position, problem: "the passes end apart")
    } catch {
      return error
    }
  }

  static func fault(in text: String) -> JSONSyntaxError? { fault(in: Array(text.utf8)) }

  @Test(arguments: [
    // literals and structure
    "true", "false", "null", " null ", "\t\n\r null\n", "[]", "[ ]", "{}", "{ }", "[[]]",
    "[null, 1, \"1\", {}]", "{\"a\":{}}", "{\"\":0}", "{\"a\":1,\"b\":2}", "{\"a\\u0000b\":1}",
    "[[[1],[2]],{\"x\":[{}]}]", "{ \"a\" : [ 1 , 2 ] }",
    // numbers
    "0", "-0", "1", "-1", "123456789012345678901234567890", "0.5", "-0.5", "10.010", "1e5", "1E5",
    "1e+5", "1e-5", "0e0", "0E+00", "-0.0e-0", "1e400", "123.456e78", "[0]", "[-0]",
    // strings
    "\"\"", "\"a\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0041\\u00e9\\uD83D\\uDE00\"",
    "\"\u{7F}\"", "\"é漢😀\"", "\"\u{2028}\u{2029}\"", "\"/\"", "\"\\u0000\"", "\"\\uFFFF\"",
    "\"\u{FEFF}\"", "\" \"",
  ])
  func `texts of RFC 8259 are taken`(_ text: String) {
    #expect(Self.fault(in: text)?.problem == nil)
  }

  @Test(arguments: [
    // structure
    "", " ", "[", "]", "{", "}", "[1", "[1,", "[,1]", "[1,]", "[1,,2]", "[1 2]", "[1:2]", "1 2",
    "[1}", "{]", "[]]", "{}}", "[][]", "{\"a\"}", "{\"a\":}", "{\"a\":1", "{\"a\":1,}", "{,}",
    "{\"a\":1,,\"b\":2}", "{a:1}", "{'a':1}", "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}",
    "{\"a\":1}x", "{\"a\":1}/* */", "// a\n1", "[1] # c", "{null:1}", "{\"a\"::1}", "{\"a\",1}",
    // literals
    "tru", "True", "TRUE", "nul", "nulll", "undefined", "NaN", "Infinity", "-Infinity", "nan",
    "+true", "falsee", "[nul]",
    // numbers
    "-", "+1", "01", "-01", "00", "1.", ".5", "-.5", "1.e5", "1e", "1e+", "1e-", "1.5e", "0x10",
    "1_000", "1,5", "--1", "1-", "1..2", "1e5.5", "1 000", "0e", "2.e3", "-a", "１", "٣", "1f",
    // strings
    "\"", "\"a", "'a'", "\"\\\"", "\"\\x41\"", "\"\\u\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\U0041\"",
    "\"\\a\"", "\"\\0\"", "\"\\'\"", "\"\\ \"", "\"\t\"", "\"\n\"", "\"\u{0}\"", "\"\u{1F}\"",
    "\"a\"b\"", "\"\\é\"", "\"\\uD83D\"", "\"\\uDE00\"", "\"\\uDE00\\uD83D\"", "\"\\uD83Dx\"",
    "\"\\uD83D\\n\"", "\"\\uD83D\\uE000\"", "\"\\uD83D\\u0041\"", "\"\\uD83D\\uD83D\"",
    "\"\\uD83D\\\"",
    // white space that JSON does not know
    "\u{B}1", "\u{C}[]", "\u{A0}1", "\u{2028}1", "[1,\u{0}2]", "\u{FEFF}1", "1\u{0}",
  ])
  func `texts outside RFC 8259 are refused`(_ text: String) throws {
    let fault = try #require(Self.fault(in: text))
    #expect((0...text.utf8.count).contains(fault.offset))
    #expect(!fault.problem.isEmpty)
  }

  @Test(arguments: [
    ("", 0, "the text ends where a value should be"),
    ("[1,]", 3, "expected a value, found \"]\""),
    ("{\"a\":1,}", 7, "expected a member name in double quotes, found \"}\""),
    ("{\"a\" 1}", 5, "expected \":\", found \"1\""),
    ("[1 2]", 3, "expected \",\" or \"]\", found \"2\""),
    ("{\"a\":1", 6, "the text ends where \",\" or \"}\" should be"),
    (" [nul]", 2, "expected a value, found \"n\""),
    ("[1.]", 3, "expected a digit, found \"]\""),
    ("-", 1, "the text ends where a digit should be"),
    ("[1,\u{0}2]", 3, "expected a value, found byte 0x00"),
    ("é", 0, "expected a value, found byte 0xC3"),
    ("\"abc", 4, "the text ends inside a string"),
    ("\"a\tb\"", 2, "control character 0x09 inside a string; it must be escaped"),
    ("\"a\\x41\"", 3, "expected an escape such as \\n or \\u0041, found \"x\""),
    ("\"\\u12G4\"", 5, "expected four hexadecimal digits, found \"G\""),
    ("\"ab\\ud800c\"", 3, "the escape \\ud800 is half of a surrogate pair"),
  ])
  func `an error names the byte and what was found there`(
    _ text: String,
    _ offset: Int,
    _ problem: String
  ) throws {
    let fault = try #require(Self.fault(in: text))
    #expect(fault.offset == offset)
    #expect(fault.problem == problem)
  }

  @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
  func `32 levels are read, and any number is passed over`(_ open: String, _ close: String) throws {
    func nested(_ levels: Int) -> [UInt8] {
      let inner = open == "[" ? "" : "1"
      return Array(
        (String(repeating: open, count: levels) + inner + String(repeating: close, count: levels))
          .utf8
      )
    }
    #expect(Self.fault(in: nested(32))?.problem == nil)
    for levels in [33, 512, 100_000] {
      var build = JSONScanner(nested(levels))
      let unread = #expect(throws: JSONSyntaxError.self) { try build.readValue() }
      var check = JSONScanner(nested(levels))
      let unpassed = #expect(throws: JSONSyntaxError.self) { try check.skipValue(upTo: 32) }
      for fault in [unread, unpassed] {
        #expect(fault?.problem == "nested deeper than 32 levels")
        #expect(fault?.offset == 32 * open.utf8.count)
      }
    }
    for levels in [32, 63, 64, 65, 128, 100_000] {
      let text = nested(levels)
      var whole = JSONScanner(text)
      try whole.skipValue()
      #expect(whole.next == nil)
      var cut = JSONScanner(text, range: 0..<text.count - 1)
      #expect(throws: JSONSyntaxError.self) { try cut.skipValue() }
    }
  }

  @Test func `a text cut at any byte is refused`() {
    let text = Array("{\"a\":[1.5e3,true,null,\"\\u00e9\\n\"],\"b\":{\"c\":-0}}".utf8)
    #expect(Self.fault(in: text)?.problem == nil)
    for count in text.indices {
      #expect(Self.fault(in: Array(text[..<count])) != nil, "cut after \(count) bytes")
    }
  }

  @Test func `a scanner keeps to its range`() throws {
    let text = Array("[12,34]".utf8)
    var scanner = JSONScanner(text, range: 1..<2)
    #expect(try scanner.readValue() == .number("1"))
    #expect(scanner.next == nil)
    var word = JSONScanner(Array("true".utf8), range: 0..<3)
    #expect(throws: JSONSyntaxError.self) { try word.skipValue() }
  }
}
