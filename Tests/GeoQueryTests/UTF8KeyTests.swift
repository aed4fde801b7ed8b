import Testing

@testable import GeoFeed
@testable import GeoQuery

struct UTF8KeyTests {
  private let composed = "caf\u{E9}"
  private let decomposed = "cafe\u{301}"

  @Test func `composed and decomposed é are one text to Swift and two keys`() {
    #expect(composed == decomposed)
    #expect(UTF8Key(composed) != UTF8Key(decomposed))
    #expect(Set([composed, decomposed].map(UTF8Key.init)).count == 2)
    #expect(UTF8Key(composed) == UTF8Key(composed))
    #expect(UTF8Key(composed).hashValue == UTF8Key("caf" + "\u{E9}").hashValue)
  }

  @Test func `keys are ordered by bytes, as SQLite orders them`() {
    // Swift puts "f" before a decomposed é, bytes put e + U+0301 first
    let texts = ["f", decomposed, composed, "", "Z", "a", "\u{FFFF}", "\u{10000}", "a\u{0}"]
    let expected = texts.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    #expect(
      texts.map(UTF8Key.init).sorted().map { Array($0.text.utf8) }
        == expected.map { Array($0.utf8) }
    )
    #expect(UTF8Key("e\u{301}") < UTF8Key("f"))
    #expect(UTF8Key("f") < UTF8Key("\u{E9}"))
    #expect(!(UTF8Key("f") < UTF8Key("f")))
  }
}
