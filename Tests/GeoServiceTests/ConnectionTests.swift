import Foundation
import Testing

@testable import GeoService

/// Requests as bytes on a socket: none of them takes the service down, and the next one is answered.
@Suite(.serialized)
struct ConnectionTests {
  private static let nearest = "GET /nearest?lat=1&lon=2 HTTP/1.1\r\nHost: localhost\r\n"

  /// Raw requests, and the statuses that may come back; empty if the connection may just end.
  private static let hostile: [(name: String, bytes: String, statuses: Set<Int>)] = [
    ("no host", "GET / HTTP/1.1\r\n\r\n", [400]),
    ("two hosts", "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", [400]),
    ("foreign host", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", [421]),
    ("absolute form", "GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", [200]),
    ("own absolute form", "GET http://localhost/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", [200]),
    (
      "foreign absolute form", "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", [421]
    ),
    (
      "foreign absolute write",
      "PUT http://evil.example/favorites/a HTTP/1.1\r\nHost: localhost\r\n\r\n", [421]
    ),
    ("other scheme", "GET ftp://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
    ("relative form", "GET healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
    ("star", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", [204]),
    ("connect", "CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n", [400, 405, 421]),
    ("trace", "TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n", [405]),
    ("unknown method", "BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n", [400, 405]),
    ("http 0.9", "GET /\r\n\r\n", [400]),
    ("http 2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [505]),
    ("bare line feed", "GET / HTTP/1.1\nHost: localhost\n\n", [400, 200]),
    ("blank before colon", "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", [400]),
    ("folded header", "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n", [200, 400]),
    ("nul in header", "GET / HTTP/1.1\r\nHost: local\0host\r\n\r\n", [400]),
    ("nul in target", "GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
    (
      "both lengths",
      "POST /nearest HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", [400]
    ),
    (
      "two lengths",
      "POST /nearest HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
      [400]
    ),
    (
      "negative length",
      "POST /nearest HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", [400]
    ),
    (
      "huge length",
      "POST /nearest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: 99999999999\r\n\r\n", [413]
    ),
    (
      "chunk overflow",
      "POST /nearest HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "FFFFFFFFFFFFFFFFF\r\n", [400, 415]
    ),
    (
      "large header",
      "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "a", count: 20_000))\r\n\r\n",
      [431]
    ),
    (
      "many headers",
      "GET / HTTP/1.1\r\nHost: localhost\r\n\(String(repeating: "X: a\r\n", count: 200))\r\n", [431]
    ),
    (
      "long target",
      "GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: localhost\r\n\r\n", [414]
    ),
    ("tls hello", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}", [400]),
    ("absurd range", nearest + "Range: bytes=99999999999999999999-\r\n\r\n", [200]),
  ]

  @Test func `hostile requests are refused and the service goes on`() async throws {
    try await RunningService.with(try SampleService().service) { port in
      for (name, bytes, statuses) in Self.hostile {
        let connection = try #require(RawConnection(port: port))
        connection.send(Array(bytes.utf8))
        let answer = String(
          decoding: await connection.receive(upTo: 12).bytes,
          as: UTF8.self
        )
        connection.close()
        let status = answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        #expect(answer.isEmpty || statuses.contains(status ?? 0), "\(name): \(answer)")
        try await Self.probe(port)
      }
    }
  }

  @Test func `random bytes and halves of requests do no harm`() async throws {
    try await RunningService.with(try SampleService().service) { port in
      var random = SplitMix(state: 7)
      let whole = Array((Self.nearest + "\r\n").utf8)
      for round in 0..<60 {
        let connection = try #require(RawConnection(port: port))
        if round % 2 == 0 {
          connection.send((0..<200).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        } else {
          connection.send(Array(whole[..<Int(random.next() % UInt64(whole.count))]))
        }
        connection.close()
      }
      try await Self.probe(port)
    }
  }

  @Test func `pipelined requests are answered in order`() async throws {
    try await RunningService.with(try SampleService().service) { port in
      let connection = try #require(RawConnection(port: port))
      let one = "GET /count/bbox?bbox=-180,-90,180,90 HTTP/1.1\r\nHost: localhost\r\n\r\n"
      let last = "GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: Close\r\n\r\n"
      connection.send(Array((String(repeating: one, count: 50) + last).utf8))
      let (bytes, isClosed) = await connection.receive(within: 60)
      connection.close()
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 51)
      #expect(text.components(separatedBy: "HTTP/1.1 404").count == 2)
      #expect(isClosed, "a request's Close closes, whatever its case")
    }
  }

  @Test func `a body after an answer is not read without end`() async throws {
    try await RunningService.with(try SampleService().service) { port in
      let connection = try #require(RawConnection(port: port))
      let head = "GET /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n"
      connection.send(Array(head.utf8))
      let piece = [UInt8](repeating: 0x61, count: 1 << 20)
      // what the kernel's buffers have room for, and then no more
      let sentPieces = (0..<64).prefix { _ in connection.send(piece) == piece.count }.count
      #expect(sentPieces < 64)
      let (bytes, isClosed) = await connection.receive(within: 60)
      connection.close()
      #expect(isClosed)
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 404"))
      try await Self.probe(port)
    }
  }

  @Test func `HEAD has the length of GET and no body`() async throws {
    try await RunningService.with(try SampleService().service) { port in
      let connection = try #require(RawConnection(port: port))
      let head = "HEAD /api HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      connection.send(Array(head.utf8))
      let text = String(decoding: await connection.receive(within: 60).bytes, as: UTF8.self)
      connection.close()
      #expect(text.hasPrefix("HTTP/1.1 200 OK"))
      #expect(text.hasSuffix("\r\n\r\n"))
      let length = text.lowercased().components(separatedBy: "content-length: ").last ?? ""
      #expect(Int(length.prefix { $0.isNumber }) ?? 0 > 1_000)
    }
  }

  @Test func `a large answer arrives whole`() async throws {
    let service = try SampleService(SamplePlaces(count: 5_000).places)
    let expected = service.get("/bbox?bbox=-180,-90,180,90").response.body.count
    try await RunningService.with(service.service) { port in
      let connection = try #require(RawConnection(port: port))
      let head =
        "GET /bbox?bbox=-180,-90,180,90 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      connection.send(Array(head.utf8))
      let bytes = await connection.receive(upTo: 1 << 30, within: 60).bytes
      connection.close()
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.components(separatedBy: "\r\n\r\n").last?.utf8.count == expected)
    }
  }

  private static func probe(_ port: Int) async throws {
    let connection = try #require(RawConnection(port: port))
    connection.send(Array((nearest + "Connection: close\r\n\r\n").utf8))
    let text = String(decoding: await connection.receive(within: 60).bytes, as: UTF8.self)
    connection.close()
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
  }
}
