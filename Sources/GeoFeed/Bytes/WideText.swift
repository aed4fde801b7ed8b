/// Converts UTF-16 and UTF-32 text to UTF-8.
struct WideText: ByteSource {
  /// The width and order of the code units.
  struct Form: Equatable {
    /// Bytes of a unit: 2 or 4.
    let width: Int
    let isBigEndian: Bool
  }

  private let form: Form
  private var bytes: [UInt8]
  private var source: any ByteSource
  /// UTF-8 that has not been handed out.
  private var text: [UInt8] = []
  private var isAtEnd = false

  /// Converts a source whose first bytes have already been read.
  init(start: [UInt8], then source: any ByteSource, _ form: Form) {
    bytes = start
    self.source = source
    self.form = form
  }

  /// The form of a text, by its byte order mark or by zeros around its first character, which is
  /// ASCII in every feed; nil for other texts.
  static func form(of bytes: [UInt8]) -> Form? {
    let start = Array(bytes.prefix(4))
    func begins(_ mark: [UInt8]) -> Bool { start.starts(with: mark) }
    if begins([0xFF, 0xFE, 0, 0]) { return Form(width: 4, isBigEndian: false) }
    if begins([0, 0, 0xFE, 0xFF]) { return Form(width: 4, isBigEndian: true) }
    if begins([0xFF, 0xFE]) { return Form(width: 2, isBigEndian: false) }
    if begins([0xFE, 0xFF]) { return Form(width: 2, isBigEndian: true) }
    guard start.allSatisfy({ $0 == 0 || (0x09..<0x7F).contains($0) }) else { return nil }
    switch start.map({ $0 == 0 }) {
    case [false, true, true, true]: return Form(width: 4, isBigEndian: false)
    case [true, true, true, false]: return Form(width: 4, isBigEndian: true)
    case [false, true, false, true]: return Form(width: 2, isBigEndian: false)
    case [true, false, true, false]: return Form(width: 2, isBigEndian: true)
    default: return nil
    }
  }

  mutating func read(into space: UnsafeMutableRawBufferPointer) throws -> Int {
    while text.isEmpty, !isAtEnd {
      let more = try [UInt8](unsafeUninitializedCapacity: FeedWindow.chunk) { buffer, count in
        count = try source.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
      isAtEnd = more.isEmpty
      bytes += more
      try convert()
    }
    let count = min(space.count, text.count)
    text.prefix(count).withUnsafeBytes { space.copyMemory(from: $0) }
    text.removeFirst(count)
    return count
  }

  /// Moves whole characters from `bytes` to `text`.
  private mutating func convert() throws {
    var position = 0
    while position + form.width <= bytes.count {
      var length = form.width
      var value = unit(at: position)
      if form.width == 2, (0xD800..<0xDC00).contains(value) {
        guard position + 4 <= bytes.count else { break }
        let low = unit(at: position + 2)
        guard (0xDC00..<0xE000).contains(low) else { throw invalid(value) }
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        length = 4
      }
      guard let scalar = Unicode.Scalar(value) else { throw invalid(value) }
      text += UTF8.encode(scalar).map(Array.init) ?? []
      position += length
    }
    bytes.removeFirst(position)
    if isAtEnd, !bytes.isEmpty { throw ByteSourceError("the text ends inside a character") }
  }

  private func unit(at position: Int) -> UInt32 {
    let unit = bytes[position..<position + form.width]
    let ordered = form.isBigEndian ? Array(unit) : unit.reversed()
    return ordered.reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func invalid(_ value: UInt32) -> ByteSourceError {
    ByteSourceError(
      "the text is UTF-\(8 * form.width), but 0x\(String(value, radix: 16)) is no character"
    )
  }
}
