import GeoService
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// `Constant PORT BYTES [pool]`: answers every request with so many bytes.
///
/// On the event loops, as the service does; with `pool`, as Hummingbird comes.
@main
struct Constant {
  static func main() async throws {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    guard numbers.count == 2 else { return }
    let body = ByteBuffer(repeating: 0x61, count: numbers[1])
    let answer = HTTPResponse(
      status: .ok,
      headerFields: [.contentType: "application/geo+json", .contentLength: "\(body.readableBytes)"]
    )
    let responder: HTTPChannelHandler.Responder = { _, writer, _ in
      try await writer.write(response: answer, body: ResponseBody(byteBuffer: body))
    }
    let configuration = ServerConfiguration(address: .hostname("127.0.0.1", port: numbers[0]))
    let group = MultiThreadedEventLoopGroup.singleton
    let logger = Logger(label: "constant") { _ in SwiftLogNoOpLogHandler() }
    let server: any Service =
      CommandLine.arguments.contains("pool")
      ? HTTP1Channel(responder: responder)
        .server(configuration: configuration, eventLoopGroup: group, logger: logger)
      : LoopBoundHTTP1(responder: responder)
        .server(configuration: configuration, eventLoopGroup: group, logger: logger)
    try await ServiceGroup(
      services: [server],
      gracefulShutdownSignals: [.sigterm, .sigint],
      logger: logger
    ).run()
  }
}
