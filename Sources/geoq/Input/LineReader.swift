#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Reads lines from a descriptor in constant memory, or from memory.
struct LineReader {
  /// Longest line kept; the rest of a longer one is passed over.
  static let maximumLength = 4_096

  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Reads lines that are in memory.
  init(_ bytes: [UInt8]) {
    descriptor = -1
    buffer = bytes
    isAtEnd = true
  }

  /// Whether the next line has been read to its end already.
  var hasWholeLine: Bool { buffer[position...].contains(0x0A) }

  /// The next line without its end, or nil after the last.
  ///
  /// - Throws: `CommandFailure` where reading fails.
  mutating func next() throws -> String? {
    var line: [UInt8] = []
    var hasRead = false
    while let byte = try nextByte() {
      hasRead = true
      if byte == 0x0A { break }
      if line.count < Self.maximumLength { line.append(byte) }
    }
    if line.last == 0x0D { line.removeLast() }
    return hasRead ? String(decoding: line, as: UTF8.self) : nil
  }

  private mutating func nextByte() throws -> UInt8? {
    if position == buffer.count, !isAtEnd {
      buffer = try readChunk(from: descriptor, count: 1 << 16, path: "standard input")
      position = 0
      isAtEnd = buffer.isEmpty
    }
    guard position < buffer.count else { return nil }
    defer { position += 1 }
    return buffer[position]
  }
}

/// Reads at most so many bytes; empty at the end.
///
/// - Throws: `CommandFailure` with exit code 74 where the system says no.
func readChunk(from descriptor: Int32, count: Int, path: String) throws -> [UInt8] {
  var code: Int32 = 0
  let chunk = [UInt8](unsafeUninitializedCapacity: count) { space, filled in
    var got = read(descriptor, space.baseAddress, count)
    while got < 0, errno == EINTR { got = read(descriptor, space.baseAddress, count) }
    if got < 0 { code = errno }
    filled = max(0, got)
  }
  guard code == 0 else {
    throw CommandFailure(
      "\(terminalSafe(path)): cannot be read: \(String(cString: strerror(code)))",
      exitCode: CommandFailure.inputOutput
    )
  }
  return chunk
}
