import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

/// Values skipped in a window against the scanner: the same texts are accepted, cut anywhere.
struct SkippedValueTests {
  /// Bytes that arrive in pieces.
  private struct Pieces: ByteSource {
    var rest: ArraySlice<UInt8>
    let piece: Int

    mutating func read(into space: UnsafeMutableRawBufferPointer) -> Int {
      let next = rest.prefix(piece)
      space.copyBytes(from: next)
      rest = rest.dropFirst(piece)
      return next.count
    }
  }

  /// Skips a text in pieces; the offset after the value, or the fault.
  private func skip(_ text: [UInt8], piece: Int) -> Result<Int, any Error> {
    var window = FeedWindow(Pieces(rest: text[...], piece: piece))
    return Result {
      try window.skipValue()
      return window.offset
    }
  }

  private func scan(_ text: [UInt8]) -> Result<Int, JSONSyntaxError> {
    var scanner = JSONScanner(text)
    do throws(JSONSyntaxError) {
      try scanner.skipValue()
      return .success(scanner.position)
    } catch {
      return .failure(error)
    }
  }

  @Test func `it takes and refuses what the scanner does, however the text is cut`() {
    var random = SplitMix64(stream: "skipper")
    let tokens = [
      "{", "}", "[", "]", ",", ":", "\"a\"", "\"\\u00e9\\n\"", "\"é\"", "1", "-0.5e3", "true",
      "null",
      " ", "\n", "\"\\x\"", "tru", "01", "\"", "\u{1}", "\"k\":", "{}", "[1,2]", "-",
    ]
    for round in 0..<3_000 {
      let text = Array(
        (0...random.int(below: 9)).map { _ in tokens[random.int(below: tokens.count)] }.joined()
          .utf8
      )
      for piece in [1, 3, 100] {
        switch (skip(text, piece: piece), scan(text)) {
        case (.success(let one), .success(let other)): #expect(one == other, "\(text)")
        case (.failure(let fault), .failure):
          let offset = (fault as? JSONSyntaxError)?.offset ?? -1
          #expect((0...text.count).contains(offset))
        case (.failure(let one), .success(let end)):
          // `01` and `1-` are one word to it, two values to the scanner
          let next = end < text.count ? text[end] : 0x20
          #expect(
            Unicode.Scalar(next).properties.isAlphabetic || "+-.0123456789".utf8.contains(next),
            "round \(round): \(String(decoding: text, as: UTF8.self)) \(one)"
          )
        case (.success, .failure(let error)):
          Issue.record("taken: \(String(decoding: text, as: UTF8.self)): \(error.problem)")
        }
      }
    }
  }

  @Test func `any number of levels is passed over`() throws {
    for levels in [32, 64, 65, 100_000] {
      for (open, close) in [("[", "]"), (#"{"a":["#, "]}")] {
        let text = Array(
          (String(repeating: open, count: levels) + String(repeating: close, count: levels)).utf8
        )
        #expect(try skip(text, piece: 5).get() == text.count)
        #expect(throws: JSONSyntaxError.self) { try skip(Array(text.dropLast()), piece: 5).get() }
      }
    }
  }
}
