import NIOCore
import NIOHTTP1

/// Sees to what HTTP/1.1 says of a request's head before it becomes a value that has no place for it:
/// the absolute form, whose host counts (RFC 9112 §3.2.2), the version, without which connections of
/// HTTP/1.0 would stay open (§9.3), and `Expect: 100-continue` (RFC 9110 §10.1.1).
///
/// One for each connection, on its event loop, between the parser and the codec.
final class RequestHeadHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// Requests that have not been answered to their end.
  private var openCount = 0

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else {
      return context.fireChannelRead(data)
    }
    openCount += 1
    if head.uri.utf8.first != UInt8(ascii: "/") { Self.useOriginForm(of: &head) }
    if Self.isOlder(head.version) { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    context.fireChannelRead(wrapInboundOut(.head(head)))
    if waitsForLeave(head) {
      let leave = HTTPResponseHead(version: .http1_1, status: .continue)
      context.writeAndFlush(wrapOutboundOut(.head(leave)), promise: nil)
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { openCount -= 1 }
    context.write(data, promise: promise)
  }

  /// The host of an absolute form counts instead of the header; what is of no form is left to fail.
  private static func useOriginForm(of head: inout HTTPRequestHead) {
    guard let target = try? RequestTarget(head.uri), let authority = target.authority else {
      head.uri = "*"
      return
    }
    head.uri = target.path + (target.query.map { "?" + $0 } ?? "")
    head.headers.replaceOrAdd(name: "Host", value: String(authority))
  }

  /// Whether it is HTTP/1.0: connections end with the answer, and nobody waits for leave.
  private static func isOlder(_ version: HTTPVersion) -> Bool {
    version.major < 1 || (version.major == 1 && version.minor < 1)
  }

  /// Whether the client waits before it sends its body, and the answer may be that it should.
  ///
  /// Behind another request that is being answered it would be taken for that one's answer.
  private func waitsForLeave(_ head: HTTPRequestHead) -> Bool {
    guard !Self.isOlder(head.version), openCount == 1,
      head.headers.first(name: "Expect")?.lowercased() == "100-continue"
    else { return false }
    guard let length = head.headers.first(name: "Content-Length") else {
      return head.headers.contains(name: "Transfer-Encoding")
    }
    return Int(length).map { (1...ServiceLimits.bodyLength).contains($0) } ?? false
  }
}
