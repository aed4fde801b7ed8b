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
  mutating func fill() throws -> Bool {
    if isAtEnd { return false }
    discardConsumed()
    do {
      let more = try source.readChunk(Self.chunk)
      bytes += more
      isAtEnd = more.isEmpty
    } catch let error as ByteSourceError {
      throw FeedFault(error.description)
    }
    try checkText()
    return !isAtEnd
  }

  /// Reads until `count` bytes are buffered, or all.
  mutating func fill(to count: Int) throws {
    while bytes.count - position < count, try fill() {}
  }

  /// Checks from here on, also in `fill`, that the feed is text.
  mutating func beginText() throws {
    checked = 0
    try checkText()
  }

  /// Reads from now on what a source makes of the bytes that follow: those that are buffered, and the
  /// rest.
  mutating func convert(
    _ convert: (_ start: [UInt8], _ rest: any ByteSource) throws -> any ByteSource
  ) rethrows {
    self = FeedWindow(try convert(Array(bytes[position...]), source))
  }

  /// A window with the buffered bytes alone.
  var buffered: FeedWindow {
    var copy = self
    copy.source = MemoryBytes([])
    return copy
  }

  /// The line of an offset in the feed, from 1; the byte must be buffered.
  mutating func line(at offset: Int) -> Int {
    lines.line(at: offset, in: bytes, from: base)
  }

  private mutating func discardConsumed() {
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

/// Counts the lines of a stream that is read through a window.
///
/// Increasing offsets cost one pass together; a lower offset is counted from the window's start.
struct LineCounter {
  private var base = (offset: 0, line: 1)
  private var last = (offset: 0, line: 1)

  /// The line of an offset inside the window, which begins at another offset.
  mutating func line(at target: Int, in window: [UInt8], from start: Int) -> Int {
    if target < last.offset { last = base }
    let stop = min(target, start + window.count)
    if stop > last.offset {
      // a sum, because the compiler makes vector code of it
      last.line += window.withUnsafeBufferPointer { bytes in
        bytes[last.offset - start..<stop - start].reduce(0) { $0 &+ ($1 == 0x0A ? 1 : 0) }
      }
      last.offset = stop
    }
    return last.line
  }

  /// Counts the lines before an offset, because these bytes are about to be freed.
  mutating func leave(_ offset: Int, _ window: [UInt8], from start: Int) {
    if offset < last.offset { last = base }
    _ = line(at: offset, in: window, from: start)
    base = last
  }
}
