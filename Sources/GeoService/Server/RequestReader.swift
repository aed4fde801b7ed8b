import GeoQuery
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Passes the bytes of one request at a time to NIO's parser, and closes connections whose client is
/// idle or too slow.
///
/// The next request stays in bytes until the answer to the one before it has left. So a client that
/// does not read its answers costs one answer, what precedes a malformed request is answered first, and
/// each head is checked, wherever it stands. Whether a message is valid is the parser's decision; this
/// handler finds where it ends (by its empty line, its `Content-Length` or the sizes of its chunks),
/// and checks the request line, of which the parser reports neither blanks nor protocol.
///
/// One for each connection, on its event loop, in front of the parser.
final class RequestReader: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData

  /// How a request's body is delimited.
  enum Framing {
    case length(Int)
    case chunked
  }

  private enum State {
    /// A head is expected, or has arrived in part.
    case head
    /// Bytes of a body with a length, or of a chunk, that have not arrived.
    case body(Int)
    case chunk(Int)
    /// The size of a chunk is expected.
    case chunkSize
    /// The fields that follow the chunks.
    case trailer
    /// The request has ended; its answer is made or written.
    case answering
    /// No request is read any more: further bytes are discarded.
    case ended
  }

  private var state = State.head
  /// What has arrived and is not yet the parser's.
  private var input: ByteBuffer?
  /// Bytes of `input` without the end of a head or line.
  private var searchedBytes = 0
  private var trailerBytes = 0
  private var discardedBytes = 0
  private var isReadHeld = false
  private var isInputClosed = false
  private var isQuiescing = false
  private var isHeadBegun = false

  private var deadline: NIODeadline?
  private var bodyEnd = NIODeadline.distantFuture
  private var timer: Scheduled<Void>?
  private var context: ChannelHandlerContext?
  private let connection: ConnectionTable.Connection

  init(_ connection: ConnectionTable.Connection) { self.connection = connection }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    expect(within: ServiceLimits.idleSeconds)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    self.context = nil
  }

  // MARK: Arriving bytes

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    switch state {
    case .ended:
      discardedBytes += buffer.readableBytes
      return
    case .body, .chunk, .chunkSize, .trailer:
      expect(within: ServiceLimits.bodyPauseSeconds, until: bodyEnd)
    case .head, .answering: break
    }
    if input == nil { input = buffer } else { input?.writeBuffer(&buffer) }
    feed(context)
  }

  /// Passes on what belongs to the current request.
  private func feed(_ context: ChannelHandlerContext) {
    while let piece = nextPiece() {
      if input?.readableBytes == 0 { input = nil }
      context.fireChannelRead(wrapInboundOut(piece))
    }
  }

  private func nextPiece() -> ByteBuffer? {
    guard let count = input?.readableBytes, count > 0 else { return nil }
    switch state {
    case .head: return headPiece()
    case .body(let rest):
      state = .body(max(0, rest - count))
      return input?.readSlice(length: min(rest, count))
    case .chunk(let rest):
      state = rest > count ? .chunk(rest - count) : .chunkSize
      return input?.readSlice(length: min(rest, count))
    case .chunkSize: return chunkSizePiece()
    case .trailer:
      let length = lineLength() ?? count
      trailerBytes += length
      guard trailerBytes <= ServiceLimits.headerLength else { return failed(.headTooLarge) }
      return input?.readSlice(length: length)
    case .answering, .ended: return nil
    }
  }

  /// A complete head; `nil` until it is complete.
  private func headPiece() -> ByteBuffer? {
    // empty lines in front of a request are ignored (RFC 9112 section 2.2)
    let start = input?.readableBytesView.firstIndex { $0 != 0x0D && $0 != 0x0A }
    guard let start else {
      input = nil
      return nil
    }
    input?.moveReaderIndex(to: start)
    guard let head = input else { return nil }
    if !isHeadBegun {
      isHeadBegun = true
      expect(within: ServiceLimits.headSeconds)
    }
    let problem = head.withUnsafeReadableBytes { Self.problem(ofLineIn: $0) }
    if let problem { return failed(problem) }
    let length = head.withUnsafeReadableBytes { Self.headLength($0, from: searchedBytes) }
    guard (length ?? head.readableBytes) <= ServiceLimits.headerLength else {
      let lineCount = lineLength().map { $0 - 1 } ?? head.readableBytes
      let isTargetLong = lineCount > RequestTarget.maximumLength + 64
      return failed(isTargetLong ? .targetTooLong : .headTooLarge)
    }
    guard let length else {
      searchedBytes = head.readableBytes
      return nil
    }
    searchedBytes = 0
    isHeadBegun = false
    deadline = nil
    connection.becomeActive()
    return input?.readSlice(length: length)
  }

  /// What is wrong with the first line of a request so far (RFC 9112 section 3).
  private static func problem(ofLineIn bytes: UnsafeRawBufferPointer) -> Problem? {
    let feed = lineFeed(in: bytes, from: 0)
    let line = bytes[..<(feed ?? bytes.count)]
    guard line.first?.isLetter != false else { return .badMessage }
    if feed == nil { return nil }
    let parts = (line.last == 0x0D ? line.dropLast() : line)
      .split(separator: 0x20, maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else { return .badMessage }
    let version = UnsafeRawBufferPointer(rebasing: parts[2])
    guard version.count == 8, version.starts(with: "HTTP/".utf8), version[5].isDigit,
      version[6] == UInt8(ascii: "."), version[7].isDigit
    else { return .badMessage }
    let isKnown = version.dropFirst(5).elementsEqual("1.1".utf8)
    return isKnown || version.dropFirst(5).elementsEqual("1.0".utf8) ? nil : .unknownVersion
  }

  /// The line with a chunk's size; `nil` until it is complete.
  private func chunkSizePiece() -> ByteBuffer? {
    guard let line = lineLength() else {
      let isLong = input?.readableBytes ?? 0 > ServiceLimits.headerLength
      return isLong ? failed(.badMessage) : nil
    }
    guard let piece = input?.readSlice(length: line) else { return nil }
    let digits = piece.readableBytesView.prefix { $0.hexValue != nil }
    let size = digits.drop { $0 == 0x30 }
    guard !digits.isEmpty, size.count <= 8 else { return failed(.badMessage) }
    let count = size.reduce(0) { $0 << 4 | Int($1.hexValue ?? 0) }
    // the line break that ends a chunk
    state = count > 0 ? .chunk(count + 2) : .trailer
    return piece
  }

  private func lineLength() -> Int? {
    input?.withUnsafeReadableBytes { Self.lineFeed(in: $0, from: 0).map { $0 + 1 } }
  }

  /// The offset after the first empty line; `nil` without one.
  private static func headLength(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var position = max(0, start - 3)
    while let feed = lineFeed(in: bytes, from: position) {
      var next = feed + 1
      if next < bytes.count, bytes[next] == 0x0D { next += 1 }
      if next < bytes.count, bytes[next] == 0x0A { return next + 1 }
      position = feed + 1
    }
    return nil
  }

  private static func lineFeed(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = bytes.baseAddress, start < bytes.count,
      let found = memchr(base + start, 0x0A, bytes.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }

  func read(context: ChannelHandlerContext) {
    switch state {
    case .answering: isReadHeld = true
    case .ended where discardedBytes > ServiceLimits.drainBytes: break
    default: context.read()
    }
  }

  // MARK: The parser's findings

  /// Called when the parser has found a head.
  ///
  /// - Returns: Whether one was expected.
  func headEnded(_ framing: Framing) -> Bool {
    guard case .head = state else { return false }
    switch framing {
    case .length(0): return true
    case .length(let count): state = .body(count)
    case .chunked:
      trailerBytes = 0
      state = .chunkSize
    }
    bodyEnd = .now() + .seconds(ServiceLimits.bodySeconds)
    expect(within: ServiceLimits.bodyPauseSeconds, until: bodyEnd)
    return true
  }

  /// Called when the parser has found the end of a request.
  func requestEnded() {
    if case .ended = state { return }
    state = .answering
    deadline = nil
  }

  // MARK: Ends

  /// Whether no request follows the current one: the client sends no more, or the service ends.
  var isLast: Bool { isQuiescing || isInputClosed && input == nil }

  /// Called when the answer to a request that has ended has left.
  func answered() {
    guard case .answering = state, let context else { return }
    guard input == nil else {
      // other connections have their turn before the next request
      return context.eventLoop.assumeIsolated().execute { self.next() }
    }
    next()
  }

  private func next() {
    guard case .answering = state, let context else { return }
    state = .head
    if isLast { return finish() }
    connection.becomeIdle()
    expect(within: ServiceLimits.idleSeconds)
    feed(context)
    if case .answering = state { return }
    if isInputClosed { return inputClosed(context) }
    guard isReadHeld else { return }
    isReadHeld = false
    context.read()
  }

  /// Closes the connection after the last answer has left.
  ///
  /// Where more is arriving, it is discarded for a second: closed at once, the system would reset the
  /// connection, and the client might lose the answer.
  func finish() {
    guard let context else { return }
    let isAtRest =
      switch state {
      case .head, .answering: input == nil
      case .body, .chunk, .chunkSize, .trailer, .ended: false
      }
    if isInputClosed || isAtRest { return context.close(promise: nil) }
    end()
    context.close(mode: .output, promise: nil)
    context.read()
  }

  /// Reads no request any more, and closes the connection within a second unless an answer delays it.
  func end() {
    discardedBytes += input?.readableBytes ?? 0
    input = nil
    state = .ended
    expect(within: 1)
  }

  /// Called when an answer is being written after the end.
  func waitForAnswer() { deadline = nil }

  private func failed(_ problem: Problem) -> ByteBuffer? {
    end()
    context?.fireErrorCaught(problem)
    return nil
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ChannelShouldQuiesceEvent:
      isQuiescing = true
      // running requests have until the end of the shutdown, minus the time for closing
      let limit = TimeAmount.seconds(ServiceLimits.shutdownSeconds - 2)
      context.eventLoop.assumeIsolated().scheduleTask(in: limit) { [weak self] in
        self?.context?.close(promise: nil)
      }
      if case .head = state { context.close(promise: nil) }
    case ConnectionTable.Event.makeRoom:
      if case .head = state { context.close(promise: nil) }
    case ChannelEvent.inputClosed: inputClosed(context)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  /// The client sends no more; it may still read.
  ///
  /// The parser is not told, since it would read nothing more of what is waiting here.
  private func inputClosed(_ context: ChannelHandlerContext) {
    isInputClosed = true
    switch state {
    case .head, .ended: context.close(promise: nil)
    case .body, .chunk, .chunkSize, .trailer: _ = failed(.badMessage)
    case .answering: break
    }
  }

  // MARK: Time

  /// Sets the deadline for what comes next; one timer serves all deadlines of a connection.
  private func expect(within seconds: Int64, until limit: NIODeadline = .distantFuture) {
    let next = min(.now() + .seconds(seconds), limit)
    let isEarlier = deadline.map { next < $0 } ?? false
    deadline = next
    if timer == nil || isEarlier { schedule(next) }
  }

  private func schedule(_ time: NIODeadline) {
    timer?.cancel()
    timer = context?.eventLoop.assumeIsolated().scheduleTask(deadline: time) { [weak self] in
      guard let self else { return }
      timer = nil
      guard let deadline = self.deadline else { return }
      deadline > .now() ? schedule(deadline) : timeOut()
    }
  }

  private func timeOut() {
    switch state {
    case .head where isHeadBegun: _ = failed(.slowHead)
    case .head, .ended: context?.close(promise: nil)
    case .body, .chunk, .chunkSize, .trailer: _ = failed(.requestTimeout)
    case .answering: break
    }
  }
}

/// What a request's head means for its connection and its body.
extension HTTPRequestHead {
  /// The reason for not reading the request any further.
  var violation: Problem? {
    for (name, value) in headers {
      let field = name.utf8
      if field.isEqualIgnoringCase("transfer-encoding"),
        !value.utf8.isEqualIgnoringCase("chunked")
      {
        return .unknownCoding
      }
      if field.isEqualIgnoringCase("content-length"), Int(value) == nil { return .endlessBody }
      // comparing other text takes time that grows with the square of a run of combining marks
      if !value.utf8.allSatisfy({ $0 < 0x80 }),
        Self.compared.contains(where: { field.isEqualIgnoringCase($0) })
      {
        return .badHeader
      }
    }
    return nil
  }

  /// The fields that are compared; all others never are.
  private static let compared: [StaticString] = [
    "accept", "accept-encoding", "authorization", "connection", "content-encoding",
    "content-length", "content-type", "cookie", "expect", "host", "if-none-match", "origin",
    "sec-fetch-site", "transfer-encoding", "upgrade", "x-forwarded-for", "x-forwarded-host",
    "x-forwarded-prefix", "x-forwarded-proto",
  ]

  /// How the body is delimited.
  var framing: RequestReader.Framing {
    if headers.contains(name: "Transfer-Encoding") { return .chunked }
    return .length(headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0)
  }

  /// Whether the connection ends with the answer.
  ///
  /// Connections of HTTP/1.0 do (RFC 9112 section 9.3). An `Upgrade` is ignored (RFC 9110 section 7.8),
  /// but the parser takes what follows it, or follows CONNECT, for another protocol.
  var endsConnection: Bool {
    version != .http1_1 || method == .CONNECT || headers.contains(name: "Upgrade")
      || headers["Connection"].contains { list in
        list.utf8.split { $0 == 0x2C || $0 == 0x20 || $0 == 0x09 }
          .contains { $0.isEqualIgnoringCase("close") }
      }
  }

  /// Whether the client waits with its body for `100 Continue` (RFC 9110 section 10.1.1).
  var waitsToContinue: Bool {
    version == .http1_1
      && headers.first(name: "Expect")?.utf8.isEqualIgnoringCase("100-continue") ?? false
  }

  /// Replaces an absolute form by the origin form; its host overrides `Host` (RFC 9112 section 3.2.2).
  ///
  /// A malformed target fails later.
  mutating func useOriginForm() {
    if uri.utf8.first == UInt8(ascii: "/") { return }
    guard let target = try? RequestTarget(uri), let authority = target.authority else {
      if method != .OPTIONS || uri != "*" { uri = "nowhere" }
      return
    }
    uri = target.path + (target.query.map { "?" + $0 } ?? "")
    headers.replaceOrAdd(name: "Host", value: String(authority))
  }
}
