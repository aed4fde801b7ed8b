import Foundation
import GeoQuery
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import GeoService
@testable import GeoStore

/// What the head of a request means for its connection and body; one at a time with the others on sockets.
extension ConnectionTests {
  fileprivate static func text(
    _ connection: RawConnection,
    upTo count: Int = 1 << 20
  ) async -> (String, Bool) {
    // all that is asked here comes, on a busy machine too
    let (bytes, isClosed) = await connection.receive(upTo: count, within: 60)
    return (String(decoding: bytes, as: UTF8.self), isClosed)
  }

  @Test func `a connection of HTTP/1.0 ends with its answer`() async throws {
    try await RunningService.with(try SampleService().service) { port in
      for keep in ["", "Connection: keep-alive\r\n"] {
        let connection = try #require(RawConnection(port: port))
        connection.send(Array("GET /healthz HTTP/1.0\r\nHost: localhost\r\n\(keep)\r\n".utf8))
        let (text, isClosed) = await Self.text(connection)
        connection.close()
        #expect(text.contains(" 200 OK"))
        #expect(isClosed)
      }
    }
  }

  /// What cannot be a request, or is one that breaks a rule of its head.
  private static let refused: [(bytes: String, status: Int)] = [
    ("\u{1}?\r\n\r\n", 400), ("]}\r\n", 400), ("GET / RTSP/1.0\r\n\r\n", 400),
    ("GET  / HTTP/1.1\r\n\r\n", 400), ("GET /  HTTP/1.1\r\n\r\n", 400),
    ("GET / HTTP/1.1 \r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 505),
    ("GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
    ("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9223372036854775808\r\n\r\n", 413),
    ("GET / HTTP/1.1\r\nHost: localhost\r\nAccept: e\u{301}\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n\(String(repeating: "X: a\r\n", count: 101))\r\n", 431),
    ("GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 17_000))\r\n\r\n", 431),
    ("GET /\(String(repeating: "a", count: 17_000)) HTTP/1.1\r\n\r\n", 414),
    (
      "POST /nearest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n", 400
    ),
  ]

  /// Requests that are answered with 200.
  private static let valid = [
    "",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "POST /nearest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      + "Content-Length: 30\r\n\r\n{\"points\":[{\"lat\":1,\"lon\":2}]}",
    "POST /nearest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      + "Transfer-Encoding: chunked\r\n\r\n"
      + "1e;a=b\r\n{\"points\":[{\"lat\":1,\"lon\":2}]}\r\n00\r\nX: y\r\n\r\n",
  ]

  @Test(arguments: valid)
  func `a head is checked wherever it stands, and the request before it has its answer first`(
    before: String
  ) async throws {
    try await RunningService.with(try SampleService().service) { port in
      for (bytes, status) in Self.refused {
        let connection = try #require(RawConnection(port: port))
        connection.send(Array((before + bytes).utf8))
        let (text, isClosed) = await Self.text(connection)
        connection.close()
        let statuses = text.components(separatedBy: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }
        #expect(statuses == (before.isEmpty ? [] : [200]) + [status], "\(bytes.prefix(60))")
        #expect(isClosed, "\(bytes.prefix(60))")
      }
    }
  }

  @Test func `what was answered before the connection was closed is counted`() async throws {
    let service = try SampleService()
    try await RunningService.with(service.service) { port in
      let connection = try #require(RawConnection(port: port))
      connection.send(Array((Self.valid[1] + "?").utf8))
      #expect(await Self.text(connection).1)
      connection.close()
    }
    let metrics = service.get("/metrics").text
    #expect(metrics.contains("geoq_protocol_errors_total 1\n"))
    for status in [200, 400] {
      let name = "http_response_status_code=\"\(status)\""
      let line = metrics.split(separator: "\n").first { $0.contains("_count") && $0.contains(name) }
      #expect(line?.hasSuffix(" 1") == true, "\(status)")
    }
  }

  @Test func `who waits for leave to send a body gets it, once`() async throws {
    try await RunningService.with(try SampleService().service) { port in
      let connection = try #require(RawConnection(port: port))
      let body = #"{"points":[{"lat":1,"lon":2}]}"#
      let head =
        "POST /nearest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\n"
      connection.send(Array((head + "Connection: close\r\n\r\n").utf8))
      let leave = "HTTP/1.1 100 Continue\r\n\r\n"
      #expect(await Self.text(connection, upTo: leave.utf8.count).0 == leave)
      connection.send(Array(body.utf8))
      let answer = await Self.text(connection).0
      connection.close()
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(!answer.contains("100 Continue"))
    }
  }

  @Test(arguments: valid)
  func `an upgrade is ignored, and the connection ends with the answer`(
    before: String
  ) async throws {
    try await RunningService.with(try SampleService().service) { port in
      let fields =
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAA\r\n"
      for request in Self.valid where !request.isEmpty {
        let connection = try #require(RawConnection(port: port))
        let upgrade = request.replacing("Host:", with: fields + "Host:")
        connection.send(Array((before + upgrade + request).utf8))
        let (text, isClosed) = await Self.text(connection)
        connection.close()
        let answers = text.components(separatedBy: "HTTP/1.1 200 OK").count - 1
        #expect(answers == (before.isEmpty ? 1 : 2))
        #expect(text.contains("\r\nConnection: close\r\n"))
        #expect(isClosed)
      }
    }
  }

  @Test(
    arguments: [
      ("GET / HTTP/1.2\r\nHost: localhost\r\n\r\n", 505),
      ("GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", 505),
      ("GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
      ("GET / HTTP/1.1\r\nHost: localhost\r\nAccept: e\u{301}\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: e\u{301}\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: \u{E9}\r\n\r\n", 400),
      ("GET /\u{E9} HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: e\u{301}\r\n\r\n", 200),
      ("\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
      ("OPTIONS * HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
      ("GET * HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      (
        "POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n", 404
      ),
      (
        "PUT /favorites/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n", 404
      ),
    ]
  )
  func `what the head decides is answered before any body`(
    request: String,
    status: Int
  )
    async throws
  {
    try await RunningService.with(try SampleService().service) { port in
      // in pieces as well as whole
      for piece in [request.utf8.count, 7] {
        let connection = try #require(RawConnection(port: port))
        let bytes = Array(request.utf8)
        for start in stride(from: 0, to: bytes.count, by: piece) {
          connection.send(Array(bytes[start..<min(start + piece, bytes.count)]))
        }
        let text = await Self.text(connection, upTo: 12).0
        connection.close()
        #expect(text.hasPrefix("HTTP/1.1 \(status)"), "\(text)")
      }
    }
  }

  @Test func `chunks are read, and the connection goes on after them`() async throws {
    try await RunningService.with(try SampleService().service) { port in
      let connection = try #require(RawConnection(port: port))
      let post =
        "POST /nearest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n"
        + "1e\r\n{\"points\":[{\"lat\":1,\"lon\":2}]}\r\n0\r\n\r\n"
      let last = "GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      connection.send(Array((post + post + last).utf8))
      let text = await Self.text(connection).0
      connection.close()
      #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 3)
      #expect(text.contains("HTTP/1.1 404"))
      // and their fields are looked at as all others are
      let marked = try #require(RawConnection(port: port))
      marked.send(Array((post + last.replacing("Host:", with: "Accept: e\u{301}\r\nHost:")).utf8))
      let refused = await Self.text(marked).0
      marked.close()
      #expect(!refused.contains("HTTP/1.1 404"))
    }
  }

  @Test func `who may not send a body is told at once`() async throws {
    try await RunningService.with(try SampleService().service) { port in
      let connection = try #require(RawConnection(port: port))
      let head =
        "POST /nearest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n"
      connection.send(Array(head.utf8))
      #expect(await Self.text(connection).0.hasPrefix("HTTP/1.1 413"))
      connection.close()
    }
  }

  @Test func `a body that stops is answered with 408, which is counted`() async throws {
    let service = try SampleService()
    try await RunningService.with(service.service) { port in
      let connection = try #require(RawConnection(port: port))
      let head =
        "POST /nearest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: 10\r\n\r\n{"
      connection.send(Array(head.utf8))
      // longer than the pause that a body may make
      try await Task.sleep(for: .seconds(ServiceLimits.bodyPauseSeconds))
      let (answer, isClosed) = await Self.text(connection)
      connection.close()
      #expect(answer.hasPrefix("HTTP/1.1 408"))
      #expect(isClosed)
      for part in ["x-request-id: ", "x-geoq-generation: ", "\"code\":\"RequestTimeout\""] {
        #expect(answer.lowercased().contains(part.lowercased()), "\(part)")
      }
      #expect(!answer.contains("\"requestId\":\"none\""))
    }
    #expect(service.get("/metrics").text.contains("http_response_status_code=\"408\""))
  }

  /// Favorites that another program keeps waiting.
  private final class StuckFavorites: FavoriteKeeping {
    let turn = DispatchSemaphore(value: 0)

    func favorites(after id: String?, limit: Int) -> FavoritePage {
      turn.wait()
      return FavoritePage(matches: [], total: 0, generation: nil)
    }

    func addFavorites(_ ids: [String]) -> [String] {
      turn.wait()
      return ids
    }

    func removeFavorites(_ ids: [String]) -> [String] { [] }
  }

  @Test func `favorites that wait for the database keep no query waiting`() async throws {
    let favorites = StuckFavorites()
    let service = try SampleService(favorites: favorites).service
    try await RunningService.with(service) { port in
      let writers = try (0..<4).map { _ in try #require(RawConnection(port: port)) }
      for (number, writer) in writers.enumerated() {
        let method = number == 0 ? "GET /favorites" : "PUT /favorites/place-\(number)"
        let token = "Authorization: Bearer \(ServiceSettings.token)\r\n"
        writer.send(Array("\(method) HTTP/1.1\r\nHost: localhost\r\n\(token)\r\n".utf8))
      }
      let reader = try #require(RawConnection(port: port))
      let request = "GET /count/bbox?bbox=0,0,1,1 HTTP/1.1\r\nHost: localhost\r\n"
      reader.send(Array((request + "Connection: close\r\n\r\n").utf8))
      #expect(await Self.text(reader).0.hasPrefix("HTTP/1.1 200"))
      for _ in writers { favorites.turn.signal() }
      for writer in writers {
        #expect(await Self.text(writer, upTo: 12).0.hasPrefix("HTTP/1.1 20"))
        writer.close()
      }
    }
  }
}
