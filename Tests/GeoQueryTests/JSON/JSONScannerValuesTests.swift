import Testing

@testable import GeoFeed
@testable import GeoQuery

struct JSONScannerValuesTests {
  private func read(_ text: String) throws -> JSONValue {
    var scanner = JSONScanner(Array(text.utf8))
    return try scanner.readValue()
  }

  @Test(arguments: [
    "0.10", "-0", "-0.0", "1E+02", "92873089221", "123456789012345678901234567890", "1e400",
    "-96.821118000",
  ])
  func `a number keeps every digit of its token`(_ token: String) throws {
    #expect(try read(token) == .number(token))
    #expect(try read("[ \(token) ]") == .array([.number(token)]))
  }

  @Test func `members keep their order and values their kinds`() throws {
    let value = try read(" {\"b\": [true, false, null, \"\"], \"a\": {\"x\": 1.0}, \"\": []} ")
    #expect(
      value
        == .object([
          JSONMember(name: "b", value: .array([.bool(true), .bool(false), .null, .string("")])),
          JSONMember(name: "a", value: .object([JSONMember(name: "x", value: .number("1.0"))])),
          JSONMember(name: "", value: .array([])),
        ])
    )
  }

  @Test func `a member given twice is refused at its second name`() {
    for (text, offset, name) in [
      ("{\"a\":1,\"b\":2,\"a\":3}", 13, "a"), ("{\"x\":{\"k\":1,\"\\u006b\":2}}", 12, "k"),
    ] {
      let fault = JSONScannerTests.fault(in: text)
      #expect(fault?.offset == offset)
      #expect(fault?.problem == "member \"\(name)\" is given twice")
    }
  }

  @Test func `names that differ in normalization only are two members`() throws {
    guard case .object(let members) = try read("{\"\u{E9}\":1,\"e\u{301}\":2}") else {
      Issue.record("not an object")
      return
    }
    #expect(members.map(\.value) == [.number("1"), .number("2")])
  }

  @Test func `an outline gives each member's name and the exact range of its value`() {
    let text = "  {\"a\" : [1, 2] , \"b\\n\":\"x\",\"c\": -1 }"
    let bytes = Array(text.utf8)
    let outline = JSONScanner(bytes).outline()
    #expect(outline.map(\.name) == ["a", "b\n", "c"])
    let values = outline.map { String(decoding: bytes[$0.range], as: UTF8.self) }
    #expect(values == ["[1, 2]", "\"x\"", "-1"])
    #expect(JSONScanner(Array("[1]".utf8)).outline().isEmpty)
  }
}
