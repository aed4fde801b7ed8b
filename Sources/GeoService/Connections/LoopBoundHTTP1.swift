package import HummingbirdCore
package import Logging
import NIOConcurrencyHelpers
package import NIOCore
import NIOHTTPTypesHTTP1

/// HTTP/1.1 whose requests are answered on the event loop of their connection.
///
/// Hummingbird answers on Swift's own thread pool: each request goes from the loop's thread to
/// another and back, which costs more than most answers.
package struct LoopBoundHTTP1: ServerChildChannel {
  private let channel: HTTP1Channel
  private let door: (any ConnectionDoor)?

  /// Makes a handler of connections that accepts them all.
  package init(
    responder: @escaping HTTPChannelHandler.Responder,
    configuration: HTTP1Channel.Configuration = .init()
  ) {
    self.init(responder: responder, configuration: configuration, door: nil)
  }

  /// Makes a handler of connections.
  ///
  /// - Parameters:
  ///   - responder: Answers requests.
  ///   - configuration: Hummingbird's configuration.
  ///   - door: Decides which connections are accepted; `nil` accepts all.
  init(
    responder: @escaping HTTPChannelHandler.Responder,
    configuration: HTTP1Channel.Configuration,
    door: (any ConnectionDoor)?
  ) {
    channel = HTTP1Channel(responder: responder, configuration: configuration)
    self.door = door
  }

  package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Arrival> {
    connection(of: channel, logger).map(Arrival.init)
  }

  private func connection(
    of channel: any Channel,
    _ logger: Logger
  ) -> EventLoopFuture<HTTP1Channel.Value> {
    guard let door else { return self.channel.setup(channel: channel, logger: logger) }
    let address = channel.remoteAddress
    guard door.enter(address) else {
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
    }
    channel.closeFuture.whenComplete { _ in door.leave(address) }
    return self.channel.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let reader = HeadReader { door.refusal($0, of: address) }
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(RequestHeadHandler(reader), position: .before(codec))
      try pipeline.addHandler(reader, position: .first)
      return value
    }
  }

  package func handle(value arrival: Arrival, logger: Logger) async {
    let value = arrival.take()
    guard #available(macOS 15, iOS 18, *) else {
      return await channel.handle(value: value, logger: logger)
    }
    await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
      await channel.handle(value: value, logger: logger)
    }
  }
}

/// A connection that has been accepted, until it is handled.
///
/// If the service ends first, it is never handled. NIO traps if such a connection is dropped
/// ("Deinited NIOAsyncWriter without calling finish()"), so this closes it.
package final class Arrival: ServerChildChannelValue {
  private let value: HTTP1Channel.Value
  private let isTaken = NIOLockedValueBox(false)

  init(_ value: HTTP1Channel.Value) { self.value = value }

  package var channel: any Channel { value.channel }

  /// The connection, to be handled by the caller.
  func take() -> HTTP1Channel.Value {
    isTaken.withLockedValue { $0 = true }
    return value
  }

  deinit {
    guard !isTaken.withLockedValue({ $0 }) else { return }
    let value = value
    Task { try? await value.executeThenClose { _, _ in } }
  }
}

/// Decides which connections are accepted, and what rejected clients receive.
protocol ConnectionDoor: Sendable {
  /// Counts a new connection; false if there are too many.
  func enter(_ address: SocketAddress?) -> Bool

  /// Called when an accepted connection has ended.
  func leave(_ address: SocketAddress?)

  /// The answer to a request that violates the protocol.
  func refusal(_ problem: Problem, of address: SocketAddress?) -> ServiceResponse
}

/// Runs the jobs of a task on an event loop.
@available(macOS 15, iOS 18, *)
private final class LoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(_ loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
