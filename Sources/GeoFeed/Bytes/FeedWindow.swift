import GeoQuery

/// The buffered part of a feed: the current record and some bytes after it.
///
/// Bytes before `position` are freed when more are read, so that memory is limited to a chunk and a
/// record. Offsets in errors are from the start of the feed.
struct FeedWindow {
  /// The number of bytes to read at once.
  static let chunk = 1 << 18

  /// The buffered bytes.
  private(set) var bytes: [UInt8] = []

  /// The offset of the first buffered byte.
  private(set) var base = 0

  /// The next byte to parse, as an index of `bytes`.
  var position = 0

  /// Whether the buffered bytes are the last.
  private(set) var isAtEnd = false

  /// The number of bytes searched for the ends of known records.
  var searchedCount = 0

  private var source: any ByteSource
  private var lines = LineCounter()
  /// The number of buffered bytes that are valid UTF-8; nil before this is checked.
  private var checked: Int?

  init(_ source: any ByteSource) {
    self.source = source
  }

  /// The next byte, if it is buffered.
  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The offset of the next byte in the feed.
  var offset: Int { base + position }

  /// Reads more bytes after those buffered, and frees those before `position`.
  ///
  /// - Returns: False at the end of the feed.
  /// - Throws: `FeedFault` if the source fails or its bytes are not UTF-8.
  mutating func fill() throws -> Bool {
    if isAtEnd { return false }
    letGo()
    var count = 0
    do {
      bytes += try [UInt8](unsafeUninitializedCapacity: Self.chunk) { space, filled in
        filled = try source.read(into: UnsafeMutableRawBufferPointer(space))
        count = filled
      }
    } catch let error as ByteSourceError {
      throw FeedFault(error.description)
    }
    isAtEnd = count == 0
    try checkText()
    return !isAtEnd
  }

  /// Reads until `count` bytes are buffered, or all.
  mutating func fill(to count: Int) throws {
    while bytes.count - position < count, try fill() {}
  }

  /// Whether the next bytes are these.
  mutating func begins(with start: [UInt8]) throws -> Bool {
    try fill(to: start.count)
    return bytes[position...].starts(with: start)
  }

  /// Checks from here on that the feed is text.
  ///
  /// - Throws: `FeedFault` at the first invalid byte, now or later in `fill`.
  mutating func beginText() throws {
    checked = 0
    try checkText()
  }

  /// Reads another source from now on; nothing of the old one must have been used.
  mutating func restart(_ source: any ByteSource) {
    self = FeedWindow(source)
  }

  /// The bytes that were read but not used, and the source of the rest.
  var unread: (start: [UInt8], rest: any ByteSource) { (Array(bytes[position...]), source) }

  /// The line of an offset in the feed, from 1; the byte must be buffered.
  mutating func line(at offset: Int) -> Int {
    lines.line(at: offset, in: bytes, from: base)
  }

  private mutating func letGo() {
    guard position > 0 else { return }
    lines.leave(offset, bytes, from: base)
    bytes.removeFirst(position)
    checked = checked.map { max(0, $0 - position) }
    base += position
    position = 0
  }

  private mutating func checkText() throws {
    guard let from = checked else { return }
    guard let invalid = firstInvalidUTF8(in: bytes, from: from) else {
      checked = bytes.count
      return
    }
    // a character at the end of the chunk may be incomplete, and is checked with the next one
    if !isAtEnd, bytes.count - invalid < 4, isCutCharacter(bytes[invalid...]) {
      checked = invalid
      return
    }
    throw FeedFault(
      "byte \(hex(bytes[invalid])) is not valid UTF-8",
      at: base + invalid,
      advice: TextEncoding.advice(on: bytes, at: invalid)
    )
  }
}
