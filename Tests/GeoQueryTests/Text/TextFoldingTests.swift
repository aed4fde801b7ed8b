import Foundation
import TestSupport
import Testing

@testable import GeoFeed
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

  @Test func `both normalizations and both cases of a text fold alike`() {
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

  /// Folding of a whole text at once, which takes quadratic time.
  private func foldedAtOnce(_ text: String) -> String {
    let letters: [Unicode.Scalar: String] = [
      "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l",
      "ı": "i", "ħ": "h", "ŧ": "t", "ς": "σ",
    ]
    var result = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark: continue
      default:
        for lower in scalar.properties.lowercaseMapping.unicodeScalars {
          result.append(contentsOf: (letters[lower] ?? String(lower)).unicodeScalars)
        }
      }
    }
    return String(result)
  }

  @Test func `every character folds as it does in a whole text`() {
    let all = (0...UInt32(0x10FFFF)).compactMap(Unicode.Scalar.init).filter {
      ![.unassigned, .privateUse].contains($0.properties.generalCategory)
    }
    for start in stride(from: 0, to: all.count, by: 60) {
      // a letter between them keeps marks apart
      let group = all[start..<min(start + 60, all.count)].flatMap { [$0, "a"] as [Unicode.Scalar] }
      let text = String(String.UnicodeScalarView(group))
      #expect(folded(text).utf8.elementsEqual(foldedAtOnce(text).utf8), "from \(group[0])")
    }
  }

  @Test func `texts longer than a piece fold as at once`() {
    var random = SplitMix64(stream: "pieces")
    let scalars = (0...UInt32(0x10FFFF)).compactMap(Unicode.Scalar.init)
    let marks = scalars.filter {
      [.nonspacingMark, .enclosingMark, .spacingMark].contains($0.properties.generalCategory)
    }
    let letters = scalars.filter { $0.properties.isAlphabetic }
    for round in 0..<200 {
      var text = String.UnicodeScalarView()
      while text.count < 200 {
        text.append(letters[random.int(below: letters.count)])
        for _ in 0..<random.int(below: 1 + round % 50) {
          text.append(marks[random.int(below: marks.count)])
        }
      }
      let whole = String(text)
      #expect(
        folded(whole).utf8.elementsEqual(foldedAtOnce(whole).utf8),
        "SEED=\(SplitMix64.seed) round \(round)"
      )
    }
  }

  @Test(arguments: [
    ("\u{301}\u{323}", ""), ("\u{301}", ""), ("\u{344}", ""), ("e\u{301}", "e"), ("É", "e"),
    ("\u{FDFA}", folded("\u{FDFA}")), ("\u{FB03}", "ffi"), ("ß", "ss"), ("한", folded("한")),
    ("🇩", "🇩"), ("👩‍🍳", "👩‍🍳"), ("\u{1D165}", "\u{1D165}"), ("क\u{94D}", "क"), ("A", "a"),
  ])
  func `100,000 of a text fold to 100,000 times what one folds to`(_ one: String, _ folds: String) {
    let text = String(repeating: one, count: 100_000)
    #expect(folded(text).utf8.elementsEqual(String(repeating: folds, count: 100_000).utf8))
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

  @Test(arguments: [
    ("L'Étoile", ["letoile", "etoile"]),
    ("l\u{2019}Osteria d'Oro", ["losteria", "osteria", "doro", "oro"]),
    ("Dell\u{B4}Arte", ["dellarte", "arte"]), ("Nell'Angolo'", ["nellangolo", "angolo"]),
    ("Gloria's O'Neil", ["glorias", "oneil"]), ("L' x", ["l", "x"]), ("'l'", ["l"]), ("", []),
    ("回転寿司 bar", ["回転寿司", "転寿司", "寿司", "司", "bar"]), ("すし", ["すし", "し"]),
    ("Café 北京", ["cafe", "北京", "京"]), ("ก๋วย", [folded("ก๋วย"), "วย", "ย"]),
    ("식당", [folded("식당"), folded("당")]),
  ])
  func `words of searched texts – elision, scripts without spaces – include what begins inside`(
    _ text: String,
    _ words: [String]
  ) {
    var found = FoldedWords()
    found.addSearched(text)
    #expect(found.words.map { String(decoding: $0, as: UTF8.self) } == words)
  }

  @Test func `words inside a long word of a script without spaces have at most 32 letters`() {
    var found = FoldedWords()
    found.addSearched(String(repeating: "寿", count: 20_000))
    #expect(found.words.count == 20_000 && found.words[1].count == 96)
    #expect(found.bytes.count < 20_000 * 100 + 60_010)
  }
}
