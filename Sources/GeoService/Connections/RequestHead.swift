import HTTPTypes
import NIOHTTP1

/// What a request's head means for its connection and its body.
extension HTTPRequestHead {
  /// The reason for not reading the request any further.
  var violation: Problem? {
    for (name, value) in headers {
      let field = name.utf8
      if field.isEqualIgnoringCase("transfer-encoding"),
        !value.utf8.isEqualIgnoringCase("chunked")
      {
        return .unknownCoding
      }
      if field.isEqualIgnoringCase("content-length"), Int(value) == nil { return .endlessBody }
      // comparing other text takes time that grows with the square of a run of combining marks
      if !value.utf8.allSatisfy({ $0 < 0x80 }),
        Self.compared.contains(where: { field.isEqualIgnoringCase($0) })
      {
        return .badHeader
      }
    }
    return nil
  }

  /// The fields that are compared; all others never are.
  private static let compared: [StaticString] = [
    "accept", "accept-encoding", "authorization", "connection", "content-encoding",
    "content-length", "content-type", "cookie", "expect", "host", "if-none-match", "origin",
    "sec-fetch-site", "transfer-encoding", "upgrade", "x-forwarded-for", "x-forwarded-host",
    "x-forwarded-prefix", "x-forwarded-proto",
  ]

  /// How the body is delimited.
  var framing: RequestReader.Framing {
    if headers.contains(name: "Transfer-Encoding") { return .chunked }
    return .length(headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0)
  }

  /// Whether the connection ends with the answer.
  ///
  /// Connections of HTTP/1.0 do (RFC 9112 section 9.3). An `Upgrade` is ignored (RFC 9110 section 7.8),
  /// but the parser takes what follows it, or follows CONNECT, for another protocol.
  var endsConnection: Bool {
    version != .http1_1 || method == .CONNECT || headers.contains(name: "Upgrade")
      || headers["Connection"].contains { list in
        list.utf8.split { $0 == 0x2C || $0 == 0x20 || $0 == 0x09 }
          .contains { $0.isEqualIgnoringCase("close") }
      }
  }

  /// Whether the client waits with its body for `100 Continue` (RFC 9110 section 10.1.1).
  var waitsToContinue: Bool {
    version == .http1_1
      && headers.first(name: "Expect")?.utf8.isEqualIgnoringCase("100-continue") ?? false
  }

  /// Replaces an absolute form by the origin form; its host overrides `Host` (RFC 9112 section 3.2.2).
  ///
  /// A malformed target fails later.
  mutating func useOriginForm() {
    if uri.utf8.first == UInt8(ascii: "/") { return }
    guard let target = try? RequestTarget(uri), let authority = target.authority else {
      if method != .OPTIONS || uri != "*" { uri = "nowhere" }
      return
    }
    uri = target.path + (target.query.map { "?" + $0 } ?? "")
    headers.replaceOrAdd(name: "Host", value: String(authority))
  }
}
