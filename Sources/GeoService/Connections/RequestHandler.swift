import HTTPTypes
import NIOCore
import NIOHTTP1

/// Answers the requests of a connection, one after the other.
///
/// One for each connection, on its event loop, the last of its handlers. What arrives before the answer
/// to an earlier request is kept, and nothing more is read meanwhile.
final class RequestHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    /// A request is expected.
    case idle
    /// A head has arrived; the answer does not need the body, if there is one.
    case head(Exchange, RestaurantService.Step)
    /// The bytes of a body are collected.
    case body(Exchange, limit: Int, @Sendable ([UInt8]) -> RestaurantService.Step)
    /// An answer is made or written.
    case answering
    /// An answer has been written; others on this event loop have their turn before the next one.
    case answered
  }

  /// What remains of a large answer.
  private struct Rest {
    var bytes: ArraySlice<UInt8>
    let share: UnsentAnswers.Share
  }

  private let responder: ServiceResponder
  private let connection: ConnectionGuard
  private var state = State.idle
  private var context: ChannelHandlerContext?
  /// Parts of requests whose turn has not come.
  private var waiting = CircularBuffer<HTTPServerRequestPart>(initialCapacity: 0)
  private var isReadHeld = false
  private var held: HeldBody?
  private var rest: Rest?
  private var isWriting = false

  /// - Parameters:
  ///   - responder: Makes the answers.
  ///   - connection: Decides whether another request is answered on this connection.
  init(_ responder: ServiceResponder, _ connection: ConnectionGuard) {
    self.responder = responder
    self.connection = connection
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    switch state {
    case .head, .body: responder.service.metrics.abandon()
    case .idle, .answering, .answered: break
    }
    state = .answered
    held?.release()
    rest = nil
    waiting.removeAll()
  }

  func read(context: ChannelHandlerContext) {
    isReadHeld = !waiting.isEmpty
    if !isReadHeld { context.read() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    waiting.append(unwrapInboundIn(data))
    takeWaiting()
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    answerHead()
    context.fireChannelReadComplete()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // a client whose request is malformed has its answer already
    if !(error is HTTPParserError) { context.close(promise: nil) }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    writeRest()
    context.fireChannelWritabilityChanged()
  }

  // MARK: Reading

  private func takeWaiting() {
    while canTake, let part = waiting.popFirst() { take(part) }
    if isReadHeld, waiting.isEmpty, let context { read(context: context) }
  }

  private var canTake: Bool {
    switch state {
    case .idle, .head, .body: true
    case .answering, .answered: false
    }
  }

  private func take(_ part: HTTPServerRequestPart) {
    guard let context else { return }
    switch part {
    case .head(let head): begin(head, context)
    case .body(let buffer):
      guard case .body(let exchange, let limit, _) = state else { return }
      do {
        try held?.append(buffer, limit: limit)
      } catch {
        let problem = error as? Problem ?? .badMessage
        answer(.done(responder.service.refusal(of: exchange.request, problem)), of: exchange)
      }
    case .end:
      switch state {
      case .head(let exchange, let step): answer(step, of: exchange)
      case .body(let exchange, _, let next): answer(next(held?.bytes ?? []), of: exchange)
      case .idle, .answering, .answered: break
      }
    }
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    // the guard closes the connection as soon as the last answer is written
    guard !connection.isEnding else { return }
    let exchange = Exchange(head, on: context.channel, of: responder)
    switch responder.begin(exchange) {
    case .body(let limit, let next):
      held = HeldBody(responder.service.shares.bodies, exchange.client.peer)
      state = .body(exchange, limit: limit, next)
      guard exchange.request.fields[.expect] != nil else { return }
      context.triggerUserOutboundEvent(BodyIsWanted(), promise: nil)
    case let step: state = .head(exchange, step)
    }
  }

  /// Answers a request whose body is not needed, and has not ended with what has arrived.
  private func answerHead() {
    if case .head(let exchange, let step) = state { answer(step, of: exchange) }
  }

  // MARK: Answering

  private func answer(_ step: RestaurantService.Step, of exchange: Exchange) {
    state = .answering
    responder.answer(step, to: exchange).assumeIsolated().whenSuccess { answer in
      self.held?.release()
      self.held = nil
      self.write(answer, to: exchange)
    }
  }

  private func write(_ answer: ServiceResponder.Answer, to exchange: Exchange) {
    guard let context else { return }
    let head = HTTPResponseHead(answer.response, date: responder.date.now())
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    let bytes = answer.response.body
    if exchange.request.method == .head || bytes.isEmpty {
      end()
    } else if let share = answer.share {
      rest = Rest(bytes: bytes[...], share: share)
      writeRest()
    } else {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
      end()
    }
  }

  /// Writes a large answer in pieces that do not retain the whole.
  ///
  /// For a client that does not read there are at most two, and the connection's guard measures how fast
  /// others read.
  private func writeRest() {
    // writing reports on the way that the channel is writable again
    guard !isWriting else { return }
    isWriting = true
    defer { isWriting = false }
    while let context, context.channel.isWritable, let current = rest {
      let piece = current.bytes.prefix(ServiceLimits.pieceLength)
      rest?.bytes = current.bytes.dropFirst(piece.count)
      let buffer = ByteBuffer(bytes: piece)
      context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
      current.share.sent(piece.count)
      if rest?.bytes.isEmpty ?? false {
        rest = nil
        end()
      }
    }
  }

  private func end() {
    guard let context else { return }
    state = .answered
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.eventLoop.assumeIsolated().execute {
      guard self.context != nil else { return }
      // what is left of the body is dropped
      self.state = .idle
      self.takeWaiting()
      self.answerHead()
    }
  }
}
