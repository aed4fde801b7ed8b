import Dispatch
import GeoQuery
package import GeoStore
import NIOCore
import NIOHTTP1

/// The service on a port, until a signal or the end of its task ends it.
package struct ServiceRun: Sendable {
  /// The address to listen on.
  package var host = "127.0.0.1"

  /// The port to listen on; 0 chooses a free one.
  package var port = 8_080

  /// The path of a Unix socket to listen on instead of an address; nil for none.
  package var socketPath: String?

  /// Whether each request is logged on standard error.
  package var logsRequests = true

  /// The store that is watched for imports; nil for none.
  package var store: StorePlace?

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

  /// Listens and answers until a signal arrives or the task is cancelled; running requests are answered
  /// first.
  ///
  /// - Parameter onReady: Called with the port as soon as connections are accepted.
  /// - Throws: `IOError` if the address cannot be listened on.
  package func run(onReady: @escaping @Sendable (Int) -> Void) async throws {
    MallocTrim.returnLargeBlocks()
    let log = AccessLog(isEnabled: logsRequests)
    let responder = ServiceResponder(service: service, log: log)
    let limit = Self.connectionLimit()
    let connections = ConnectionTable(limit: limit, service.quotas.connections)
    let signals = endsOnSignals ? await ShutdownSignals() : nil
    let arrivals = signals?.arrivals
    defer { signals?.ignore() }
    let listener: Listener
    do {
      listener = try await Listener.open(
        on: socketPath.map { .socket($0) } ?? .port(host: host, port),
        limit: limit
      ) { Self.setUp($0, connections, responder) }
    } catch {
      await responder.threads.end()
      throw error
    }
    let snapshot = service.live.current.snapshot
    let port = listener.address?.port ?? port
    let address = socketPath ?? listener.address?.ipAddress ?? host
    var facts: [(name: String, value: JSONValue)] = [("address", .string(address))]
    if socketPath == nil { facts.append(("port", .number("\(port)"))) }
    facts.append(("generation", .number("\(snapshot.generation)")))
    facts.append(("restaurants", .number("\(snapshot.count)")))
    log.note(event: "start", isFailure: false, facts)
    defer { log.flush() }
    onReady(port)
    await withDiscardingTaskGroup { group in
      if let store {
        let watch = WatchService(place: store, service: service, log: log)
        group.addTask { await watch.run() }
      }
      await Self.wait(for: arrivals)
      if arrivals != nil { endWhenOverdue(log) }
      group.cancelAll()
      await listener.end()
    }
    await responder.threads.end()
    if let socketPath { unlink(socketPath) }
    log.note(event: "end", isFailure: false)
  }

  /// The addresses under which other machines reach this one.
  package static func machineAddresses() -> [String] {
    let devices = (try? System.enumerateDevices()) ?? []
    let addresses = devices.compactMap { device -> String? in
      switch device.address {
      case .v4: device.address?.ipAddress
      // link-local addresses need the name of a device
      case .v6: device.address?.ipAddress.flatMap { $0.hasPrefix("fe80:") ? nil : "[\($0)]" }
      default: nil
      }
    }
    return addresses.filter { !$0.hasPrefix("127.") && $0 != "[::1]" }
  }

  /// Waits for a signal, or until the task is cancelled.
  private static func wait(for arrivals: AsyncStream<Void>?) async {
    let (never, end) = AsyncStream.makeStream(of: Void.self)
    defer { end.finish() }
    for await _ in arrivals ?? never { break }
  }

  /// Ends the process if the shutdown takes too long.
  ///
  /// A query that does not return, or a database that another program keeps busy, must not keep it
  /// alive.
  private func endWhenOverdue(_ log: AccessLog) {
    let end = endOverdue
    let time = DispatchTime.now() + .seconds(Int(ServiceLimits.shutdownSeconds) + 1)
    DispatchQueue.global().asyncAfter(deadline: time) {
      log.note(event: "end", isFailure: true, [("reason", .string("work was still running"))])
      log.flush()
      end()
    }
  }

  /// Adds the handlers of a connection, or closes it if there are too many.
  private static func setUp(
    _ channel: any Channel,
    _ connections: ConnectionTable,
    _ responder: ServiceResponder
  ) -> EventLoopFuture<Void> {
    guard let connection = connections.add(channel, of: responder.peer(of: channel)) else {
      responder.noteRefusedConnection(channel.remoteAddress)
      return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
    }
    return channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      let reader = RequestReader(connection)
      try pipeline.addHandlers([SlowReaderHandler(), reader] as [any ChannelHandler])
      var limits = NIOHTTPDecoderLimitConfiguration()
      limits.maxHeaderFieldSize = ServiceLimits.headerLength
      limits.maxHeaderListSize = ServiceLimits.headerLength
      limits.maxHeaderFieldCount = ServiceLimits.headerCount
      // the reader passes on one request at a time, and the last handler answers errors
      let parser = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
      try pipeline.addHandler(ByteToMessageHandler(parser))
      try pipeline.addHandler(RequestHandler(responder, reader))
    }
  }

  /// Raises the limit of descriptors to what the system allows, and returns that of connections.
  ///
  /// Each needs a descriptor, and without a free one the accepting loop would spin.
  private static func connectionLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(descriptorLimit, &limit) == 0 else { return ServiceLimits.connections }
    limit.rlim_cur = min(limit.rlim_max, 65_536)
    setrlimit(descriptorLimit, &limit)
    getrlimit(descriptorLimit, &limit)
    let free = Int(clamping: limit.rlim_cur) - ServiceLimits.otherDescriptors
    return min(ServiceLimits.connections, max(free, 16))
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

