package import HummingbirdCore
package import Logging
import NIOConcurrencyHelpers
package import NIOCore
import NIOHTTPTypesHTTP1

/// HTTP/1.1 whose requests are answered on the event loop that their connection belongs to.
///
/// Hummingbird answers on Swift's own pool of threads: each request then goes from the loop's thread
/// to another and back, which costs more than most of our answers do.
package struct LoopBoundHTTP1: ServerChildChannel {
  private let channel: HTTP1Channel
  private let door: (any ConnectionDoor)?

  /// Makes the handling of connections, all of which are taken.
  package init(
    responder: @escaping HTTPChannelHandler.Responder,
    configuration: HTTP1Channel.Configuration = .init()
  ) {
    self.init(responder: responder, configuration: configuration, door: nil)
  }

  /// Makes the handling of connections.
  ///
  /// - Parameters:
  ///   - responder: Answers requests.
  ///   - configuration: What Hummingbird is told.
  ///   - door: Decides which connections are taken; `nil` takes all.
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
/// At the end of the service it may not come to that. NIO traps if it drops such a connection
/// ("Deinited NIOAsyncWriter without calling finish()"), so this closes it.
package final class Arrival: ServerChildChannelValue {
  private let value: HTTP1Channel.Value
  private let isTaken = NIOLockedValueBox(false)

  init(_ value: HTTP1Channel.Value) { self.value = value }

  package var channel: any Channel { value.channel }

  /// The connection, for the one who handles it.
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

/// Who is let in, and what those are told whose requests are not read any further.
protocol ConnectionDoor: Sendable {
  /// Takes a connection in; false if there are too many.
  func enter(_ address: SocketAddress?) -> Bool

  /// A connection that was taken in has ended.
  func leave(_ address: SocketAddress?)

  /// The answer to a request that breaks the protocol.
  func refusal(_ problem: Problem, of address: SocketAddress?) -> ServiceResponse
}

/// Runs a task's parts on an event loop.
@available(macOS 15, iOS 18, *)
private final class LoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(_ loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
