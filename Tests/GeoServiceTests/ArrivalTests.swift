import Logging
import NIOCore
import NIOPosix
import Testing

@testable import GeoService

/// Connections between their acceptance and their handling.
struct ArrivalTests {
  @Test func `a connection that is not handled any more is closed, and ends nothing else`()
    async throws
  {
    let http = LoopBoundHTTP1 { _, _, _ in }
    let logger = Logger(label: "geoq") { _ in SwiftLogNoOpLogHandler() }
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        // dropped, as by a service that has ended meanwhile
        http.setup(channel: channel, logger: logger).map { _ in }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(listener.localAddress?.port)
    for _ in 0..<3 {
      let connection = try #require(RawConnection(port: port))
      #expect(await connection.receive(within: 60).isClosed)
      connection.close()
    }
    try await listener.close()
  }
}
