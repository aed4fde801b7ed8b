import Foundation
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

/// Feeds packed with gzip; the packing is done by the system's own tool.
struct GzipBytesTests {
  /// A folder that goes with the test.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("geoq-gzip-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
      try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String) -> String { url.appendingPathComponent(name).path }
  }

  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private func packed(_ bytes: [UInt8]) throws -> [UInt8] {
    let path = folder.file("feed")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", "-nf", path]
    try process.run()
    process.waitUntilExit()
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + ".gz")))
  }

  @Test(arguments: Fixture.all)
  func `a packed feed gives what it gives unpacked`(fixture: Fixture) throws {
    let bytes = try fixture.bytes()
    let plain = try FeedReader(source: "a").read(bytes)
    let packed = try packed(bytes)
    for feed in [
      try FeedReader(source: "a").read(packed),
      try FeedReader(source: "a").read(from: DripBytes(packed, size: 3)),
    ] {
      #expect(feed.format == plain.format)
      #expect(feed.restaurants.map(\.allBytes) == plain.restaurants.map(\.allBytes))
      #expect(feed.rejected == plain.rejected)
    }
  }

  @Test func `members one after another are one feed, padded with zeros or not`() throws {
    let lines = [
      "{\"lat\":1,\"lon\":2,\"name\":\"A\"}\n", "{\"lat\":3,\"lon\":4,\"name\":\"B\"}\n",
    ]
    let members = try lines.flatMap { try packed(Array($0.utf8)) }
    for bytes in [members, members + [UInt8](repeating: 0, count: 512)] {
      #expect(try FeedReader(source: "a").read(bytes).restaurants.map(\.name) == ["A", "B"])
    }
  }

  @Test func `packed data that is cut, damaged or followed by something else is refused`() throws {
    let bytes = try packed(Fixture.named("yelp.jsonl"))
    for count in [3, 10, 11, bytes.count / 2, bytes.count - 8, bytes.count - 1] {
      #expect(
        Feeds.refusal(of: Array(bytes[..<count]))
          == "feed.json: the gzip data ends early; the file is incomplete",
        "\(count)"
      )
    }
    var damaged = bytes
    damaged[bytes.count - 6] ^= 1
    #expect(Feeds.refusal(of: damaged)?.contains("the gzip data is damaged (") == true)
    #expect(
      Feeds.refusal(of: bytes + Array("x".utf8))
        == "feed.json: other data follows the end of the gzip data"
    )
    #expect(
      Feeds.refusal(of: try packed(bytes))
        == "feed.json: this is gzip inside gzip; decompress it once"
    )
    #expect(Feeds.refusal(of: try packed([])) == "feed.json: the feed is empty")
  }

  @Test func `a record that swells a thousandfold is skipped without being held`() throws {
    let text =
      "{\"restaurants\":[{\"name\":\"A\",\"location\":{\"lat\":1,\"lng\":2}},{\"name\":\""
      + String(repeating: " ", count: 20 << 20) + "\"}]}"
    let packed = try packed(Array(text.utf8))
    #expect(packed.count < 40_000)
    let feed = try FeedReader(source: "a").read(packed)
    #expect(feed.restaurants.map(\.name) == ["A"])
    #expect(feed.rejected.first?.problem.contains("the limit is 1048576") == true)
  }
}
