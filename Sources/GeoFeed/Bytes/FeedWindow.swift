import GeoQuery

/// The part of a feed that is at hand: the record being read and some bytes behind it.
///
/// Bytes in front of `position` are done with, and go when more are read; so memory holds a chunk and
/// a record, however long the feed is. Offsets in errors count from the start of the feed.
struct FeedWindow {
  /// How many bytes are asked for at once.
  static let chunk = 1 << 18

  /// The bytes at hand.
  private(set) var bytes: [UInt8] = []

  /// The offset of the first byte at hand.
  private(set) var base = 0

  /// Where reading goes on, counted in `bytes`.
  var position = 0

  /// Whether the bytes at hand are the last.
  private(set) var isAtEnd = false

  /// How many bytes were looked through for the ends of records that came before.
  var searchedCount = 0

  private var source: any ByteSource
  private var lines = LineCounter()
  /// How many of the bytes at hand are known to be UTF-8; nil before that is asked.
  private var checked: Int?

  init(_ source: any ByteSource) {
    self.source = source
  }

  /// The next byte, if it is at hand.
  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The offset of the next byte in the feed.
  var offset: Int { base + position }

  /// Reads more bytes behind those at hand, and lets go of those in front of `position`.
  ///
  /// - Returns: False at the end of the feed.
  /// - Throws: `FeedFault` where the source fails or its bytes are no UTF-8.
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

  /// Reads until so many bytes are at hand, or all.
  mutating func fill(to count: Int) throws {
    while bytes.count - position < count, try fill() {}
  }

  /// Takes the feed for text from here on.
  ///
  /// - Throws: `FeedFault` at the first byte at hand, or later in `fill`, that is not UTF-8.
  mutating func beginText() throws {
    checked = 0
    try checkText()
  }

  /// Reads another source from now on; nothing of the old one has been used.
  mutating func restart(_ source: any ByteSource) {
    self = FeedWindow(source)
  }

  /// What was read and not used, and the source of what follows.
  var unread: (start: [UInt8], rest: any ByteSource) { (Array(bytes[position...]), source) }

  /// The line of an offset in the feed, from 1; the byte must be at hand.
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
    // a character that the chunk cuts in two is judged with the next one
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
