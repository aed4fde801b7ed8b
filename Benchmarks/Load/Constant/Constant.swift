import GeoService
import NIOCore
import NIOHTTP1

/// `Constant PORT BYTES`: answers each request with a body of that length, on the event loop of its connection.
@main
struct Constant {
  static func main() async throws {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    guard numbers.count == 2 else { return }
    let body = ByteBuffer(repeating: 0x61, count: numbers[1])
    _ = try await Listener.open(on: .port(host: "127.0.0.1", numbers[0]), limit: 4_096) { channel in
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline()
        try pipeline.addHandler(ConstantAnswer(body))
      }
    }
    try await Task.sleep(for: .seconds(86_400))
  }
}

/// Answers the requests of a connection.
private final class ConstantAnswer: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let body: ByteBuffer
  private let head: HTTPResponseHead

  init(_ body: ByteBuffer) {
    self.body = body
    let fields = [
      ("Content-Type", "application/geo+json"), ("Content-Length", "\(body.readableBytes)"),
    ]
    head = HTTPResponseHead(version: .http1_1, status: .ok, headers: HTTPHeaders(fields))
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .end = unwrapInboundIn(data) else { return }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }
}
