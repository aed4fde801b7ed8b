import GeoQuery

/// The encodings of feeds.
public enum TextEncoding: String, Sendable, CaseIterable {
  /// UTF-8, with or without a byte order mark.
  case utf8 = "utf-8"
  /// Windows-1252, which older spreadsheets write.
  case windows1252 = "windows-1252"
  /// ISO 8859-1, also called Latin-1.
  case latin1 = "iso-8859-1"

  /// The characters of Windows-1252 for the bytes from 0x80 to 0x9F; 0 if there is none.
  private static let windowsSigns: [UInt32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122,
    0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
  ]

  /// The UTF-8 for each byte.
  var utf8ByByte: [[UInt8]] {
    (0...255).map { byte in
      let sign =
        self == .windows1252 && (0x80...0x9F).contains(byte)
        ? Self.windowsSigns[byte - 0x80] : 0
      let scalar = Unicode.Scalar(sign == 0 ? UInt32(byte) : sign) ?? "?"
      return Array(String(Character(scalar)).utf8)
    }
  }

  /// The conversion from this encoding, which has one byte per character.
  var conversion: ConvertedText.Conversion {
    let table = utf8ByByte
    return { bytes in
      defer { bytes = [] }
      return bytes.flatMap { table[Int($0)] }
    }
  }

  /// What to do about a byte that is not UTF-8.
  static func advice(on bytes: [UInt8], at position: Int) -> FeedFault.Advice {
    let isWordByte = { (byte: UInt8) in
      byte >= 0x80 || (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
    }
    let front = bytes[..<position].suffix(20).reversed().prefix(while: isWordByte).count
    let word = bytes[(position - front)...].prefix(40).prefix(while: isWordByte)
    let high = word.filter { $0 >= 0x80 }
    // letters of other scripts appear in sequences, those of Western Europe individually
    let isWestern =
      (high.count == 1 || high.count * 2 <= word.count)
      && !high.contains { [0x81, 0x8D, 0x8F, 0x90, 0x9D].contains($0) }
    guard isWestern else {
      return ("convert it from its encoding", "iconv -f ENCODING -t UTF-8 FILE > STEM.utf8")
    }
    let table = TextEncoding.windows1252.utf8ByByte
    let text = String(decoding: word.flatMap { table[Int($0)] }, as: UTF8.self)
    return (
      "windows-1252 gives \"\(text)\"; \(Remedy.windows1252), or convert it",
      "iconv -f WINDOWS-1252 -t UTF-8 FILE > STEM.utf8"
    )
  }
}

/// Text in another encoding, converted to UTF-8 while it is read.
struct ConvertedText: ByteSource {
  /// Removes whole characters from the start of some bytes, and returns them as UTF-8.
  typealias Conversion = (inout [UInt8]) throws -> [UInt8]

  private var source: any ByteSource
  private let convert: Conversion
  /// The bytes of the source that were read before it was known to be in another encoding.
  private var start: [UInt8]?
  /// The beginning of a character.
  private var rest: [UInt8] = []
  /// UTF-8 that has not been handed out.
  private var text: [UInt8] = []
  private var isAtEnd = false

  /// Converts a source whose first bytes have already been read.
  init(start: [UInt8], then source: any ByteSource, _ convert: @escaping Conversion) {
    (self.start, self.source, self.convert) = (start, source, convert)
  }

  mutating func read(into space: UnsafeMutableRawBufferPointer) throws -> Int {
    while text.isEmpty, !isAtEnd {
      let more = try start ?? source.readChunk(FeedWindow.chunk)
      start = nil
      isAtEnd = more.isEmpty
      rest += more
      text = try convert(&rest)
      if isAtEnd, !rest.isEmpty { throw ByteSourceError("the text ends inside a character") }
    }
    let count = min(space.count, text.count)
    text.prefix(count).withUnsafeBytes { space.copyMemory(from: $0) }
    text.removeFirst(count)
    return count
  }
}

/// The code units of UTF-16 and UTF-32.
struct WideUnits: Equatable {
  /// The number of bytes: 2 or 4.
  let width: Int
  let isBigEndian: Bool

  /// The units of a text, by its byte order mark or by zeros around its first character, which is
  /// ASCII in every feed; nil for other texts.
  init?(of bytes: [UInt8]) {
    let start = Array(bytes.prefix(4))
    let isASCII = start.allSatisfy { $0 == 0 || (0x09..<0x7F).contains($0) }
    switch (start, start.map { isASCII && $0 == 0 }) {
    case ([0xFF, 0xFE, 0, 0], _), (_, [false, true, true, true]): (width, isBigEndian) = (4, false)
    case ([0, 0, 0xFE, 0xFF], _), (_, [true, true, true, false]): (width, isBigEndian) = (4, true)
    case (_, [false, true, false, true]): (width, isBigEndian) = (2, false)
    case (_, [true, false, true, false]): (width, isBigEndian) = (2, true)
    case _ where start.starts(with: [0xFF, 0xFE]): (width, isBigEndian) = (2, false)
    case _ where start.starts(with: [0xFE, 0xFF]): (width, isBigEndian) = (2, true)
    default: return nil
    }
  }

  /// Removes whole characters from some bytes, and returns them as UTF-8.
  func convert(_ bytes: inout [UInt8]) throws -> [UInt8] {
    var text: [UInt8] = []
    var position = 0
    while position + width <= bytes.count {
      var length = width
      var value = unit(bytes, at: position)
      if width == 2, (0xD800..<0xDC00).contains(value) {
        guard position + 4 <= bytes.count else { break }
        let low = unit(bytes, at: position + 2)
        guard (0xDC00..<0xE000).contains(low) else { throw invalid(value) }
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        length = 4
      }
      guard let scalar = Unicode.Scalar(value) else { throw invalid(value) }
      text += String(scalar).utf8
      position += length
    }
    bytes.removeFirst(position)
    return text
  }

  private func unit(_ bytes: [UInt8], at position: Int) -> UInt32 {
    let unit = bytes[position..<position + width]
    return (isBigEndian ? Array(unit) : unit.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func invalid(_ value: UInt32) -> ByteSourceError {
    let digits = String(value, radix: 16)
    return ByteSourceError("the text is UTF-\(8 * width), but 0x\(digits) is no character")
  }
}
