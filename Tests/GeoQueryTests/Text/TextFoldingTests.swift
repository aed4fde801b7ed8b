import Foundation
import Testing

@testable import GeoQuery

struct TextFoldingTests {
  @Test(arguments: [
    ("Café", "cafe"), ("CAFE\u{301}", "cafe"), ("Ångström", "angstrom"), ("Straße", "strasse"),
    ("STRASSE", "strasse"), ("ẞ", "ss"), ("Smørrebrød", "smorrebrod"), ("SMØRREBRØD", "smorrebrod"),
    ("Œuvre æther", "oeuvre aether"), ("Łódź", "lodz"), ("Þór Đặng", "thor dang"),
    ("ＡＢＣ１２", "abc12"), ("ﬁsh", "fish"), ("①", "1"), ("½", "1\u{2044}2"),
    ("İstanbul", "istanbul"), ("Diyarbakır", "diyarbakir"), ("IĞDIR", "igdir"),
    ("漢字 ラーメン", "漢字 ラーメン"), ("한국", "한국".decomposedStringWithCompatibilityMapping),
    ("Ωμέγα", "ωμεγα"), ("Ёлка", "елка"), ("", ""), ("a\u{1F}b", "a\u{1F}b"),
  ])
  func `folding drops case and accents`(_ text: String, _ expected: String) {
    #expect(Array(folded(text).unicodeScalars) == Array(expected.unicodeScalars))
  }

  @Test func `both normalisations and both cases of a text fold alike`() {
    for text in ["Café Zürich", "Señor Ñandú", "Đà Nẵng", "ΑΣΟΣ", "Škoda", "ﬀ"] {
      let forms = [
        text, text.decomposedStringWithCanonicalMapping, text.precomposedStringWithCanonicalMapping,
        text.uppercased(), text.lowercased(),
      ]
      #expect(Set(forms.map { Array(folded($0).utf8) }).count == 1, "\(text)")
    }
  }

  @Test func `folding twice changes nothing more`() {
    var random = SplitMix64(stream: "folding")
    for _ in 0..<300 {
      let text = random.hostileText(upTo: 10) + "İẞﬁ①"
      #expect(folded(folded(text)).utf8.elementsEqual(folded(text).utf8), "SEED=\(SplitMix64.seed)")
    }
  }

  @Test(arguments: [
    ("Gloria's In-N-Out", ["glorias", "in", "n", "out"]),
    ("Gloria\u{2019}s Chuy\u{2018}s O\u{2BC}Neil", ["glorias", "chuys", "oneil"]),
    ("Gloria\u{FF07}s O`Neil O\u{B4}Neil", ["glorias", "oneil", "oneil"]),
    ("5100 Belt Line Rd., #864", ["5100", "belt", "line", "rd", "864"]),
    ("A&B", ["a", "b"]), ("Crème-Brûlée", ["creme", "brulee"]), ("北京 烤鸭", ["北京", "烤鸭"]),
    ("", []), ("  -- ' ", []), ("a\u{1F525}b", ["a", "b"]), ("Nº 5", ["no", "5"]),
  ])
  func `words are runs of letters and digits without apostrophes`(
    _ text: String,
    _ words: [String]
  ) {
    #expect(FoldedWords(text).words.map { String(decoding: $0, as: UTF8.self) } == words)
  }
}
