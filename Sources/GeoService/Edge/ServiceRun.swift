import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The service on a port, until a signal ends it.
package struct ServiceRun: Sendable {
  /// The address to listen on.
  package var host = "127.0.0.1"

  /// The port to listen on; 0 takes a free one.
  package var port = 8_080

  /// Whether each request is noted on standard error.
  package var logsRequests = true

  /// The database whose imports are followed; nil for none.
  package var databasePath: String?

  /// How often it is looked at.
  package var watchInterval = Duration.seconds(1)

  /// Signals that end the service gracefully.
  package var endsOnSignals = true

  private let service: RestaurantService

  /// Makes a run of a service.
  package init(of service: RestaurantService) {
    self.service = service
  }

  /// Listens and answers until the end.
  ///
  /// - Parameter onReady: Called with the port as soon as connections are taken.
  /// - Throws: `IOError` where the address cannot be listened on.
  package func run(onReady: @escaping @Sendable (Int) -> Void) async throws {
    Self.raiseDescriptorLimit()
    let log = AccessLog(isEnabled: logsRequests)
    let threads = NIOThreadPool(numberOfThreads: max(2, System.coreCount))
    let storeThread = NIOThreadPool(numberOfThreads: 1)
    for pool in [threads, storeThread] { pool.start() }
    let responder = ServiceResponder(
      service: service,
      log: log,
      threads: threads,
      storeThread: storeThread
    )
    let logger = Logger(label: "geoq") { _ in SwiftLogNoOpLogHandler() }
    let application = Application(
      responder: responder,
      server: HTTPServerBuilder { respond in
        LoopBoundHTTP1(
          responder: respond,
          configuration: Self.configuration { responder.timedOut() }
        )
      },
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        backlog: 1_024,
        availableConnectionsDelegate: MaximumAvailableConnections(
          ServiceLimits.connections,
          logger: logger
        )
      ),
      onServerRunning: { channel in onReady(channel.localAddress?.port ?? port) },
      logger: logger
    )
    var services: [any Service] = [application]
    if let databasePath {
      services.append(
        WatchService(path: databasePath, interval: watchInterval, service: service, log: log)
      )
    }
    var configuration = ServiceGroupConfiguration(
      services: services.map { .init(service: $0) },
      gracefulShutdownSignals: endsOnSignals ? [.sigint, .sigterm] : [],
      logger: logger
    )
    configuration.maximumGracefulShutdownDuration = .seconds(ServiceLimits.shutdownSeconds)
    defer { log.flush() }
    let result: Result<Void, any Error>
    do {
      result = .success(try await ServiceGroup(configuration: configuration).run())
    } catch {
      result = .failure(error)
    }
    for pool in [threads, storeThread] { try? await pool.shutdownGracefully() }
    try result.get()
  }

  private static func configuration(
    whenTimedOut timedOut: @escaping @Sendable () -> ServiceResponse
  ) -> HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(
      additionalChannelHandlers: [ConnectionGuard(whenTimedOut: timedOut)],
      idleTimeout: .seconds(ServiceLimits.idleSeconds),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: ServiceLimits.headerLength,
        maxHeaderListSize: ServiceLimits.headerLength,
        maxHeaderFieldCount: ServiceLimits.headerCount
      )
    )
  }

  /// A connection takes a descriptor: as many as the system lets this process have.
  private static func raiseDescriptorLimit() {
    var limit = rlimit()
    #if canImport(Glibc)
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let kind = RLIMIT_NOFILE
    #endif
    guard getrlimit(kind, &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 65_536)
    setrlimit(kind, &limit)
  }
}
