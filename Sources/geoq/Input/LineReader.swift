import GeoFeed

/// Reads lines in constant memory.
struct LineReader {
  /// The maximum length of a line; the rest of a longer one is skipped.
  static let maximumLength = 4_096

  private var source: any ByteSource
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  init(_ source: any ByteSource) {
    self.source = source
  }

  /// Whether the next line is completely buffered.
  var hasWholeLine: Bool { buffer[position...].contains(0x0A) }

  /// The first line, up to the maximum length, without consuming it.
  mutating func peekLine() throws -> [UInt8] {
    while !hasWholeLine, !isAtEnd, buffer.count - position < Self.maximumLength {
      try fill()
    }
    return Array(buffer[position...].prefix { $0 != 0x0A })
  }

  /// Reads the rest of the input, for instance `points`.
  ///
  /// - Throws: `CommandFailure` if reading fails, or if there are more than `limit` bytes.
  mutating func takeRest(of kind: String, atMost limit: Int) throws -> [UInt8] {
    while !isAtEnd {
      try fill()
      guard buffer.count <= limit else {
        throw CommandFailure.badData("more than \(limit >> 20) MiB of \(kind)")
      }
    }
    defer { position = buffer.count }
    return Array(buffer[position...])
  }

  /// The next line without its end, or nil after the last.
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
      buffer.removeAll(keepingCapacity: true)
      position = 0
      try fill()
    }
    guard position < buffer.count else { return nil }
    defer { position += 1 }
    return buffer[position]
  }

  private mutating func fill() throws {
    let chunk = try source.readChunk(1 << 16)
    isAtEnd = chunk.isEmpty
    buffer += chunk
  }
}
