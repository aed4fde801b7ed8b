/// Finds values in JSON text that geoq has written, in place: only strings with escapes are copied.
///
/// The text may be damaged: invalid JSON is then not found, and nothing outside the text is read.
struct StoredJSON {
  /// The types of values; null is none.
  enum Kind {
    case object, array, string, number, flag
  }

  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// The type of the value at an index; nil for null, and for invalid values.
  func kind(at index: Int) -> Kind? {
    guard index < bytes.count else { return nil }
    switch bytes[index] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .flag
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: return nil
    }
  }

  /// The index of a member's value; nil if the object has no member with this name.
  ///
  /// - Parameters:
  ///   - name: The name in UTF-8.
  ///   - start: The index after the object's opening brace, or that of the comma before a member.
  /// - Returns: The index of the value's first byte.
  func value(of name: [UInt8], after start: Int) -> Int? {
    var index = skipBlanks(start)
    if index < bytes.count, bytes[index] == UInt8(ascii: ",") { index = skipBlanks(index + 1) }
    while index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
      guard let quote = endOfString(bytes, index + 1) else { return nil }
      let colon = skipBlanks(quote + 1)
      guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return nil }
      let value = skipBlanks(colon + 1)
      if isName(name, at: index + 1..<quote) { return value }
      guard let end = end(ofValueAt: value) else { return nil }
      index = skipBlanks(end)
      guard index < bytes.count, bytes[index] == UInt8(ascii: ",") else { return nil }
      index = skipBlanks(index + 1)
    }
    return nil
  }

  /// The index of the next element of a list, after its opening bracket or after an element.
  func element(after index: Int) -> Int? {
    let next = skipBlanks(index)
    guard next < bytes.count else { return nil }
    let isStart =
      bytes[next] == UInt8(ascii: ",") || next == index && bytes[next] == UInt8(ascii: "[")
    guard isStart else { return nil }
    let element = skipBlanks(next + 1)
    return element < bytes.count && bytes[element] != UInt8(ascii: "]") ? element : nil
  }

  /// The index after the value that begins at `start`; nil if it does not end.
  func end(ofValueAt start: Int) -> Int? {
    var depth = 0
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        guard let quote = endOfString(bytes, index + 1) else { return nil }
        index = quote
        if depth == 0 { return index + 1 }
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        // a number or a word that ends its object or list
        if depth == 0 { return index > start ? index : nil }
        depth -= 1
        if depth == 0 { return index + 1 }
      case UInt8(ascii: ",") where depth == 0: return index > start ? index : nil
      default: break
      }
      index += 1
    }
    return nil
  }

  /// The flag that begins at an index.
  func flag(at start: Int) -> Bool { bytes[start] == UInt8(ascii: "t") }

  /// The number at an index; nil if it is not a finite number.
  func number(at start: Int) -> Double? {
    guard let end = end(ofValueAt: start) else { return nil }
    let token = String(decoding: bytes[start..<end], as: UTF8.self).trimmed
    return Double(token).flatMap { $0.isFinite ? $0 : nil }
  }

  /// Puts the text that begins at an index into a buffer, without case and accents.
  ///
  /// - Returns: False if it is damaged.
  func foldText(at start: Int, into buffer: inout [UInt8]) -> Bool {
    buffer.removeAll(keepingCapacity: true)
    guard let quote = endOfString(bytes, start + 1) else { return false }
    var isPlain = true
    for byte in bytes[start + 1..<quote] {
      isPlain = isPlain && byte < 0x80 && byte != UInt8(ascii: "\\")
      buffer.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
    }
    if isPlain { return true }
    guard let text = text(in: start...quote) else { return false }
    buffer = Array(folded(text).utf8)
    return true
  }

  private func isName(_ name: [UInt8], at range: Range<Int>) -> Bool {
    let found = UnsafeRawBufferPointer(rebasing: bytes[range])
    if found.contains(UInt8(ascii: "\\")) {
      let text = text(in: range.lowerBound - 1...range.upperBound)
      return text.map { Array($0.utf8) == name } ?? false
    }
    return found.elementsEqual(name)
  }

  /// A text with its quotes, without its escapes.
  private func text(in range: ClosedRange<Int>) -> String? {
    var scanner = JSONScanner(Array(bytes[range]))
    return try? scanner.readString()
  }

  private func skipBlanks(_ start: Int) -> Int {
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: return index
      }
    }
    return index
  }
}
