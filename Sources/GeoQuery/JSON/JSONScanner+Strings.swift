extension JSONScanner {
  /// Checks a string and moves past it.
  mutating func skipString() throws(JSONSyntaxError) {
    position += 1
    while true {
      position = endOfPlainText(bytes, position, end)
      guard let byte = next else { break }
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return
      case UInt8(ascii: "\\"): try skipEscape()
      default:
        throw JSONSyntaxError(
          offset: position,
          problem: "control character \(hex(byte)) inside a string; it must be escaped"
        )
      }
    }
    throw JSONSyntaxError(offset: end, problem: "the text ends inside a string")
  }

  private mutating func skipEscape() throws(JSONSyntaxError) {
    position += 1
    switch next {
    case UInt8(ascii: "u"):
      position += 1
      _ = try readHexDigits()
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    default: throw unexpected("an escape such as \\n or \\u0041")
    }
  }

  /// Reads a string, unescaped.
  ///
  /// - Throws: `JSONSyntaxError` also if an escape is half of a surrogate pair: it names no
  ///   character, so the text could not be kept as it is.
  package mutating func readString() throws(JSONSyntaxError) -> String {
    let start = position
    let plain = endOfPlainText(bytes, start + 1, end)
    if plain < end, bytes[plain] == UInt8(ascii: "\"") {
      position = plain + 1
      return bytes.withUnsafeBufferPointer {
        String(decoding: UnsafeBufferPointer(rebasing: $0[start + 1..<plain]), as: UTF8.self)
      }
    }
    try skipString()
    let content = start + 1..<position - 1
    var inner = JSONScanner(bytes, range: content)
    var text: [UInt8] = []
    text.reserveCapacity(content.count)
    while let byte = inner.next {
      inner.position += 1
      if byte == UInt8(ascii: "\\") {
        let scalar = try inner.readEscape()
        text.append(contentsOf: String(scalar).utf8)
      } else {
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads what follows a backslash.
  private mutating func readEscape() throws(JSONSyntaxError) -> Unicode.Scalar {
    let letter = bytes[position]
    position += 1
    switch letter {
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try readUnicodeEscape()
    default: return Unicode.Scalar(letter)
    }
  }

  private mutating func readUnicodeEscape() throws(JSONSyntaxError) -> Unicode.Scalar {
    let start = position - 2
    let unit = try readHexDigits()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    // a high surrogate counts only together with the low one that follows
    let isFollowedByEscape = bytes[position..<end].starts(with: [0x5C, UInt8(ascii: "u")])
    if (0xD800..<0xDC00).contains(unit), isFollowedByEscape {
      position += 2
      let low = try readHexDigits()
      if (0xDC00..<0xE000).contains(low),
        let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
      {
        return scalar
      }
    }
    throw JSONSyntaxError(
      offset: start,
      problem: "the escape \\u\(String(unit, radix: 16)) is half of a surrogate pair"
    )
  }

  private mutating func readHexDigits() throws(JSONSyntaxError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
        throw unexpected("four hexadecimal digits")
      }
      unit = unit << 4 | UInt32(digit)
      position += 1
    }
    return unit
  }
}
