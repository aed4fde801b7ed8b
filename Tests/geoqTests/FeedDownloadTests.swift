import Foundation
import GeoStore
import Testing

@testable import geoq

/// What a download sends, and how much it takes, from a server on the loopback interface.
@Suite(.enabled(if: CommandRunner.succeeds("python3 -c 'import http.server'"), "needs python3"))
struct FeedDownloadTests {
  private let server: FeedServer

  init() throws {
    server = try #require(FeedServer(serving: "/dev/null"))
  }

  @Test(arguments: ["/fields", "/away"])
  func `a request has three fields, at another host too`(path: String) throws {
    let fields = try fields(path)
    #expect(Set(fields.keys) == ["Host", "User-Agent", "Accept"])
    #expect(fields["User-Agent"] == "geoq/" + Geoq.version)
    #expect(fields["Accept"] == "application/json, application/geo+json, */*;q=0.5")
    #expect(fields["Host"]?.hasPrefix(path == "/away" ? "localhost:" : "127.0.0.1:") == true)
  }

  @Test
  func `what the store remembers is sent, unless it would break the line`() throws {
    let date = "Wed, 21 Oct 2015 07:28:00 GMT"
    let sent = try fields("/fields", etag: "\"a\"", lastModified: date)
    #expect(sent["If-None-Match"] == "\"a\"")
    #expect(sent["If-Modified-Since"] == date)
    for text in ["\"a\"\r\nX-More: 1", "\"a\"\nX-More: 1", "\"a\u{0}\"", ""] {
      let sent = try fields("/fields", etag: text, lastModified: text)
      #expect(Set(sent.keys) == ["Host", "User-Agent", "Accept"])
    }
  }

  @Test(arguments: ["/fields", "/away"])
  func `the validators are those of the last answer, without blanks around`(path: String) throws {
    let origin = try FeedDownload.fetch(server.address + path, known: nil)?.origin
    #expect(origin == FeedOrigin(address: server.address + path, etag: "\"a b\""))
  }

  @Test(arguments: ["/large", "/endless"])
  func `a feed that is too large is refused, announced or not`(path: String) {
    expectRefusal(path, FeedDownload.Limits(bytes: 1 << 20), "the feed is larger than 1 MiB")
  }

  @Test
  func `a silent server is left`() {
    expectRefusal("/silent", FeedDownload.Limits(silence: 1), "transferred the last 1 seconds")
  }

  @Test
  func `a server that never ends is left`() {
    let said = expectRefusal("/dribble", FeedDownload.Limits(seconds: 1), "timed out after")
    // by this limit, on a busy machine too, and not by the usual one
    let milliseconds = said.milliseconds ?? 0
    #expect(milliseconds >= 1_000 && milliseconds < FeedDownload.Limits().seconds * 1_000)
  }

  private struct Problem: Error {}

  @discardableResult
  private func expectRefusal(
    _ path: String,
    _ limits: FeedDownload.Limits,
    _ problem: String
  ) -> String {
    let failure = #expect(throws: CommandFailure.self) {
      try FeedDownload.fetch(server.address + path, known: nil, limits: limits)
    }
    #expect(failure?.exitCode == 69)
    #expect(failure?.message.contains(problem) == true, "\(failure?.message ?? "")")
    return failure?.message ?? ""
  }

  private func fields(
    _ path: String,
    etag: String? = nil,
    lastModified: String? = nil
  ) throws -> [String: String] {
    let address = server.address + path
    let known = FeedOrigin(address: address, etag: etag, lastModified: lastModified)
    guard let file = try FeedDownload.fetch(address, known: known)?.file else { throw Problem() }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
    return try JSONDecoder().decode([String: String].self, from: Data(bytes[..<count]))
  }
}
