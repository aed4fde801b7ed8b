import Dispatch
import GeoQuery
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
  package var watchInterval = Duration.milliseconds(200)

  /// Whether SIGINT, SIGTERM and SIGHUP end the service gracefully, and `endOverdue` is called if that
  /// takes too long.
  package var endsOnSignals = true

  /// Ends the process, if work is still running some seconds after a signal.
  package var endOverdue: @Sendable () -> Void = {}

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
    let responder = ServiceResponder(service: service, log: log)
    let logger = Logger(label: "geoq") { _ in SwiftLogNoOpLogHandler() }
    let application = Application(
      responder: responder,
      server: HTTPServerBuilder { respond in
        LoopBoundHTTP1(
          responder: respond,
          configuration: Self.configuration { responder.refusal(.requestTimeout, of: $0) },
          door: responder
        )
      },
      configuration: ApplicationConfiguration(
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
      logger: logger
    )
    var services: [any Service] = [application]
    if endsOnSignals { services.append(OverdueEnd(log: log, end: endOverdue)) }
    if let databasePath {
      services.append(
        WatchService(path: databasePath, interval: watchInterval, service: service, log: log)
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

  /// A hangup that was ignored at the start, as by `nohup`, stays ignored.
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
      // the head's reader sees to time and size; here only what it does not know
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 2 * ServiceLimits.headerLength,
        maxHeaderListSize: 2 * ServiceLimits.headerLength,
        maxHeaderFieldCount: ServiceLimits.headerCount + 1
      )
    )
  }

  /// How many connections there may be: each takes a descriptor, and where none is left the loop that
  /// accepts connections would turn without end.
  private static func connectionLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(descriptorLimit, &limit) == 0 else { return ServiceLimits.connections }
    let free = Int(clamping: limit.rlim_cur) - ServiceLimits.otherDescriptors
    return min(ServiceLimits.connections, max(free, 16))
  }

  /// As many descriptors as the system lets this process have.
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
  /// The system's number of the error that a run has failed with; nil if it was not the system.
  package static func systemErrorNumber(of error: any Error) -> Int32? {
    (error as? IOError)?.errnoCode
  }
}

/// Ends the process if the shutdown takes longer than it may: a query that does not come back, or a
/// database that another program keeps busy, must not keep it alive.
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
