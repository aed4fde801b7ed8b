import HTTPTypes
import Testing

@testable import GeoService

/// Heads of requests as bytes: what the service sees of them before the parser does.
struct RequestHeadTests {
  private func read(_ text: String) -> RequestHead { read(Array(text.utf8)) }

  private func read(_ bytes: [UInt8]) -> RequestHead { bytes.withUnsafeBytes { RequestHead($0) } }

  private func length(_ head: RequestHead) -> Int? {
    if case .length(let count) = head.body { count } else { nil }
  }

  @Test func `a head ends at its empty line, and no byte sooner`() {
    let head = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for count in 0..<head.utf8.count {
      #expect(read(Array(head.utf8.prefix(count))).end == nil)
    }
    #expect(read(head).end == head.utf8.count)
    #expect(read(head + "GET / HTTP/1.1").end == head.utf8.count)
    #expect(read("\r\n" + head).end == head.utf8.count + 2)
    #expect(read("GET / HTTP/1.1\nHost: localhost\n\n").end == 32)
  }

  @Test(
    arguments: [
      ("", 0), ("Content-Length: 0\r\n", 0), ("content-LENGTH:  12 \r\n", 12),
      ("Content-Length: 1\r\nContent-Length: 1\r\n", nil), ("Content-Length: -1\r\n", nil),
      ("Content-Length: 1, 1\r\n", nil), ("Content-Length: 99999999999999999999\r\n", nil),
      ("Transfer-Encoding: chunked\r\n", nil), ("Content-Length:\r\n", nil),
      ("X-Content-Length: 5\r\n", 0),
    ] as [(String, Int?)]
  )
  func `a body's length is known, or left to the parser`(fields: String, expected: Int?) {
    let head = read("POST / HTTP/1.1\r\n\(fields)\r\n")
    #expect(length(head) == expected)
    #expect(head.problem == nil)
  }

  @Test(
    arguments: [
      ("HTTP/1.1", nil, false), ("HTTP/1.0", nil, false), ("HTTP/1.2", nil, true),
      ("HTTP/1.9", nil, true), ("HTTP/2.0", 505, false), ("HTTP/9.9", 505, false),
      ("HTTP/0.9", nil, false), ("HTTPS/1.1", nil, false), ("HTTP/1", nil, false), ("", nil, false),
    ] as [(String, Int?, Bool)]
  )
  func `a later minor version is taken as 1.1 and another major one refused`(
    version: String,
    status: Int?,
    isChanged: Bool
  ) {
    let head = read("GET / \(version)\r\n\r\n")
    #expect(head.problem?.status.code == status)
    #expect(head.changes.map(\.offset) == (isChanged ? [13] : []))
  }

  @Test func `an upgrade is hidden from the parser`() {
    let head = read("GET / HTTP/1.1\r\nConnection: Upgrade\r\nuPGRADE: h2c\r\n\r\n")
    #expect(head.changes.map(\.offset) == [37])
    #expect(head.problem == nil)
  }

  @Test(
    arguments: [
      ("Transfer-Encoding: gzip", 501), ("Transfer-Encoding: gzip, chunked", 501),
      ("transfer-encoding: CHUNKED", nil), ("X-Transfer-Encoding: gzip", nil),
    ] as [(String, Int?)]
  )
  func `the only transfer coding is chunked`(field: String, status: Int?) {
    #expect(read("GET / HTTP/1.1\r\n\(field)\r\n\r\n").problem?.status.code == status)
  }

  @Test func `what is too large is said to be: target, field or number of fields`() {
    let long = String(repeating: "a", count: 17_000)
    let many = String(repeating: "X: a\r\n", count: 101)
    #expect(read("GET /\(long)").problem?.status.code == 414)
    #expect(read("GET /\(long) HTTP/1.1\r\n\r\n").problem?.status.code == 414)
    #expect(read("GET / HTTP/1.1\r\nX: \(long)").problem?.status.code == 431)
    #expect(read("GET / HTTP/1.1\r\n\(many)\r\n").problem?.status.code == 431)
    #expect(read("GET / HTTP/1.1\r\n\(many.dropFirst(6))\r\n").problem == nil)
    #expect(read(String(repeating: "\r\n", count: 9_000)).problem?.status.code == 431)
  }

  @Test func `what is not a request is left to the parser`() {
    for text in ["\u{16}\u{3}\u{1}", "\u{80}", " GET / HTTP/1.1\r\n\r\n", "1", "\0"] {
      #expect(read(text).isNoRequest, "\(text)")
    }
    #expect(!read("").isNoRequest && !read("\r\n").isNoRequest && !read("g").isNoRequest)
  }
}
