import Testing

@testable import GeoFeed
@testable import GeoQuery

struct ByteKeyTests {
  private let composed = "caf\u{E9}"
  private let decomposed = "cafe\u{301}"

  @Test func `composed and decomposed é are one text to Swift and two keys`() {
    #expect(composed == decomposed)
    #expect(ByteKey(composed) != ByteKey(decomposed))
    #expect(Set([composed, decomposed].map(ByteKey.init)).count == 2)
    #expect(ByteKey(composed) == ByteKey(composed))
    #expect(ByteKey(composed).hashValue == ByteKey("caf" + "\u{E9}").hashValue)
  }

  @Test func `keys are ordered by bytes, as SQLite orders them`() {
    // Swift puts "f" before a decomposed é, bytes put e + U+0301 first
    let texts = ["f", decomposed, composed, "", "Z", "a", "\u{FFFF}", "\u{10000}", "a\u{0}"]
    let expected = texts.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    #expect(
      texts.map(ByteKey.init).sorted().map { Array($0.text.utf8) }
        == expected.map { Array($0.utf8) }
    )
    #expect(ByteKey("e\u{301}") < ByteKey("f"))
    #expect(ByteKey("f") < ByteKey("\u{E9}"))
    #expect(!(ByteKey("f") < ByteKey("f")))
  }
}
