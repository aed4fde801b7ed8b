import Testing

@testable import GeoFeed
@testable import GeoQuery

struct JSONScannerStringsTests {
  private func read(_ text: String) throws -> [Unicode.Scalar] {
    var scanner = JSONScanner(Array(text.utf8))
    return Array(try scanner.readString().unicodeScalars)
  }

  @Test func `escapes give the characters of RFC 8259 §7`() throws {
    #expect(
      try read("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"")
        == ["\"", "\\", "/", "\u{8}", "\u{C}", "\n", "\r", "\t"]
    )
    #expect(try read("\"\\u0041\\u00e9\\u00E9\\u6F22\\u0000\"") == ["A", "é", "é", "漢", "\u{0}"])
    #expect(try read("\"x\\\\u0041\"") == Array("x\\u0041".unicodeScalars))
  }

  @Test func `a surrogate pair is one character, from the first to the last`() throws {
    #expect(try read("\"\\ud83d\\ude00\"") == ["😀"])
    #expect(try read("\"\\uD800\\uDC00\"") == ["\u{10000}"])
    #expect(try read("\"\\uDBFF\\uDFFF\"") == ["\u{10FFFF}"])
    #expect(try read("\"a\\uD83D\\uDE00b\"") == ["a", "😀", "b"])
    #expect(try read("\"\\uD7FF\\uE000\"") == ["\u{D7FF}", "\u{E000}"])
  }

  @Test func `half a pair is refused where it stands`() {
    for (text, offset) in [("\"ab\\udc00\"", 3), ("\"\\ud800\\ud800\\udc00\"", 1)] {
      var scanner = JSONScanner(Array(text.utf8))
      do throws(JSONSyntaxError) {
        let found = try scanner.readString()
        Issue.record("\(text) was read as \(found)")
      } catch {
        #expect(error.offset == offset)
      }
    }
  }

  @Test func `normalization and invisible characters stay as they are`() throws {
    for text in ["e\u{301}", "\u{E9}", "\u{FEFF}", "\u{202E}abc", "a\u{200D}b", "\u{85}", "\r\n"] {
      let quoted = text.replacing("\r\n", with: "\\r\\n")
      #expect(try read("\"\(quoted)\"") == Array(text.unicodeScalars))
    }
  }

  @Test func `the end of plain text is found at every distance`() {
    for stop: UInt8 in [0x22, 0x5C, 0x00, 0x1F] {
      for length in 0..<40 {
        let plain = [UInt8](repeating: UInt8(0x80 + length), count: length)
        let bytes = plain + [stop, 0x41]
        #expect(endOfPlainText(bytes, 0, bytes.count) == length)
        #expect(endOfPlainText(bytes, 0, length) == length)
      }
    }
    let all = [UInt8](0x23...0x5B) + [UInt8](0x5D...0xFF) + [0x20, 0x21]
    #expect(endOfPlainText(all, 0, all.count) == all.count)
  }
}
