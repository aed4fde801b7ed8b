import Testing

@testable import geoq

struct TerminalTextTests {
  @Test(arguments: [
    ("\u{1B}[31mred", #"\u{1b}[31mred"#), ("a\tb\r\nc", #"a\u{9}b\u{d}\u{a}c"#),
    ("\0\u{7F}\u{9B}2J", #"\u{0}\u{7f}\u{9b}2J"#), ("\u{80}\u{9F}", #"\u{80}\u{9f}"#),
    ("abc\u{202E}cba", #"abc\u{202e}cba"#),
    ("\u{202A}\u{2066}\u{2069}", #"\u{202a}\u{2066}\u{2069}"#),
    ("\u{200E}\u{200F}\u{2028}\u{2029}", #"\u{200e}\u{200f}\u{2028}\u{2029}"#),
    ("寿司\u{7}", #"寿司\u{7}"#), ("e\u{301}\u{1B}", "e\u{301}\\u{1b}"),
  ])
  func `a control is shown as its number`(text: String, expected: String) {
    #expect(terminalSafe(text) == expected)
  }

  @Test(arguments: [
    "", "Gloria's", "Café \u{A0}", "寿司", "👨‍👩‍👧‍👦", "e\u{301}", #"\u{1b}"#, "\u{200D}\u{FE0F}",
    "\u{2027}\u{2030}\u{2065}\u{206A}", "مطعم",
  ])
  func `text without controls stays as it is`(text: String) {
    #expect(Array(terminalSafe(text).utf8) == Array(text.utf8))
  }
}
