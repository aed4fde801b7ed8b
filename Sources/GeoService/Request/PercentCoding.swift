/// Percent-encoding of RFC 3986, strictly: invalid escapes are rejected.
enum PercentCoding {
  /// Decodes a text.
  ///
  /// - Parameters:
  ///   - text: A path segment, or a name or value of a query.
  ///   - plusIsBlank: Whether `+` stands for a blank, as in queries that forms and libraries write.
  /// - Returns: Nil if an escape is broken, the bytes are not UTF-8, or one is NUL.
  static func decoded(_ text: some StringProtocol, plusIsBlank: Bool = false) -> String? {
    // most values have no escapes
    if !text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") || $0 == 0 })
    {
      return String(text)
    }
    var bytes: [UInt8] = []
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else {
          return nil
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsBlank: bytes.append(0x20)
      default: bytes.append(byte)
      }
    }
    if bytes.contains(0) { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Escapes everything except RFC 3986's unreserved characters and commas.
  static func encoded(_ text: some StringProtocol) -> String { escaped(text, unless: isPlain) }

  /// Escapes the characters of a printable ASCII query that RFC 3986 does not allow in addresses.
  static func plain(_ query: Substring) -> String {
    if query.utf8.allSatisfy({ !isForbidden($0) }) { return String(query) }
    return escaped(query) { !isForbidden($0) }
  }

  private static func isForbidden(_ byte: UInt8) -> Bool { "<>\"\\^`{|}".utf8.contains(byte) }

  private static func escaped(
    _ text: some StringProtocol,
    unless isKept: (UInt8) -> Bool
  ) -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      if isKept(byte) {
        result.append(byte)
      } else {
        result.append(UInt8(ascii: "%"))
        result.append(contentsOf: [hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]])
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let hexDigits = Array("0123456789ABCDEF".utf8)

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~,".utf8.contains(byte)
    }
  }

  /// The byte that an escape of three bytes stands for; nil if they are not an escape.
  static func escape(_ bytes: [UInt8]) -> UInt8? {
    guard bytes.count == 3, bytes[0] == UInt8(ascii: "%"), let high = digit(bytes[1]),
      let low = digit(bytes[2])
    else { return nil }
    return high << 4 | low
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
