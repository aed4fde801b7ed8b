/// JSON text that geoq has written, read in place: only strings with escapes are copied.
///
/// The text may be damaged: invalid JSON is then not found, and nothing outside the text is read.
struct StoredJSON {
  /// The types of values; null is none.
  enum Kind {
    case object, array, string, number
    case flag(Bool)
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
    case UInt8(ascii: "t"): return .flag(true)
    case UInt8(ascii: "f"): return .flag(false)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: return nil
    }
  }

  /// The index of a member's value; nil if the object has no member with this name.
  ///
  /// `start` is the index after the object's opening brace, or that of the comma before a member.
  func value(of name: [UInt8], after start: Int) -> Int? {
    var found: Int?
    visitItems(from: start) { itsName, value in
      if let itsName, withText(in: itsName, { $0.elementsEqual(name) }) == true { found = value }
      return found == nil
    }
    return found
  }

  /// Visits the members of an object or the elements of an array, until the body returns false: it
  /// receives the bytes of a member's name, and the index of the item's value.
  func visitItems(from start: Int, _ body: (_ name: Range<Int>?, _ value: Int) -> Bool) {
    var index = skipBlanks(start)
    if isMark(",", at: index) { index = skipBlanks(index + 1) }
    while index < bytes.count {
      var name: Range<Int>?
      // a text before a colon is a name
      if isMark("\"", at: index), let quote = endOfString(bytes, index + 1) {
        let colon = skipBlanks(quote + 1)
        if isMark(":", at: colon) {
          name = index + 1..<quote
          index = skipBlanks(colon + 1)
        }
      }
      guard body(name, index), let end = end(ofValueAt: index) else { return }
      index = skipBlanks(end)
      guard isMark(",", at: index) else { return }
      index = skipBlanks(index + 1)
    }
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

  /// The number at an index as it is written; nil if it does not end.
  func number(at start: Int) -> String? {
    end(ofValueAt: start).map { String(decoding: bytes[start..<$0], as: UTF8.self).trimmed }
  }

  /// The text that begins at an index; nil if it is damaged.
  func text(at start: Int) -> String? {
    withText(at: start) { String(decoding: $0, as: UTF8.self) }
  }

  /// A text, a number or a truth value as text; nil for other values, and if it is damaged.
  func scalar(at index: Int) -> String? {
    switch kind(at: index) {
    case .string: text(at: index)
    case .number: number(at: index)
    case .flag(let flag): flag.description
    case .object, .array, nil: nil
    }
  }

  /// Runs a body with the text that begins at an index, without its escapes; nil if it is damaged.
  func withText<Result>(
    at start: Int,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result? {
    endOfString(bytes, start + 1).flatMap { withText(in: start + 1..<$0, body) }
  }

  /// The same with the text between two quotes.
  private func withText<Result>(
    in range: Range<Int>,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result? {
    let plain = UnsafeRawBufferPointer(rebasing: bytes[range])
    guard plain.contains(UInt8(ascii: "\\")) else { return body(plain) }
    var scanner = JSONScanner(Array(bytes[range.lowerBound - 1...range.upperBound]))
    guard var text = try? scanner.readString() else { return nil }
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }

  private func isMark(_ mark: Unicode.Scalar, at index: Int) -> Bool {
    index < bytes.count && bytes[index] == UInt8(ascii: mark)
  }

  private func skipBlanks(_ start: Int) -> Int {
    var index = start
    // other control characters are not in JSON
    while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
    return index
  }
}
