/// Scans JSON text strictly by RFC 8259, and reports where it is wrong.
///
/// Two passes share it: `skipValue` checks the grammar of a whole text without building anything,
/// so that a broken feed is rejected before its first record is used; `readValue` then builds one
/// record. The bytes must be valid UTF-8 (`UTF8Check`).
package struct JSONScanner {
  /// The maximum nesting of values that are read.
  ///
  /// A feed needs 6; unbounded recursion could crash the reader.
  package static let maximumDepth = 32

  /// The text.
  package let bytes: [UInt8]

  /// Offset of the next byte to read.
  package var position: Int

  /// Offset after the last byte to read.
  let end: Int

  /// A scanner over a range of the text.
  package init(_ bytes: [UInt8], range: Range<Int>? = nil) {
    self.bytes = bytes
    self.position = range?.lowerBound ?? 0
    self.end = range?.upperBound ?? bytes.count
  }

  /// The next byte, or nil at the end.
  package var next: UInt8? { position < end ? bytes[position] : nil }

  /// Moves past blanks, tabs and line ends.
  package mutating func skipWhitespace() {
    while position < end {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  /// Takes the byte if it is next, after white space.
  package mutating func take(_ byte: Unicode.Scalar) -> Bool {
    skipWhitespace()
    guard position < end, bytes[position] == UInt8(truncatingIfNeeded: byte.value) else {
      return false
    }
    position += 1
    return true
  }

  /// Checks one value and moves past it.
  ///
  /// - Parameter limit: The maximum nesting; skipped values need none.
  /// - Throws: `JSONSyntaxError` at the first byte that cannot belong to the value.
  package mutating func skipValue(upTo limit: Int = .max) throws(JSONSyntaxError) {
    var brackets = OpenBrackets()
    while true {
      skipWhitespace()
      let isObject = next == UInt8(ascii: "{")
      if isObject || next == UInt8(ascii: "[") {
        guard brackets.count < limit else { throw tooDeep() }
        position += 1
        if !take(isObject ? "}" : "]") {
          brackets.open(isObject: isObject)
          if isObject { try skipName() }
          continue
        }
      } else {
        try skipScalar()
      }
      while let isObject = brackets.isObject {
        if take(",") {
          if isObject { try skipName() }
          break
        }
        let close: Unicode.Scalar = isObject ? "}" : "]"
        guard take(close) else { throw unexpected("\",\" or \"\(close)\"") }
        brackets.close()
      }
      if brackets.count == 0 { return }
    }
  }

  /// Moves past a member's name and the colon after it.
  private mutating func skipName() throws(JSONSyntaxError) {
    skipWhitespace()
    guard next == UInt8(ascii: "\"") else { throw unexpected("a member name in double quotes") }
    try skipString()
    try expectColon()
  }

  /// Checks a string, a number or a word and moves past it.
  mutating func skipScalar() throws(JSONSyntaxError) {
    switch next {
    case UInt8(ascii: "\""): try skipString()
    case UInt8(ascii: "t"): try skipWord("true")
    case UInt8(ascii: "f"): try skipWord("false")
    case UInt8(ascii: "n"): try skipWord("null")
    case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): try skipNumber()
    default: throw unexpected("a value")
    }
  }

  /// Visits each member of the object that starts here; the body reads name, colon and value.
  mutating func eachMember(
    depth: Int,
    _ body: (inout JSONScanner, Int) throws(JSONSyntaxError) -> Void
  ) throws(JSONSyntaxError) {
    try eachItem(depth: depth, close: "}") { (scanner, deeper) throws(JSONSyntaxError) in
      scanner.skipWhitespace()
      guard scanner.next == UInt8(ascii: "\"") else {
        throw scanner.unexpected("a member name in double quotes")
      }
      try body(&scanner, deeper)
    }
  }

  /// Visits each element of the array that starts here.
  mutating func eachElement(
    depth: Int,
    _ body: (inout JSONScanner, Int) throws(JSONSyntaxError) -> Void
  ) throws(JSONSyntaxError) {
    try eachItem(depth: depth, close: "]", body)
  }

  private mutating func eachItem(
    depth: Int,
    close: Unicode.Scalar,
    _ body: (inout JSONScanner, Int) throws(JSONSyntaxError) -> Void
  ) throws(JSONSyntaxError) {
    guard depth < Self.maximumDepth else { throw tooDeep() }
    position += 1
    if take(close) { return }
    repeat {
      try body(&self, depth + 1)
    } while take(",")
    guard take(close) else { throw unexpected("\",\" or \"\(close)\"") }
  }

  /// Moves past `:`.
  mutating func expectColon() throws(JSONSyntaxError) {
    guard take(":") else { throw unexpected("\":\"") }
  }

  private mutating func skipWord(_ word: StaticString) throws(JSONSyntaxError) {
    let count = word.utf8CodeUnitCount
    let matches = word.withUTF8Buffer { letters in
      position + count <= end && bytes[position..<position + count].elementsEqual(letters)
    }
    guard matches else {
      let isCut = word.withUTF8Buffer { $0.starts(with: bytes[position..<end]) }
      if isCut { throw JSONSyntaxError(offset: end, problem: "the text ends inside \(word)") }
      throw unexpected("a value")
    }
    position += count
  }

  private mutating func skipNumber() throws(JSONSyntaxError) {
    if next == UInt8(ascii: "-") { position += 1 }
    if next == UInt8(ascii: "0") { position += 1 } else { try skipDigits() }
    if next == UInt8(ascii: ".") {
      position += 1
      try skipDigits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      try skipDigits()
    }
  }

  private mutating func skipDigits() throws(JSONSyntaxError) {
    let start = position
    while let byte = next, isDigit(byte) { position += 1 }
    guard position > start else { throw unexpected("a digit") }
  }

  private func tooDeep() -> JSONSyntaxError {
    JSONSyntaxError(offset: position, problem: "nested deeper than \(Self.maximumDepth) levels")
  }

  /// The error for the byte found here instead of `expected`.
  package func unexpected(_ expected: String) -> JSONSyntaxError {
    guard let next else {
      return JSONSyntaxError(offset: end, problem: "the text ends where \(expected) should be")
    }
    let isPrintable = (0x21...0x7E).contains(next)
    let found = isPrintable ? "\"\(Character(Unicode.Scalar(next)))\"" : "byte \(hex(next))"
    return JSONSyntaxError(offset: position, problem: "expected \(expected), found \(found)")
  }
}

/// The open arrays and objects around a position, one bit each, because a feed may open one per
/// byte.
struct OpenBrackets {
  private var words: [UInt64] = []

  /// The number of open ones.
  private(set) var count = 0

  /// Whether the innermost is an object; nil if none is open.
  var isObject: Bool? {
    count == 0 ? nil : words[(count - 1) >> 6] >> UInt64((count - 1) & 63) & 1 == 1
  }

  /// Opens one.
  mutating func open(isObject: Bool) {
    if count >> 6 == words.count { words.append(0) }
    let bit: UInt64 = 1 << UInt64(count & 63)
    if isObject { words[count >> 6] |= bit } else { words[count >> 6] &= ~bit }
    count += 1
  }

  /// Closes the innermost.
  mutating func close() {
    count -= 1
  }
}

private func isDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

/// An error in a JSON text, with its byte.
package struct JSONSyntaxError: Error {
  /// Offset from the start of the text.
  package let offset: Int

  /// What was expected and what was found.
  package let problem: String

  /// Makes an error.
  package init(offset: Int, problem: String) {
    self.offset = offset
    self.problem = problem
  }
}

/// A byte as `0x1F`.
package func hex(_ byte: UInt8) -> String {
  (byte < 0x10 ? "0x0" : "0x") + String(byte, radix: 16, uppercase: true)
}
