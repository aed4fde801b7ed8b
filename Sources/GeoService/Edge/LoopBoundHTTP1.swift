package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTPTypesHTTP1

/// HTTP/1.1 whose requests are answered on the event loop that their connection belongs to.
///
/// Hummingbird answers on Swift's own pool of threads: each request then goes from the loop's thread
/// to another and back, which costs more than most of our answers do.
package struct LoopBoundHTTP1: ServerChildChannel {
  private let channel: HTTP1Channel

  /// Makes the handling of connections.
  package init(
    responder: @escaping HTTPChannelHandler.Responder,
    configuration: HTTP1Channel.Configuration = .init()
  ) {
    channel = HTTP1Channel(responder: responder, configuration: configuration)
  }

  package func setup(
    channel: any Channel,
    logger: Logger
  ) -> EventLoopFuture<HTTP1Channel.Value> {
    self.channel.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(RequestHeadHandler(), position: .before(codec))
      return value
    }
  }

  package func handle(value: HTTP1Channel.Value, logger: Logger) async {
    guard #available(macOS 15, iOS 18, *) else {
      return await channel.handle(value: value, logger: logger)
    }
    await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
      await channel.handle(value: value, logger: logger)
    }
  }
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
