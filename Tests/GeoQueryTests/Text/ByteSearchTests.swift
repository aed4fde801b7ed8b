import TestSupport
import Testing

@testable import GeoQuery

struct ByteSearchTests {
  @Test func `the first occurrence is found, as by trying every offset`() {
    var random = SplitMix64(stream: "byte search")
    for _ in 0..<20_000 {
      // few letters, so that values occur, and begin without ending
      let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        UInt8.random(in: 0...2, using: &random)
      }
      let value = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        UInt8.random(in: 0...2, using: &random)
      }
      let expected = (0...text.count).first { text[$0...].starts(with: value) }
      #expect(text.withUnsafeBytes { $0.firstOffset(of: value) } == expected, "\(value) in \(text)")
    }
  }

  @Test func `nothing is in no bytes, except the empty value`() {
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    #expect(none.firstOffset(of: []) == 0)
    #expect(none.firstOffset(of: [1]) == nil)
  }
}
