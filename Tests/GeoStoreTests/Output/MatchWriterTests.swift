import Foundation
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct MatchWriterTests {
  @Test(arguments: AnswerFormat.allCases)
  func `a large answer goes out in pieces that make the same text`(
    _ format: AnswerFormat
  ) throws {
    let filler = String(repeating: "x", count: 500)
    let store = try TemporaryStore(
      (0..<300).map { .plain("\($0)-\(filler)", at: .at(1, Double($0) / 2)) }
    )
    let engine = try store.engine()
    let query = Query(.nearest(to: .at(0, 0), count: 300))
    var pieces: [[UInt8]] = []
    let page = try engine.page(query)
    try page.write(with: format.writer()) { pieces.append($0) }
    #expect(page.summary.count == 300)
    #expect(pieces.count > 2)
    #expect(pieces.dropLast().allSatisfy { (65_536..<80_000).contains($0.count) })
    let matches = try engine.matches(query)
    #expect(String(decoding: pieces.joined(), as: UTF8.self) == format.text(of: matches))
  }

  @Test(arguments: AnswerFormat.allCases)
  func `a writer that was emptied after every match writes the same text`(_ format: AnswerFormat) {
    var writer = format.writer(fields: nil, terminator: "\0")
    var bytes: [UInt8] = []
    let extent = BoundingBox(west: 179.5, south: -0.0, east: -179, north: 32.950787)
    writer.begin(AnswerSummary(count: 2, total: 2, extent: extent, hasDistance: true))
    bytes += writer.takeBytes()
    for match in Golden.matches {
      writer.write(match)
      #expect(writer.pendingCount > 0)
      bytes += writer.takeBytes()
      #expect(writer.pendingCount == 0)
    }
    writer.end()
    bytes += writer.takeBytes()
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == format.text(of: Golden.matches, terminator: "\0")
    )
  }

  @Test func `what the sink throws comes out`() throws {
    struct Full: Error {}
    let engine = try TemporaryStore([.plain("a")]).engine()
    #expect(throws: Full.self) {
      try engine.page(Query(.everywhere)).write(with: AnswerFormat.ids.writer()) { _ in
        throw Full()
      }
    }
  }
}
