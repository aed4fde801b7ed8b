import Testing

@testable import GeoFeed
@testable import GeoQuery

struct JSONWriterTests {
  @Test func `values are written compactly, members in order, tokens as they are`() {
    let value = JSONValue.object([
      JSONMember(
        name: "b",
        value: .array([.null, .bool(true), .bool(false), .number("-0.10e+2")])
      ),
      JSONMember(name: "a\"", value: .object([])),
      JSONMember(name: "", value: .array([])),
    ])
    #expect(JSONWriter.of(value) == #"{"b":[null,true,false,-0.10e+2],"a\"":{},"":[]}"#)
    #expect(value.description == JSONWriter.of(value))
  }

  @Test func `only what must be escaped is escaped`() {
    #expect(JSONWriter.of(.string("\"\\/\n\r\t")) == #""\"\\/\n\r\t""#)
    #expect(JSONWriter.of(.string("\u{0}\u{8}\u{C}\u{1F}")) == #""\u0000\b\f\u001f""#)
    let kept = "é e\u{301} 漢 😀 \u{7F}\u{2028}\u{FEFF}</script>"
    #expect(Array(JSONWriter.of(.string(kept)).utf8) == Array("\"\(kept)\"".utf8))
  }

  @Test func `any value reads back as itself`() throws {
    var random = SplitMix64(stream: "json round trip")
    for _ in 0..<500 {
      let value = Self.value(depth: 0, using: &random)
      let text = JSONWriter.of(value)
      var scanner = JSONScanner(Array(text.utf8))
      let back = try scanner.readValue()
      #expect(scanner.next == nil)
      // compared as texts too: Swift's == is blind to normalization
      #expect(back == value, "SEED=\(SplitMix64.seed) \(text)")
      #expect(JSONWriter.of(back).utf8.elementsEqual(text.utf8), "SEED=\(SplitMix64.seed) \(text)")
    }
  }

  @Test func `Foundation's reader finds the same values in the text`() throws {
    var random = SplitMix64(stream: "json foundation")
    for _ in 0..<500 {
      let value = Self.value(depth: 0, using: &random)
      let text = JSONWriter.of(value)
      let read = try FoundationJSON.read(text.utf8)
      #expect(read.isSame(as: value), "SEED=\(SplitMix64.seed) \(text)")
    }
    #expect(!FoundationJSON.number(1).isSame(as: .number("2")))
    #expect(!FoundationJSON.array([.string("a")]).isSame(as: .array([.string("b")])))
  }

  @Test func `taking the bytes starts again with nothing`() {
    var json = JSONWriter()
    json.name("a")
    json.raw("1")
    #expect(json.takeBytes() == Array("\"a\":1".utf8))
    #expect(json.takeBytes().isEmpty)
    json.string("é")
    #expect(json.text == "\"é\"")
  }

  private static func value(depth: Int, using random: inout SplitMix64) -> JSONValue {
    switch random.int(below: depth < 4 ? 7 : 5) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &random))
    case 2: return .number("\(random.double(in: -1e9...1e9))")
    case 3: return .number("-\(random.int(below: 1_000_000))e-\(random.int(below: 20))")
    case 4: return .string(random.hostileText(upTo: 12))
    case 5:
      return .array((0..<random.int(below: 4)).map { _ in value(depth: depth + 1, using: &random) })
    default:
      // numbered, because Foundation's dictionary takes two normalizations for one name
      return .object(
        (0..<random.int(below: 4)).map {
          let name = "\($0)" + random.hostileText(upTo: 5)
          return JSONMember(name: name, value: value(depth: depth + 1, using: &random))
        }
      )
    }
  }
}
