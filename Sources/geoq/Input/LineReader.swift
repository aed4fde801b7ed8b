/// Reads lines from a descriptor in constant memory, or from memory.
struct LineReader {
  /// The maximum length of a line; the rest of a longer one is skipped.
  static let maximumLength = 4_096

  private let descriptor: Int32
  private let name: String
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  init(descriptor: Int32, name: String = "standard input") {
    self.descriptor = descriptor
    self.name = name
  }

  /// Reads lines that are in memory.
  init(_ bytes: [UInt8]) {
    descriptor = -1
    name = ""
    buffer = bytes
    isAtEnd = true
  }

  /// Whether the next line is completely buffered.
  var hasWholeLine: Bool { buffer[position...].contains(0x0A) }

  /// The first line, up to the maximum length, without consuming it.
  ///
  /// - Throws: `CommandFailure` if reading fails.
  mutating func peekLine() throws -> [UInt8] {
    while !hasWholeLine, !isAtEnd, buffer.count - position < Self.maximumLength {
      let chunk = try readChunk(from: descriptor, count: 1 << 16, path: name)
      isAtEnd = chunk.isEmpty
      buffer += chunk
    }
    return Array(buffer[position...].prefix { $0 != 0x0A })
  }

  /// Reads the rest of the input.
  ///
  /// - Throws: `CommandFailure` if reading fails, or if there are more than `limit` bytes.
  mutating func takeRest(atMost limit: Int) throws -> [UInt8] {
    while !isAtEnd {
      let chunk = try readChunk(from: descriptor, count: 1 << 16, path: name)
      isAtEnd = chunk.isEmpty
      buffer += chunk
      guard buffer.count <= limit else {
        throw CommandFailure.badData(
          "more than \(limit >> 20) MiB of points; give one LAT,LON per line to --at -"
        )
      }
    }
    defer { position = buffer.count }
    return Array(buffer[position...])
  }

  /// The next line without its end, or nil after the last.
  ///
  /// - Throws: `CommandFailure` if reading fails.
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
      buffer = try readChunk(from: descriptor, count: 1 << 16, path: name)
      position = 0
      isAtEnd = buffer.isEmpty
    }
    guard position < buffer.count else { return nil }
    defer { position += 1 }
    return buffer[position]
  }
}

/// Reads at most `count` bytes; empty at the end.
///
/// - Throws: `CommandFailure` with exit code 74 if reading fails.
func readChunk(from descriptor: Int32, count: Int, path: String) throws -> [UInt8] {
  var code: Int32 = 0
  let chunk = [UInt8](unsafeUninitializedCapacity: count) { space, filled in
    var got = read(descriptor, space.baseAddress, count)
    while got < 0, errno == EINTR { got = read(descriptor, space.baseAddress, count) }
    if got < 0 { code = errno }
    filled = max(0, got)
  }
  guard code == 0 else {
    throw CommandFailure.inputOutput(path, "cannot be read: \(String(cString: strerror(code)))")
  }
  return chunk
}
