import Testing

@testable import geoq

struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("Sushi", 5), ("寿司", 4), ("Sushi 寿司", 10), ("ｱ", 1), ("Ａ", 2), ("　", 2),
    ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2),  // the same syllable, whole and in parts
    ("é", 1), ("e\u{301}", 1), ("e\u{301}\u{302}\u{303}", 1), ("\u{301}", 0), ("が", 2),
    ("か\u{3099}", 2), ("ไทย", 3), ("กำ", 2), ("क्ष", 2),
    ("\u{200D}", 0), ("a\u{200B}b", 2), ("a\u{FE0F}", 1), ("co\u{AD}op", 5), ("…", 1), ("“”", 2),
    ("𠀋", 2), ("\u{3164}", 2),
  ])
  func `width counts terminal columns`(text: String, width: Int) {
    #expect(text.displayWidth == width)
  }

  @Test(arguments: [
    ("🌮", 2), ("👍🏽", 2), ("👨‍👩‍👧‍👦", 2), ("🏳️‍🌈", 2), ("🇺🇸", 2), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("1️⃣", 2),
    ("❤", 1), ("❤️", 2), ("🩷", 2), ("🌮🌮", 4), ("👩🏽‍🍳🍣", 4),
  ])
  func `an emoji sequence is two columns wide`(text: String, width: Int) {
    #expect(text.displayWidth == width)
  }

  @Test(arguments: [
    ("Cattleack Barbeque", 10, "Cattleack…"), ("Cattleack", 9, "Cattleack"), ("Cattleack", 1, "…"),
    ("Cattleack", 0, ""), ("Cattleack", -1, ""), ("", 0, ""), ("", 5, ""), ("a", 1, "a"),
    ("寿司屋", 6, "寿司屋"), ("寿司屋", 5, "寿司…"), ("寿司屋", 4, "寿…"), ("寿司屋", 2, "…"),
    ("寿", 1, "…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
    ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, "👨‍👩‍👧‍👦…"), ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 2, "…"),
  ])
  func `truncation keeps whole characters and never exceeds the width`(
    text: String,
    width: Int,
    expected: String
  ) {
    let truncated = text.truncated(toWidth: width)
    #expect(truncated == expected)
    #expect(truncated.displayWidth <= max(0, width))
  }

  @Test
  func `padding fills up with blanks on the side asked for`() {
    #expect("ab".padded(toWidth: 4) == "ab  ")
    #expect("ab".padded(toWidth: 4, alignRight: true) == "  ab")
    #expect("寿司".padded(toWidth: 6) == "寿司  ")
    #expect("寿司".padded(toWidth: 3) == "寿司")
    #expect("".padded(toWidth: 2) == "  ")
    #expect("ab".padded(toWidth: -1) == "ab")
  }
}