/// SIGINT, SIGTERM and SIGHUP as events, which end nothing by themselves any more.
///
/// A hangup signal that was ignored at the start, as with `nohup`, stays ignored.
struct ShutdownSignals {
  /// An element for each signal that has arrived.
  let arrivals: AsyncStream<Void>

  private let sources: [any DispatchSourceSignal]

  /// Returns when signals are events: one that arrives as soon as the service says that it is ready must
  /// not be lost.
  init() async {
    let (arrivals, continuation) = AsyncStream.makeStream(of: Void.self)
    self.arrivals = arrivals
    var sources: [any DispatchSourceSignal] = []
    for number in Self.numbers {
      #if !canImport(Glibc)
      // kqueue does not change what a signal does; on Linux the source's registration does, later, and
      // a signal that is ignored until then would be lost
      signal(number, SIG_IGN)
      #endif
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.yield() }
      await withCheckedContinuation { registered in
        source.setRegistrationHandler { registered.resume() }
        source.resume()
      }
      sources.append(source)
    }
    self.sources = sources
  }

  /// Ignores the signals from now on.
  func ignore() {
    for source in sources { source.cancel() }
  }

  private static var numbers: [Int32] {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    #if canImport(Glibc)
    let handler = action.__sigaction_handler.sa_handler
    #else
    let handler = action.__sigaction_u.__sa_handler
    #endif
    let isIgnored = unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    return isIgnored ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
  }
}

/// Returns unused memory of the allocator to the system.
///
/// After a flood of large bodies, hundreds of megabytes are left in the arenas of all threads,
/// which glibc returns only when `malloc_trim` is called.
enum MallocTrim {
  #if canImport(Glibc)
  private typealias Trim = @convention(c) (Int) -> Int32
  private typealias Option = @convention(c) (Int32, Int32) -> Int32

  // malloc.h is not in Swift's module of the C library
  private static let trim = dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: Trim.self) }
  private static let option = dlsym(nil, "mallopt").map { unsafeBitCast($0, to: Option.self) }

  /// `M_MMAP_THRESHOLD` of malloc.h.
  private static let mappingOption: Int32 = -3

  /// `M_TRIM_THRESHOLD` of malloc.h.
  private static let trimOption: Int32 = -1

  /// The size in bytes from which a block is returned to the system as soon as it is freed, and the
  /// free memory that each arena keeps.
  private static let minimumMapping: Int32 = 1 << 20
  #endif

  /// Makes the allocator return large blocks to the system as soon as they are freed.
  ///
  /// By default glibc raises this threshold, up to 32 MB, with each large block that is freed, and
  /// then keeps the memory of past answers and plans: a quarter of all memory in an attack.
  /// Setting it fixes the free memory that an arena keeps at 128 KiB, so that each plan would get its
  /// pages anew: 18 page faults, a sixth of the time of `/cover` (`Benchmarks/guard`).
  static func returnLargeBlocks() {
    #if canImport(Glibc)
    _ = option?(mappingOption, minimumMapping)
    _ = option?(trimOption, minimumMapping)
    #endif
  }

  /// Returns unused memory to the system.
  static func run() {
    #if canImport(Glibc)
    _ = trim?(0)
    #endif
  }
}
