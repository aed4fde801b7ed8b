package import NIOCore
import NIOPosix

/// Accepts connections on an address, at most a given number at a time, until it ends.
package struct Listener: Sendable {
  /// Where connections are accepted.
  package enum Address: Sendable {
    /// A port of an address; 0 chooses a free one.
    case port(host: String, Int)
    /// A Unix socket at a path.
    case socket(String)
  }

  private let channel: any Channel
  private let connections: NIOLoopBound<OpenConnections>

  /// Starts accepting connections, at most `limit` at a time; others wait in the system's queue.
  ///
  /// - Throws: `IOError` if the address cannot be listened on.
  package static func open(
    on address: Address,
    limit: Int,
    setUp: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) async throws -> Listener {
    let group = MultiThreadedEventLoopGroup.singleton
    // bound to the loop of the listening channel by its initializer
    let made = group.next().makePromise(of: NIOLoopBound<OpenConnections>.self)
    do {
      let bootstrap = ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 1_024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .serverChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let connections = OpenConnections(limit: limit)
            try channel.pipeline.syncOperations.addHandler(connections)
            made.succeed(NIOLoopBound(connections, eventLoop: channel.eventLoop))
          }
        }
        // a client that has sent all that it will send still reads the answer
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelInitializer(setUp)
      let channel: any Channel
      switch address {
      case .port(let host, let port):
        channel = try await bootstrap.bind(host: host, port: port).get()
      case .socket(let path):
        try UnixSocketFile.removeStale(path)
        // the file has its mode from the start: connecting needs the permission to write
        let mask = umask(0o117)
        defer { umask(mask) }
        channel = try await bootstrap.bind(unixDomainSocketPath: path).get()
      }
      return Listener(channel: channel, connections: try await made.futureResult.get())
    } catch {
      made.fail(error)
      throw error
    }
  }

  /// The address that it listens on.
  package var address: SocketAddress? { channel.localAddress }

  /// Stops accepting, tells the open connections to end after their last answer, and waits for them.
  package func end() async {
    try? await channel.close().get()
    let ended = channel.eventLoop.makePromise(of: Void.self)
    channel.eventLoop.execute { connections.value.end(ended) }
    try? await ended.futureResult.get()
  }
}

/// The connections that a listener has accepted.
///
/// One for each listener, on its event loop, the first of its handlers.
private final class OpenConnections: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel
  typealias OutboundIn = Never
  typealias OutboundOut = Never

  private let limit: Int
  private var open: [ObjectIdentifier: any Channel] = [:]
  private var context: ChannelHandlerContext?
  /// Whether the listener would accept more, but the limit is reached.
  private var isWaiting = false
  private var ended: EventLoopPromise<Void>?

  init(limit: Int) { self.limit = limit }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func read(context: ChannelHandlerContext) {
    isWaiting = open.count >= limit
    if !isWaiting { context.read() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let channel = unwrapInboundIn(data)
    let identifier = ObjectIdentifier(channel)
    open[identifier] = channel
    let this = NIOLoopBound(self, eventLoop: context.eventLoop)
    channel.closeFuture.hop(to: context.eventLoop).whenComplete { _ in
      this.value.closed(identifier)
    }
    context.fireChannelRead(data)
  }

  private func closed(_ identifier: ObjectIdentifier) {
    open[identifier] = nil
    if open.isEmpty { ended?.succeed() }
    if isWaiting, let context { read(context: context) }
  }

  func end(_ ended: EventLoopPromise<Void>) {
    self.ended = ended
    if open.isEmpty { return ended.succeed() }
    for channel in open.values {
      // in turn with the tasks of its loop: its handlers have been added
      channel.eventLoop.execute {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
      }
    }
  }
}

/// The file of a Unix socket: only its owner and group may connect.
private enum UnixSocketFile {
  /// Removes a socket that a dead process left at a path.
  ///
  /// - Throws: `IOError` EADDRINUSE if a process listens there, EEXIST if there is another file.
  static func removeStale(_ path: String) throws {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw IOError(errnoCode: EEXIST, reason: "there is another file")
    }
    guard !isListening(path) else { throw IOError(errnoCode: EADDRINUSE, reason: "in use") }
    unlink(path)
  }

  /// Whether a process accepts connections there.
  private static func isListening(_ path: String) -> Bool {
    #if canImport(Glibc)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    defer { close(descriptor) }
    guard descriptor >= 0, let address = try? SocketAddress(unixDomainSocketPath: path) else {
      return false
    }
    let result = address.withSockAddr { connect(descriptor, $0, socklen_t($1)) }
    // one that may not be used, or whose queue is full, belongs to a process
    return result == 0 || errno != ECONNREFUSED
  }
}
