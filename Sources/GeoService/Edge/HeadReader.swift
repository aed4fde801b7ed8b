import HTTPTypes
import NIOCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Looks at the head of each request as bytes, before the parser and before anything becomes a `String`.
///
/// A head comes within its time and its size; its version is one that is answered; text that will be
/// compared is ASCII, for comparing Swift strings takes time that grows with the square of a run of
/// combining marks. `Upgrade` is ignored (RFC 9110 section 7.8): the parser would wait for another
/// protocol. Here also a connection without a request is closed.
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
    openCount += 1
    context.fireChannelRead(wrapInboundOut(head))
  }

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
    context?.close(promise: nil)
  }
}

/// What the bytes of a request's head say, as far as they have come.
struct RequestHead {
  /// How the body's end is found.
  enum Body {
    case length(Int)
    case unknown
  }

  /// Bytes that have to be others before the parser reads them.
  struct Change {
    let offset: Int
    let bytes: StaticString
  }

  /// Where the head ends; `nil` if more must come.
  private(set) var end: Int?

  /// Why the request is refused.
  private(set) var problem: Problem?

  /// Whether no request begins like this: the parser says what is wrong.
  private(set) var isNoRequest = false

  /// What must be changed.
  private(set) var changes: [Change] = []

  /// The body that follows.
  private(set) var body = Body.length(0)

  init(_ bytes: UnsafeRawBufferPointer) {
    let start = bytes.firstIndex { $0 != 0x0D && $0 != 0x0A } ?? bytes.count
    guard start < bytes.count else { return }
    guard Self.isLetter(bytes[start]) else {
      isNoRequest = true
      return
    }
    var lines: [Range<Int>] = []
    var position = start
    while let feed = Self.lineFeed(in: bytes, from: position) {
      let lineEnd = feed > position && bytes[feed - 1] == 0x0D ? feed - 1 : feed
      if lineEnd == position {
        end = feed + 1
        break
      }
      lines.append(position..<lineEnd)
      position = feed + 1
      if lines.count > ServiceLimits.headerCount + 1 { break }
    }
    let length = (end ?? bytes.count) - start
    if lines.count > ServiceLimits.headerCount + 1 || length > ServiceLimits.headerLength {
      let isLineLong = lines.isEmpty || lines[0].count > ServiceLimits.headerLength / 2 + 64
      problem = isLineLong ? .targetTooLong : .headTooLarge
      return
    }
    guard end != nil, let first = lines.first else { return }
    let isASCII = bytes[start..<position].allSatisfy { $0 < 0x80 }
    readRequestLine(bytes[first], isASCII: isASCII)
    for line in lines.dropFirst() { readField(bytes[line], isASCII: isASCII) }
  }

  private typealias Bytes = Slice<UnsafeRawBufferPointer>

  private static func lineFeed(in bytes: UnsafeRawBufferPointer, from position: Int) -> Int? {
    guard let base = bytes.baseAddress, position < bytes.count,
      let found = memchr(base + position, 0x0A, bytes.count - position)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// A later minor version is answered as HTTP/1.1 (RFC 9110 section 2.5), another major one is not.
  private mutating func readRequestLine(_ line: Bytes, isASCII: Bool) {
    if !isASCII, line.contains(where: { $0 >= 0x80 }) { problem = .badTarget }
    let version = Array(line.suffix(9))
    guard version.count == 9, version.starts(with: " HTTP/".utf8), version[7] == UInt8(ascii: "."),
      Self.isDigit(version[6]), Self.isDigit(version[8])
    else { return }
    if version[6] > UInt8(ascii: "1") { problem = .unknownVersion }
    if version[6] == UInt8(ascii: "1"), version[8] > UInt8(ascii: "1") {
      changes.append(Change(offset: line.endIndex - 1, bytes: "1"))
    }
    // the parser takes what follows for another protocol
    if line.starts(with: "CONNECT ".utf8) { body = .unknown }
  }

  private mutating func readField(_ line: Bytes, isASCII: Bool) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
    let name = line[..<colon]
    let value = line[(colon + 1)...]
    if !isASCII, line.contains(where: { $0 >= 0x80 }),
      name.contains(where: { $0 >= 0x80 }) || Self.compared.contains(where: name.isEqualIgnoringCase)
    {
      problem = .badHeader
    }
    switch name.count {
    case 7 where name.isEqualIgnoringCase("upgrade"):
      changes.append(Change(offset: name.startIndex, bytes: "Ignored"))
    case 14 where name.isEqualIgnoringCase("content-length"):
      let digits = Self.bare(value)
      let count = digits.count < 19 && digits.allSatisfy(Self.isDigit) && !digits.isEmpty
        ? digits.reduce(0) { $0 * 10 + Int($1) - 0x30 } : nil
      if case .length(0) = body, let count { body = .length(count) } else { body = .unknown }
    case 17 where name.isEqualIgnoringCase("transfer-encoding"):
      body = .unknown
      if !Self.bare(value).isEqualIgnoringCase("chunked") { problem = .unknownCoding }
    default: break
    }
  }

  private static func bare(_ value: Bytes) -> Bytes {
    var value = value.drop { $0 == 0x20 || $0 == 0x09 }
    while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
    return value
  }

  /// The fields whose values are compared with something; all others are never looked at.
  private static let compared: [StaticString] = [
    "accept", "accept-encoding", "authorization", "connection", "content-encoding",
    "content-length", "content-type", "cookie", "expect", "host", "if-none-match", "origin",
    "sec-fetch-site", "transfer-encoding", "upgrade", "x-forwarded-for", "x-forwarded-host",
    "x-forwarded-prefix", "x-forwarded-proto",
  ]
}
