import Dispatch
import GeoQuery
package import GeoStore
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

  /// The port to listen on; 0 chooses a free one.
  package var port = 8_080

  /// Whether each request is logged on standard error.
  package var logsRequests = true

  /// The store that is watched for imports; nil for none.
  package var store: StorePlace?

  /// The time between two checks of the database.
  package var watchInterval = Duration.milliseconds(200)

  /// Whether SIGINT, SIGTERM and SIGHUP end the service gracefully, and `endOverdue` is called if that
  /// takes too long.
  package var endsOnSignals = true

  /// Ends the process if work is still running some seconds after a signal.
  package var endOverdue: @Sendable () -> Void = {}

  private let service: RestaurantService

  /// Makes a run of a service.
  package init(of service: RestaurantService) {
    self.service = service
  }

  /// Listens and answers until the service ends.
  ///
  /// - Parameter onReady: Called with the port as soon as connections are accepted.
  /// - Throws: `IOError` if the address cannot be listened on.
  package func run(onReady: @escaping @Sendable (Int) -> Void) async throws {
    Self.raiseDescriptorLimit()
    FreeMemory.giveBackLargeBlocks()
    let log = AccessLog(isEnabled: logsRequests)
    let responder = ServiceResponder(service: service, log: log)
    let logger = Logger(label: "geoq") { _ in SwiftLogNoOpLogHandler() }
    let connections = LoopBoundHTTP1(
      responder: { try await responder.respond(to: $0, $1, on: $2) },
      configuration: Self.configuration { responder.refusal(.requestTimeout, of: $0) },
      door: responder
    )
    let server = connections.server(
      configuration: ServerConfiguration(
        address: .hostname(host, port: port),
        backlog: 1_024,
        availableConnectionsDelegate: MaximumAvailableConnections(
          Self.connectionLimit(),
          logger: logger
        )
      ),
      onServerRunning: { channel in
        let snapshot = service.live.current.snapshot
        let facts = [
          ("address", "\(channel.localAddress?.ipAddress ?? host)"),
          ("port", "\(channel.localAddress?.port ?? port)"),
          ("generation", "\(snapshot.generation)"), ("restaurants", "\(snapshot.count)"),
        ]
        log.note(event: "start", isFailure: false, facts)
        onReady(channel.localAddress?.port ?? port)
      },
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
      logger: logger
    )
    var services: [any Service] = [server]
    if endsOnSignals { services.append(OverdueEnd(log: log, end: endOverdue)) }
    if let store {
      services.append(
        WatchService(place: store, interval: watchInterval, service: service, log: log)
      )
    }
    var configuration = ServiceGroupConfiguration(
      services: services.map { .init(service: $0) },
      gracefulShutdownSignals: endsOnSignals ? Self.endingSignals : [],
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
    await responder.threads.end()
    try result.get()
    log.note(event: "end", isFailure: false)
  }

  /// A hangup signal that was ignored at the start, as with `nohup`, stays ignored.
  private static var endingSignals: [UnixSignal] {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    #if canImport(Glibc)
    let handler = action.__sigaction_handler.sa_handler
    #else
    let handler = action.__sigaction_u.__sa_handler
    #endif
    let isIgnored = unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    return isIgnored ? [.sigint, .sigterm] : [.sigint, .sigterm, .sighup]
  }

  private static func configuration(
    whenTimedOut timedOut: @escaping @Sendable (SocketAddress?) -> ServiceResponse
  ) -> HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(
      additionalChannelHandlers: [ConnectionGuard(whenTimedOut: timedOut)],
      // the head reader checks time and size; these are the limits it does not check
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 2 * ServiceLimits.headerLength,
        maxHeaderListSize: 2 * ServiceLimits.headerLength,
        maxHeaderFieldCount: ServiceLimits.headerCount + 1
      )
    )
  }

  /// The maximum number of connections.
  ///
  /// Each needs a descriptor, and without a free one the accepting loop would spin.
  private static func connectionLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(descriptorLimit, &limit) == 0 else { return ServiceLimits.connections }
    let free = Int(clamping: limit.rlim_cur) - ServiceLimits.otherDescriptors
    return min(ServiceLimits.connections, max(free, 16))
  }

  /// Raises the limit of descriptors to the maximum that the system allows.
  private static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(descriptorLimit, &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 65_536)
    setrlimit(descriptorLimit, &limit)
  }

  #if canImport(Glibc)
  private static let descriptorLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
  private static let descriptorLimit = RLIMIT_NOFILE
  #endif
}

extension ServiceRun {
  /// The system's error number for the error that ended a run; nil if it was not a system error.
  package static func systemErrorNumber(of error: any Error) -> Int32? {
    (error as? IOError)?.errnoCode
  }
}

/// Ends the process if the shutdown takes too long.
///
/// A query that does not return, or a database that another program keeps busy, must not keep it
/// alive.
private struct OverdueEnd: Service {
  let log: AccessLog
  let end: @Sendable () -> Void

  func run() async throws {
    try? await gracefulShutdown()
    guard Task.isShuttingDownGracefully else { return }
    let time = DispatchTime.now() + .seconds(Int(ServiceLimits.shutdownSeconds) + 1)
    DispatchQueue.global().asyncAfter(deadline: time) {
      log.note(event: "end", isFailure: true, [("reason", "work was still running")])
      log.flush()
      end()
    }
  }
}
