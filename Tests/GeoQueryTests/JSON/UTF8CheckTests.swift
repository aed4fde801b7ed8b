import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

struct UTF8CheckTests {
  /// The standard library's own decoder leaves bytes as they are exactly where they are valid.
  private static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
    String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
  }

  /// Whether an answer is the start of the first sequence that is not valid.
  private static func isRight(_ answer: Int?, for bytes: [UInt8]) -> Bool {
    guard let answer else { return isValid(bytes[...]) }
    guard bytes.indices.contains(answer), isValid(bytes[..<answer]) else { return false }
    let longer = (answer + 1)...min(answer + 4, bytes.count)
    return longer.allSatisfy { !isValid(bytes[..<$0]) }
  }

  private static func mistakes(in texts: some Sequence<[UInt8]>) -> [[UInt8]] {
    texts.filter { !isRight(firstInvalidUTF8(in: $0), for: $0) }
  }

  @Test func `every sequence of one and two bytes is judged as the standard library does`() {
    let all = UInt8.min...UInt8.max
    #expect(Self.mistakes(in: all.map { [$0] }).isEmpty)
    #expect(Self.mistakes(in: all.flatMap { first in all.map { [first, $0] } }).isEmpty)
  }

  @Test func `sequences of three and four bytes at the edges of table 3-7 are judged alike`() {
    let edges: [UInt8] = [
      0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xFF,
    ]
    let leads: [UInt8] = [0xC2, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5]
    let three = leads.flatMap { lead in
      edges.flatMap { second in edges.map { [lead, second, $0] } }
    }
    #expect(Self.mistakes(in: three).isEmpty)
    let four = three.flatMap { head in edges.map { head + [$0] } }
    #expect(Self.mistakes(in: four).isEmpty)
  }

  @Test func `random bytes between valid texts are judged alike`() {
    var random = SplitMix64(stream: "utf8")
    let texts = (0..<5_000).map { _ -> [UInt8] in
      let noise = (0..<random.int(below: 5)).map { _ in UInt8(random.int(below: 256)) }
      return Array(random.hostileText(upTo: 6).utf8) + noise
        + Array(random.hostileText(upTo: 3).utf8)
    }
    #expect(Self.mistakes(in: texts).isEmpty, "SEED=\(SplitMix64.seed)")
    #expect(texts.contains { firstInvalidUTF8(in: $0) == nil })
    #expect(texts.contains { firstInvalidUTF8(in: $0) != nil })
  }

  @Test func `the place of the first invalid byte is the start of its sequence`() {
    #expect(firstInvalidUTF8(in: []) == nil)
    #expect(firstInvalidUTF8(in: Array("aé漢👩‍🍳\u{10FFFF}".utf8)) == nil)
    #expect(firstInvalidUTF8(in: [0x61, 0xC3]) == 1)
    #expect(firstInvalidUTF8(in: [0x61, 0xF0, 0x9F, 0x98, 0x61]) == 1)
    #expect(firstInvalidUTF8(in: [0x61, 0x62, 0x80]) == 2)
    // CESU-8 spells U+1F600 as two encoded surrogates, overlong forms spell "/" in two bytes
    #expect(firstInvalidUTF8(in: [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80]) == 0)
    #expect(firstInvalidUTF8(in: [0xC0, 0xAF]) == 0)
  }
}
