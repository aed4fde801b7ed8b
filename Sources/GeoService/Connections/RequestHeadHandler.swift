import NIOCore
import NIOHTTP1

/// Tells the connection that a client waiting with `Expect: 100-continue` may send its body.
struct BodyIsWanted: Sendable {}

/// Handles the parts of a request's head that its later value cannot hold.
///
/// These are the absolute form, whose host overrides `Host` (RFC 9112 §3.2.2), the version, because
/// connections of HTTP/1.0 must be closed (§9.3), and `Expect: 100-continue` (RFC 9110 §10.1.1). It
/// also answers requests that the parser rejects.
///
/// One for each connection, on its event loop, between the parser and the codec.
final class RequestHeadHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let reader: HeadReader
  private var waitsForLeave = false
  private var isAnswerBegun = false
  private var bodyBytes = 0
  private var bodyPieces = 0

  init(_ reader: HeadReader) {
    self.reader = reader
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(var head):
      reader.requestBegan()
      guard Self.isComparable(head.headers) else { return reader.refuse(.badHeader) }
      if head.uri.utf8.first != UInt8(ascii: "/") { Self.useOriginForm(of: &head) }
      if head.method == .CONNECT || Self.isOlder(head.version) {
        head.headers.replaceOrAdd(name: "Connection", value: "close")
      }
      // after a request that is being answered, it would be taken for the answer to that one
      waitsForLeave =
        !Self.isOlder(head.version) && reader.openCount == 1
        && head.headers.first(name: "Expect")?.lowercased() == "100-continue"
      (bodyBytes, bodyPieces) = (0, 0)
      context.fireChannelRead(wrapInboundOut(.head(head)))
    case .body(let buffer):
      waitsForLeave = false
      bodyBytes += buffer.readableBytes
      bodyPieces += 1
      guard bodyPieces <= ServiceLimits.bodyPieces + bodyBytes / 16 else {
        return isAnswerBegun ? context.close(promise: nil) : reader.refuse(.crumbledBody)
      }
      context.fireChannelRead(data)
    case .end:
      reader.messageEnded()
      context.fireChannelRead(data)
    }
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext,
    event: Any,
    promise: EventLoopPromise<Void>?
  ) {
    guard event is BodyIsWanted else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    if waitsForLeave, !isAnswerBegun {
      let leave = HTTPResponseHead(version: .http1_1, status: .continue)
      context.writeAndFlush(wrapOutboundOut(.head(leave)), promise: nil)
    }
    waitsForLeave = false
    promise?.succeed()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head: isAnswerBegun = true
    case .body: break
    case .end:
      isAnswerBegun = false
      reader.answered()
    }
    context.write(data, promise: promise)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is HTTPParserError {
      isAnswerBegun ? context.close(promise: nil) : reader.refuse(Self.problem(error))
    }
    context.fireErrorCaught(error)
  }

  /// Whether the fields that will be compared are ASCII.
  ///
  /// Comparing other text takes time that grows with the square of a run of combining marks.
  private static func isComparable(_ headers: HTTPHeaders) -> Bool {
    headers.allSatisfy { name, value in
      value.utf8.allSatisfy { $0 < 0x80 }
        || !compared.contains { name.utf8.isEqualIgnoringCase($0) }
    }
  }

  /// Other fields are never compared.
  private static let compared: [StaticString] = [
    "accept", "accept-encoding", "authorization", "connection", "content-encoding",
    "content-length", "content-type", "cookie", "expect", "host", "if-none-match", "origin",
    "sec-fetch-site", "transfer-encoding", "upgrade", "x-forwarded-for", "x-forwarded-host",
    "x-forwarded-prefix", "x-forwarded-proto",
  ]

  /// An unsupported version has been rejected already; here it is malformed.
  private static func problem(_ error: any Error) -> Problem {
    if case .headerOverflow? = error as? HTTPParserError { .headTooLarge } else { .badMessage }
  }

  /// Uses the host of an absolute form instead of the header; a malformed target fails later.
  private static func useOriginForm(of head: inout HTTPRequestHead) {
    guard let target = try? RequestTarget(head.uri), let authority = target.authority else {
      if head.method != .OPTIONS || head.uri != "*" { head.uri = "nowhere" }
      return
    }
    head.uri = target.path + (target.query.map { "?" + $0 } ?? "")
    head.headers.replaceOrAdd(name: "Host", value: String(authority))
  }

  /// Whether it is HTTP/1.0: its connections end with the answer, and its clients do not wait for
  /// `100 Continue`.
  private static func isOlder(_ version: HTTPVersion) -> Bool {
    version.major < 1 || (version.major == 1 && version.minor < 1)
  }
}
