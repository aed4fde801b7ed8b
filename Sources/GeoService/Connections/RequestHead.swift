#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What the bytes of a request's head say so far.
struct RequestHead {
  /// How the end of the body is found.
  enum Body {
    case length(Int)
    case unknown
  }

  /// Bytes that must be replaced before the parser reads them.
  struct Change {
    let offset: Int
    let bytes: StaticString
  }

  /// The end of the head; `nil` if it is incomplete.
  private(set) var end: Int?

  /// The reason for rejecting the request.
  private(set) var problem: Problem?

  /// Whether this cannot be the start of a request; the parser reports what is wrong.
  private(set) var isNoRequest = false

  /// The replacements to make.
  private(set) var changes: [Change] = []

  /// The body that follows.
  private(set) var body = Body.length(0)

  init(_ bytes: UnsafeRawBufferPointer) {
    let start = bytes.firstIndex { $0 != 0x0D && $0 != 0x0A } ?? bytes.count
    guard start < bytes.count else {
      if bytes.count > ServiceLimits.headerLength { problem = .headTooLarge }
      return
    }
    guard Self.isLetter(bytes[start]) else {
      isNoRequest = true
      return
    }
    var position = start
    var lineCount = 0
    var firstLength: Int?
    while end == nil, lineCount <= ServiceLimits.headerCount + 1,
      let feed = Self.lineFeed(in: bytes, from: position)
    {
      let lineEnd = feed > position && bytes[feed - 1] == 0x0D ? feed - 1 : feed
      let line = bytes[position..<lineEnd]
      position = feed + 1
      if line.isEmpty {
        end = position
      } else if firstLength == nil {
        firstLength = line.count
        readRequestLine(line)
      } else {
        readField(line)
      }
      lineCount += 1
    }
    let hasTooMany = end == nil && lineCount > ServiceLimits.headerCount + 1
    if hasTooMany || (end ?? bytes.count) > ServiceLimits.headerLength {
      let isTargetLong = (firstLength ?? .max) > RequestTarget.maximumLength + 64
      problem = isTargetLong ? .targetTooLong : .headTooLarge
    }
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

  /// A later minor version is answered as HTTP/1.1 (RFC 9110 section 2.5); another major version is
  /// rejected.
  private mutating func readRequestLine(_ line: Bytes) {
    // the parser takes what follows for another protocol
    if line.starts(with: "CONNECT ".utf8) { body = .unknown }
    let version = line.suffix(9)
    guard version.count == 9, version.starts(with: " HTTP/".utf8) else { return }
    let (major, dot, minor) = (
      line[line.endIndex - 3], line[line.endIndex - 2], line[line.endIndex - 1]
    )
    guard dot == UInt8(ascii: "."), Self.isDigit(major), Self.isDigit(minor) else { return }
    if major > UInt8(ascii: "1") { problem = .unknownVersion }
    if major == UInt8(ascii: "1"), minor > UInt8(ascii: "1") {
      changes.append(Change(offset: line.endIndex - 1, bytes: "1"))
    }
  }

  private mutating func readField(_ line: Bytes) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
    let name = line[..<colon]
    let value = line[(colon + 1)...]
    switch name.count {
    case 7 where name.isEqualIgnoringCase("upgrade"):
      changes.append(Change(offset: name.startIndex, bytes: "Ignored"))
    case 14 where name.isEqualIgnoringCase("content-length"):
      let digits = Self.bare(value)
      let count =
        digits.count < 19 && digits.allSatisfy(Self.isDigit) && !digits.isEmpty
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
}
