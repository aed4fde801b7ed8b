import HTTPTypes
import NIOCore

/// Looks at the head of each request as bytes, before the parser and before anything becomes a `String`.
///
/// A head comes within its time and its size, and its version is one that is answered. `Upgrade` is ignored
/// (RFC 9110 section 7.8): the parser would wait for another protocol. Here also a connection without a
/// request is closed. A head that follows a chunked body in the same piece is seen by the parser alone.
///
/// One for each connection, on its event loop, the first of its handlers.
final class HeadReader: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum State {
    /// A head is expected, or has come in part.
    case head
    /// So many bytes of a body follow.
    case body(Int)
    /// A body whose end only the parser finds, or no HTTP at all.
    case unknown
    /// Refused: what still comes is thrown away.
    case ended
  }

  private var state = State.head
  private var pending: ByteBuffer?
  private var context: ChannelHandlerContext?
  private var watch: Scheduled<Void>?
  private var deadline: NIODeadline?

  /// Requests that have not been answered to their end.
  private(set) var openCount = 0

  private let refusal: @Sendable (Problem) -> ServiceResponse

  /// - Parameter refusal: What a client is told whose request is not read any further.
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

  /// Passes a head on that is complete, or keeps what there is of it.
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

  /// The parser has found a request.
  func requestBegan() { openCount += 1 }

  /// The parser has found the end of a message.
  func messageEnded() {
    if case .unknown = state { state = .head }
  }

  /// An answer has been written to its end.
  func answered() {
    openCount -= 1
    if openCount == 0, pending == nil { expect(within: ServiceLimits.idleSeconds) }
  }

  /// Answers with an error, and ends the connection.
  func refuse(_ problem: Problem) {
    guard let context else { return }
    pending = nil
    deadline = nil
    if case .ended = state { return }
    state = .ended
    let response = refusal(problem)
    // behind other answers it would be taken for one of theirs
    guard openCount == 0 || problem.status == .badRequest && openCount == 1 else {
      return context.close(promise: nil)
    }
    var text = "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
    for field in response.fields { text += "\(field.name): \(field.value)\r\n" }
    text += "Content-Length: \(response.body.count)\r\nConnection: close\r\n\r\n"
    var output = context.channel.allocator.buffer(string: text)
    output.writeBytes(response.body)
    context.writeAndFlush(wrapOutboundOut(output), promise: nil)
    // a moment for what the client still sends: a reset would take the answer away from it
    context.close(mode: .output, promise: nil)
    expect(within: 1)
  }

  /// Sets the time for what comes next; one timer serves all deadlines of a connection.
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
    // a reader that is slow is not idle: its last answer is not with it yet
    let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    if case .head = state, waiting > 0 { return expect(within: ServiceLimits.idleSeconds) }
    context.close(promise: nil)
  }
}
