import HTTPTypes
import NIOCore

/// Checks the head of each request as bytes, before the parser, and before anything becomes a
/// `String`.
///
/// A head must be complete in time, small enough, and of a version that the service answers.
/// `Upgrade` is ignored (RFC 9110 section 7.8), because the parser would wait for another protocol.
/// This handler also closes connections without a request. A head that follows a chunked body in
/// the same piece is checked by the parser alone.
///
/// One for each connection, on its event loop, the first of its handlers.
final class HeadReader: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum State {
    /// A head is expected, or has arrived in part.
    case head
    /// This number of bytes of a body follow.
    case body(Int)
    /// A body whose end only the parser finds, or not HTTP.
    case unknown
    /// Rejected: further bytes are discarded.
    case ended
  }

  private var state = State.head
  private var pending: ByteBuffer?
  private var context: ChannelHandlerContext?
  private var watch: Scheduled<Void>?
  private var deadline: NIODeadline?

  /// The number of requests whose answers are not complete.
  private(set) var openCount = 0
  /// Whether the parser has found a request, but not its end.
  private var isMessageOpen = false

  private let refusal: @Sendable (Problem) -> ServiceResponse

  /// - Parameter refusal: The answer for a client whose request is not read any further.
  init(refusal: @escaping @Sendable (Problem) -> ServiceResponse) {
    self.refusal = refusal
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    expect(within: ServiceLimits.idleSeconds)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    watch?.cancel()
    self.context = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var input = unwrapInboundIn(data)
    while input.readableBytes > 0 {
      switch state {
      case .ended: return
      case .unknown: return context.fireChannelRead(wrapInboundOut(input))
      case .body(let rest):
        guard let part = input.readSlice(length: min(rest, input.readableBytes)) else { return }
        state = part.readableBytes == rest ? .head : .body(rest - part.readableBytes)
        context.fireChannelRead(wrapInboundOut(part))
      case .head: readHead(from: &input, context)
      }
    }
  }

  /// Passes a complete head on, or buffers an incomplete one.
  private func readHead(from input: inout ByteBuffer, _ context: ChannelHandlerContext) {
    if pending == nil {
      pending = input.slice()
      input.moveReaderIndex(to: input.writerIndex)
      expect(within: ServiceLimits.headSeconds)
    } else {
      pending?.writeBuffer(&input)
    }
    guard var head = pending else { return }
    let found = head.withUnsafeReadableBytes { RequestHead($0) }
    guard let end = found.end else {
      if found.isNoRequest {
        pending = nil
        state = .unknown
        return context.fireChannelRead(wrapInboundOut(head))
      }
      if let problem = found.problem { refuse(problem) }
      return
    }
    pending = nil
    deadline = nil
    // what follows the head is read next
    input = head.getSlice(at: head.readerIndex + end, length: head.readableBytes - end) ?? input
    head.moveWriterIndex(to: head.readerIndex + end)
    if let problem = found.problem { return refuse(problem) }
    for change in found.changes {
      _ = head.setStaticString(change.bytes, at: head.readerIndex + change.offset)
    }
    switch found.body {
    case .length(let count): state = count > 0 ? .body(count) : .head
    case .unknown: state = .unknown
    }
    context.fireChannelRead(wrapInboundOut(head))
  }

  /// Called when the parser has found a request.
  func requestBegan() {
    openCount += 1
    isMessageOpen = true
  }

  /// Called when the parser has found the end of a message.
  func messageEnded() {
    isMessageOpen = false
    if case .unknown = state { state = .head }
  }

  /// Called when an answer has been written completely.
  func answered() {
    openCount -= 1
    if openCount == 0, pending == nil { expect(within: ServiceLimits.idleSeconds) }
  }

  /// Answers with an error, and closes the connection.
  func refuse(_ problem: Problem) {
    guard let context else { return }
    pending = nil
    deadline = nil
    if case .ended = state { return }
    state = .ended
    let response = refusal(problem)
    // before other answers, the client would take it for one of them
    guard openCount == (isMessageOpen ? 1 : 0) else {
      return context.close(promise: nil)
    }
    var text = "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
    for field in response.fields { text += "\(field.name): \(field.value)\r\n" }
    text += "Content-Length: \(response.body.count)\r\nConnection: close\r\n\r\n"
    var output = context.channel.allocator.buffer(string: text)
    output.writeBytes(response.body)
    context.writeAndFlush(wrapOutboundOut(output), promise: nil)
    // waits for what the client still sends: a reset would discard the answer
    context.close(mode: .output, promise: nil)
    expect(within: 1)
  }

  /// Sets the deadline for what comes next; one timer serves all deadlines of a connection.
  private func expect(within seconds: Int64) {
    let next = NIODeadline.now() + .seconds(seconds)
    let isEarlier = deadline.map { next < $0 } ?? false
    deadline = next
    if watch == nil || isEarlier { schedule(next) }
  }

  private func schedule(_ time: NIODeadline) {
    watch?.cancel()
    watch = context?.eventLoop.assumeIsolated().scheduleTask(deadline: time) { [weak self] in
      guard let self else { return }
      watch = nil
      guard let deadline = self.deadline else { return }
      deadline > .now() ? schedule(deadline) : timeOut()
    }
  }

  private func timeOut() {
    if case .head = state, pending != nil { return refuse(.slowHead) }
    guard let context else { return }
    // a slow client is not idle as long as it has not received its last answer
    let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    if case .head = state, waiting > 0 { return expect(within: ServiceLimits.idleSeconds) }
    context.close(promise: nil)
  }
}
