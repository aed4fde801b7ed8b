import GeoService
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// `Constant PORT BYTES [pool]`: answers every request with so many bytes.
///
/// On the event loops, as the service does; with `pool`, as Hummingbird comes.
@main
struct Constant {
  static func main() async throws {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    guard numbers.count == 2 else { return }
    let body = ByteBuffer(repeating: 0x61, count: numbers[1])
    let router = Router()
    router.get("/nearest") { _, _ in
      Response(
        status: .ok,
        headers: [.contentType: "application/geo+json"],
        body: ResponseBody(byteBuffer: body)
      )
    }
    var logger = Logger(label: "constant")
    logger.logLevel = .error
    let application = Application(
      router: router,
      server: CommandLine.arguments.contains("pool")
        ? .http1() : HTTPServerBuilder { LoopBoundHTTP1(responder: $0) },
      configuration: .init(address: .hostname("127.0.0.1", port: numbers[0])),
      logger: logger
    )
    try await application.runService()
  }
}
