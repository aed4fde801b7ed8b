import NIOCore
import NIOHTTP1

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Closes connections: those with an endless body, with a client that does not read, with a client that
/// asked to close, with a body that continues after the answer, and all when the service ends.
///
/// One for each connection, on its event loop.
final class ConnectionGuard: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// A request whose answer is not complete, and whether the connection ends with it.
  private struct Open {
    var closes: Bool
  }

  private var open: [Open] = []
  private var isReadingBody = false
  private var isAnswerBegun = false
  /// Whether no further request comes: the client has closed its side, or the service ends.
  private var isLastOpen = false
  /// Whether the last answer has been written.
  private(set) var isEnding = false
  private var drainedBytes = 0
  private var bodyWatch: Scheduled<Void>?
  private var bodyStart = NIODeadline.now()
  private var lastRead = NIODeadline.now()
  private var progress = WriteProgress()

  private let responder: ServiceResponder

  init(_ responder: ServiceResponder) { self.responder = responder }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      open.append(Open(closes: head.headers["connection"].contains(where: Self.hasClose)))
      isReadingBody = true
    case .body(let buffer):
      drainedBytes += isEnding ? buffer.readableBytes : 0
    case .end:
      isReadingBody = false
      bodyWatch?.cancel()
      bodyWatch = nil
      if isEnding { return context.close(promise: nil) }
    }
    if !isEnding { context.fireChannelRead(data) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if isReadingBody, !isEnding {
      lastRead = .now()
      if bodyWatch == nil {
        bodyStart = lastRead
        watchBody(context)
      }
    }
    context.fireChannelReadComplete()
  }

  /// Ends a body that takes too long as a whole, or stops arriving.
  private func watchBody(_ context: ChannelHandlerContext) {
    let end = min(
      bodyStart + .seconds(ServiceLimits.bodySeconds),
      lastRead + .seconds(ServiceLimits.bodyPauseSeconds)
    )
    let rest = end - .now()
    if rest <= .nanoseconds(0) { return endBody(context) }
    bodyWatch = schedule(in: rest, context) { this, context in this.watchBody(context) }
  }

  /// Reads on, unless the rest of an unwanted body is too long.
  ///
  /// Such a body stays unread until the connection ends: closing at once would discard the answer
  /// for a client that is still sending.
  func read(context: ChannelHandlerContext) {
    if drainedBytes < ServiceLimits.drainBytes { context.read() }
  }

  private static func hasClose(_ list: String) -> Bool {
    list.utf8.split { $0 == 0x2C || $0 == 0x20 || $0 == 0x09 }
      .contains { $0.isEqualIgnoringCase("close") }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    // a client whose body was too slow has its answer
    guard !isEnding else {
      promise?.fail(ChannelError.outputClosed)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(var head):
      isAnswerBegun = true
      // the request's body is still arriving: what follows might not be a request
      if open.count == 1, isReadingBody || isLastOpen { open[0].closes = true }
      guard open.first?.closes ?? true else { return context.write(data, promise: promise) }
      head.headers.add(name: "Connection", value: "close")
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body(let buffer):
      progress.wrote(buffer.readableBytes)
      context.write(data, promise: promise)
    case .end:
      isAnswerBegun = false
      let closes = open.isEmpty || open.removeFirst().closes || open.isEmpty && isLastOpen
      guard closes else { return context.write(data, promise: promise) }
      isEnding = true
      let written = promise ?? context.eventLoop.makePromise(of: Void.self)
      let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      written.futureResult.whenComplete { _ in bound.value.0.close(bound.value.1) }
      context.write(data, promise: written)
    }
  }

  func flush(context: ChannelHandlerContext) {
    context.flush()
    watchProgress(context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent {
      // running requests have until the end of the shutdown, minus the time for closing
      _ = schedule(in: .seconds(ServiceLimits.shutdownSeconds - 2), context) { _, context in
        context.close(promise: nil)
      }
      expectNoMore(context)
    } else if case .inputClosed? = event as? ChannelEvent {
      expectNoMore(context)
    }
    context.fireUserInboundEventTriggered(event)
  }

  /// Closes the connection as soon as the requests that have arrived are answered.
  private func expectNoMore(_ context: ChannelHandlerContext) {
    isLastOpen = true
    guard open.isEmpty, !isEnding else { return }
    // a slow client has not read its last answer
    context.close(mode: Self.waitingBytes(context) > 0 ? .output : .all, promise: nil)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    bodyWatch?.cancel()
    progress.task?.cancel()
  }

  /// Closes after the answer.
  ///
  /// A body that is still arriving has one more second, so that a reset does not discard the
  /// answer.
  private func close(_ context: ChannelHandlerContext) {
    guard isReadingBody else { return context.close(promise: nil) }
    _ = schedule(in: .seconds(1), context) { _, context in context.close(promise: nil) }
  }

  /// Sends 408 if no answer has begun, then closes.
  private func endBody(_ context: ChannelHandlerContext) {
    guard open.count == 1, !isAnswerBegun else { return context.close(promise: nil) }
    isEnding = true
    let response = responder.refusal(.requestTimeout, of: context.remoteAddress)
    var head = HTTPResponseHead(response, date: responder.date.now())
    head.headers.add(name: "Connection", value: "close")
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    let body = ByteBuffer(bytes: response.body)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    let written: EventLoopPromise<Void> = context.eventLoop.makePromise()
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    written.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
  }

  /// Checks periodically how much the client has read, as long as there is something to send.
  private func watchProgress(_ context: ChannelHandlerContext) {
    guard progress.task == nil, Self.waitingBytes(context) > 0 else { return }
    progress.task = schedule(in: .seconds(ServiceLimits.writeSeconds), context) { this, context in
      this.progress.task = nil
      let waiting = Self.waitingBytes(context)
      guard waiting > 0 else { return this.progress.restart() }
      this.acknowledgedBytes(context) { this, context, acknowledged in
        let taken = acknowledged ?? this.progress.handedOver(waiting: waiting)
        if this.progress.isTooSlow(taken: taken) {
          context.channel.discardUnsent()
          return context.close(promise: nil)
        }
        this.watchProgress(context)
      }
    }
  }

  /// The number of bytes that the client's system has acknowledged; `nil` if this system does not
  /// say.
  ///
  /// The number of bytes written to this system says little: it buffers megabytes, which a client
  /// at 100 kB/s reads in half a minute.
  private func acknowledgedBytes(
    _ context: ChannelHandlerContext,
    _ body: @escaping (ConnectionGuard, ChannelHandlerContext, Int?) -> Void
  ) {
    #if os(Linux)
    guard let socket = context.channel as? any SocketOptionProvider else {
      return body(self, context, nil)
    }
    let bound = NIOLoopBound((self, context, body), eventLoop: context.eventLoop)
    let info: EventLoopFuture<TCPInfo> = socket.unsafeGetSocketOption(
      level: .tcp,
      name: NIOBSDSocket.Option(rawValue: TCP_INFO)
    )
    info.whenComplete { result in
      let (this, context, body) = bound.value
      body(this, context, (try? result.get()).map { Int($0.bytesAcknowledged) })
    }
    #else
    body(self, context, nil)
    #endif
  }

  private static func waitingBytes(_ context: ChannelHandlerContext) -> Int {
    (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }

  private func schedule(
    in time: TimeAmount,
    _ context: ChannelHandlerContext,
    _ body: @escaping (ConnectionGuard, ChannelHandlerContext) -> Void
  ) -> Scheduled<Void> {
    context.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in
      if let self { body(self, context) }
    }
  }
}

extension Channel {
  /// Makes closing discard what the client has not read.
  ///
  /// After a plain close the system would offer it to a client that does not read, and keep its
  /// memory, for minutes.
  func discardUnsent() {
    if let socket = self as? any SocketOptionProvider {
      _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
  }
}
