import HTTPTypes
import NIOCore
import NIOHTTP1

/// Answers the requests of a connection, which arrive one after the other.
///
/// One for each connection, on its event loop, the last of its handlers.
final class RequestHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = IOData

  private enum State {
    /// A request is expected.
    case idle
    /// A head has arrived; the answer does not need the body, if there is one.
    case head(Exchange, RestaurantService.NextAction)
    /// The bytes of a body are collected.
    case body(Exchange, limit: Int, @Sendable ([UInt8]) -> RestaurantService.NextAction)
    /// An answer is made or written.
    case answering
  }

  private let responder: ServiceResponder
  private let reader: RequestReader
  private var state = State.idle
  private var context: ChannelHandlerContext?
  /// Whether the connection ends with the current answer.
  private var isLast = false
  /// Whether the current request has not ended.
  private var isRequestOpen = false
  /// The client of the current request.
  private var peer = Peer.none
  private var held: BodyBuffer?
  private var pieceCount = 0
  private var arrivedBytes = 0
  /// What remains of a large answer.
  private var rest: ArraySlice<UInt8> = []
  private var share: ResponseBackpressure.Share?
  private var isWriting = false

  init(_ responder: ServiceResponder, _ reader: RequestReader) {
    self.responder = responder
    self.reader = reader
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    switch state {
    case .head, .body: responder.service.metrics.abandon()
    case .idle, .answering: break
    }
    state = .answering
    held?.release()
    rest = []
    share = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): begin(head, context)
    case .body(let buffer): take(buffer)
    case .end:
      isRequestOpen = false
      reader.requestEnded()
      switch state {
      case .head(let exchange, let step): answer(step, of: exchange)
      case .body(let exchange, _, let next): answer(next(held?.bytes ?? []), of: exchange)
      case .idle, .answering: break
      }
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // a request whose body is not needed, and has not ended with what has arrived
    if case .head(let exchange, let step) = state { answer(step, of: exchange) }
    context.fireChannelReadComplete()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case let problem as Problem: refuse(problem)
    case HTTPParserError.headerOverflow: refuse(.headTooLarge)
    case is HTTPParserError: refuse(.badMessage)
    default: context.close(promise: nil)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    writeRest()
    context.fireChannelWritabilityChanged()
  }

  // MARK: Reading

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    var head = head
    guard reader.headEnded(head.framing) else { return refuse(.badMessage) }
    if let problem = head.violation { return refuse(problem) }
    isLast = head.endsConnection
    isRequestOpen = true
    (pieceCount, arrivedBytes) = (0, 0)
    head.useOriginForm()
    let exchange = Exchange(head, on: context.channel, of: responder)
    peer = exchange.peer
    switch responder.begin(exchange) {
    case .body(let limit, let next):
      held = BodyBuffer(responder.service.quotas.bodies, exchange.peer)
      state = .body(exchange, limit: limit, next)
      guard head.waitsToContinue else { return }
      let leave = ByteBuffer(staticString: "HTTP/1.1 100 Continue\r\n\r\n")
      context.writeAndFlush(wrapOutboundOut(.byteBuffer(leave)), promise: nil)
    case let step: state = .head(exchange, step)
    }
  }

  private func take(_ buffer: ByteBuffer) {
    pieceCount += 1
    arrivedBytes += buffer.readableBytes
    guard pieceCount <= ServiceLimits.bodyPieces + arrivedBytes / 16 else {
      return refuse(.crumbledBody)
    }
    guard case .body(let exchange, let limit, _) = state else { return }
    do {
      try held?.append(buffer, limit: limit)
    } catch {
      answer(.done(responder.service.refusal(of: exchange.request, error)), of: exchange)
    }
  }

  /// Answers with an error, and reads no further request.
  private func refuse(_ problem: Problem) {
    reader.end()
    isLast = true
    guard let context, context.channel.isActive else { return }
    switch state {
    case .answering: return reader.waitForAnswer()
    case .head, .body: responder.service.metrics.abandon()
    case .idle: break
    }
    state = .answering
    write(ServiceResponder.Answer(response: responder.refusal(problem, of: context.remoteAddress)))
  }

  // MARK: Answering

  private func answer(_ step: RestaurantService.NextAction, of exchange: Exchange) {
    state = .answering
    responder.answer(step, to: exchange).assumeIsolated().whenSuccess { answer in
      self.write(answer, isBodyless: exchange.request.method == .head)
    }
  }

  private func write(_ answer: ServiceResponder.Answer, isBodyless: Bool = false) {
    held?.release()
    held = nil
    guard let context else { return }
    // where the body is still arriving, what follows might not be a request
    isLast = isLast || isRequestOpen || reader.isLast
    let body = isBodyless ? [] : answer.response.body
    let isSmall = body.count <= ServiceLimits.pieceLength
    // an array takes strings in half the instructions that a buffer needs
    var head: [UInt8] = []
    head.reserveCapacity(1_024)
    head.appendHead(of: answer.response, date: responder.date.now(), isLast: isLast)
    var piece = ByteBuffer()
    piece.reserveCapacity(head.count + (isSmall ? body.count : 0))
    piece.writeBytes(head)
    share = answer.share
    if isSmall {
      piece.writeBytes(body)
      end(with: piece)
    } else {
      context.write(wrapOutboundOut(.byteBuffer(piece)), promise: nil)
      rest = body[...]
      writeRest()
    }
  }

  /// Writes a large answer in pieces that do not retain the whole.
  ///
  /// For a client that does not read there are at most two.
  private func writeRest() {
    // writing reports on the way that the channel is writable again
    guard !isWriting, !rest.isEmpty else { return }
    isWriting = true
    defer { isWriting = false }
    while let context, context.channel.isWritable, !rest.isEmpty {
      let piece = rest.prefix(ServiceLimits.pieceLength)
      rest = rest.dropFirst(piece.count)
      let buffer = ByteBuffer(bytes: piece)
      share?.sent(piece.count)
      if rest.isEmpty {
        rest = []
        end(with: buffer)
      } else {
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(buffer)), promise: nil)
      }
    }
  }

  /// Writes the last bytes of an answer; the next request is read when they have left.
  private func end(with buffer: ByteBuffer) {
    guard let context else { return }
    let left = context.eventLoop.makePromise(of: Void.self)
    let future = left.futureResult
    context.writeAndFlush(wrapOutboundOut(.byteBuffer(buffer)), promise: left)
    future.assumeIsolated().whenSuccess { self.answerHasLeft() }
    if case .answering = state, share == nil, context.channel.unsentBytes > 0 { countUnsent() }
  }

  /// Counts a small answer too as soon as it has to wait for its reader.
  private func countUnsent() {
    guard let channel = context?.channel else { return }
    let waiting = channel.unsentBytes
    share = responder.service.quotas.unsent.share(of: waiting, for: peer, cut: channel.cut)
    if share == nil { channel.cut() }
  }

  private func answerHasLeft() {
    share = nil
    if isLast { return reader.finish() }
    state = .idle
    reader.answered()
  }
}

/// The bytes of a body as they arrive, counted against the limit for all bodies.
private struct BodyBuffer {
  private(set) var bytes: [UInt8] = []
  private var taken = 0
  private let quota: Quota
  private let peer: Peer

  init(_ quota: Quota, _ peer: Peer) {
    self.quota = quota
    self.peer = peer
  }

  /// Adds bytes that have arrived.
  ///
  /// - Throws: `Problem` 413 if the body is too long, 503 if other bodies have used up the memory.
  mutating func append(_ buffer: ByteBuffer, limit: Int) throws(Problem) {
    let count = buffer.readableBytes
    guard bytes.count + count <= limit else { throw Problem.bodyTooLarge(limit) }
    guard quota.acquire(count, for: peer) == nil else {
      throw Problem.busy("too many bodies are being read; try again")
    }
    taken += count
    bytes.append(contentsOf: buffer.readableBytesView)
  }

  mutating func release() {
    quota.release(taken, for: peer)
    taken = 0
    bytes = []
  }
}
