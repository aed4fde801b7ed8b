/// Scans JSON text strictly by RFC 8259, and reports where it is wrong.
///
/// Two passes share it: `skipValue` checks the grammar without building anything, so that a broken
/// feed is rejected early; `readValue` builds one record. The bytes must be valid UTF-8.
package struct JSONScanner {
  /// The maximum nesting of values that are read.
  ///
  /// A feed needs 6; unbounded recursion could crash the reader.
  package static let maximumDepth = 32

  package let bytes: [UInt8]

  /// Offset of the next byte to read.
  package var position: Int

  /// Offset after the last byte to read.
  package let end: Int

  /// The last value that is not JSON and was read as null; nil if there is none.
  package private(set) var replaced: String?

  /// Whether NaN and infinities, which other programs write, are read as null.
  private let allowsNaN: Bool

  /// A scanner over a range of the text.
  package init(_ bytes: [UInt8], range: Range<Int>? = nil, allowsNaN: Bool = false) {
    self.bytes = bytes
    self.allowsNaN = allowsNaN
    self.position = range?.lowerBound ?? 0
    self.end = range?.upperBound ?? bytes.count
  }

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
    try expectName()
    try skipString()
    try expectColon()
  }

  private mutating func expectName() throws(JSONSyntaxError) {
    skipWhitespace()
    guard next == UInt8(ascii: "\"") else { throw unexpected("a member name in double quotes") }
  }

  /// Checks a string, a number or a word and moves past it.
  mutating func skipScalar() throws(JSONSyntaxError) {
    if allowsNaN, try skipNaN() { return }
    switch next {
    case UInt8(ascii: "\""): try skipString()
    case UInt8(ascii: "t"): try skipWord("true")
    case UInt8(ascii: "f"): try skipWord("false")
    case UInt8(ascii: "n"): try skipWord("null")
    case let byte? where byte == UInt8(ascii: "-") || byte.isDigit: try skipNumber()
    default: throw unexpected("a value")
    }
  }

  /// Visits each member of the object, or each element of the array, that starts here.
  ///
  /// The body reads one: a member's name, colon and value, or an element.
  package mutating func eachItem(
    depth: Int,
    _ body: (inout JSONScanner, Int) throws(JSONSyntaxError) -> Void
  ) throws(JSONSyntaxError) {
    guard depth < Self.maximumDepth else { throw tooDeep() }
    let isObject = next == UInt8(ascii: "{")
    let close: Unicode.Scalar = isObject ? "}" : "]"
    position += 1
    if take(close) { return }
    repeat {
      if isObject { try expectName() }
      try body(&self, depth + 1)
    } while take(",")
    guard take(close) else { throw unexpected("\",\" or \"\(close)\"") }
  }

  package mutating func expectColon() throws(JSONSyntaxError) {
    guard take(":") else { throw unexpected("\":\"") }
  }

  /// Moves past a word for a number that is not finite, if there is one.
  private mutating func skipNaN() throws(JSONSyntaxError) -> Bool {
    let start = next == UInt8(ascii: "-") ? position + 1 : position
    guard start < end, bytes[start].isLetter, !bytes[start..<end].starts(with: "nu".utf8) else {
      return false
    }
    for word in ["nan", "inf", "infinity"] as [StaticString] {
      let count = word.withUTF8Buffer { letters in
        zip(letters, bytes[start..<end]).prefix { $0 == $1 | 0x20 }.count
      }
      let last = start + count
      if count == word.utf8CodeUnitCount, last == end || !bytes[last].isLetter {
        position = last
        return true
      }
      if count > 0, last == end, count > 1 || bytes[start] != UInt8(ascii: "n") {
        throw JSONSyntaxError(offset: end, problem: "the text ends inside \(word)")
      }
    }
    return false
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
    while let byte = next, byte.isDigit { position += 1 }
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
  /// - Throws: `JSONSyntaxError` also for half of a surrogate pair, which is not a character.
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

  /// Reads one value.
  ///
  /// - Throws: `JSONSyntaxError` also if an object names a member twice: readers differ on which
  ///   one counts, so neither does.
  package mutating func readValue(depth: Int = 0) throws(JSONSyntaxError) -> JSONValue {
    skipWhitespace()
    switch next {
    case UInt8(ascii: "{"): return .object(try readMembers(depth: depth))
    case UInt8(ascii: "["):
      var elements: [JSONValue] = []
      try eachItem(depth: depth) { (scanner, deeper) throws(JSONSyntaxError) in
        elements.append(try scanner.readValue(depth: deeper))
      }
      return .array(elements)
    case UInt8(ascii: "\""):
      let text = try readString()
      guard allowsNaN, text.utf8.elementsEqual("NaN".utf8) else { return .string(text) }
      replaced = "\"NaN\""
      return .null
    default:
      let start = position
      try skipScalar()
      let token = String(decoding: bytes[start..<position], as: UTF8.self)
      switch token {
      case "true": return .bool(true)
      case "false": return .bool(false)
      case "null": return .null
      default:
        guard let last = token.utf8.last, last.isLetter else { return .number(token) }
        replaced = token
        return .null
      }
    }
  }

  private mutating func readMembers(depth: Int) throws(JSONSyntaxError) -> [JSONMember] {
    var members: [JSONMember] = []
    // many names are compared by their hashes
    var names: Set<UTF8Key> = []
    try eachItem(depth: depth) { (scanner, deeper) throws(JSONSyntaxError) in
      let start = scanner.position
      let name = try scanner.readString()
      if members.count == 32 { names = Set(members.map { UTF8Key($0.name) }) }
      let isNew =
        members.count < 32
        ? members.firstIndex(named: name) == nil : names.insert(UTF8Key(name)).inserted
      guard isNew else {
        throw JSONSyntaxError(
          offset: start,
          problem: "member \"\(shortened(name))\" is given twice"
        )
      }
      try scanner.expectColon()
      if members.isEmpty { members.reserveCapacity(16) }
      members.append(JSONMember(name: name, value: try scanner.readValue(depth: deeper)))
    }
    return members
  }
}

/// The open arrays and objects around a position, one bit each, as a feed may open one per byte.
package struct OpenBrackets {
  private var words: [UInt64] = []
  package private(set) var count = 0

  package init() {}

  /// Whether the innermost is an object; nil if none is open.
  package var isObject: Bool? {
    count == 0 ? nil : words[(count - 1) >> 6] >> UInt64((count - 1) & 63) & 1 == 1
  }

  package mutating func open(isObject: Bool) {
    if count >> 6 == words.count { words.append(0) }
    let bit: UInt64 = 1 << UInt64(count & 63)
    if isObject { words[count >> 6] |= bit } else { words[count >> 6] &= ~bit }
    count += 1
  }

  package mutating func close() {
    count -= 1
  }
}

/// An error in a JSON text, with its byte.
package struct JSONSyntaxError: Error, CustomStringConvertible {
  /// Offset from the start of the text.
  package let offset: Int

  /// What was expected and what was found.
  package let problem: String

  package init(offset: Int, problem: String) {
    self.offset = offset
    self.problem = problem
  }

  /// Place and problem as one sentence.
  package var description: String { "at byte \(offset): \(problem)" }
}

/// A byte as `0x1F`.
package func hex(_ byte: UInt8) -> String {
  (byte < 0x10 ? "0x0" : "0x") + String(byte, radix: 16, uppercase: true)
}

/// Finds the first byte that is not valid UTF-8 (RFC 3629), or nil.
///
/// - Complexity: O(n).
package func firstInvalidUTF8(in bytes: [UInt8], from start: Int = 0) -> Int? {
  bytes.withUnsafeBytes { firstInvalidUTF8(in: $0, from: start) }
}

/// The same for bytes anywhere in memory.
package func firstInvalidUTF8(in all: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
  var position = start
  while position < all.count {
    position = endOfASCII(all, position)
    guard position < all.count else { break }
    guard let (length, second) = continuation(of: all[position]),
      position + length <= all.count,
      second.contains(all[position + 1]),
      (2..<max(length, 2)).allSatisfy({ all[position + $0] & 0xC0 == 0x80 })
    else { return position }
    position += length
  }
  return nil
}

/// Whether bytes are the start of one character that could still become valid.
package func isCutCharacter(_ bytes: ArraySlice<UInt8>) -> Bool {
  guard let lead = bytes.first, let (length, second) = continuation(of: lead) else { return false }
  guard bytes.count < length else { return false }
  let followers = bytes.dropFirst()
  return (followers.first.map(second.contains) ?? true)
    && followers.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 }
}

/// The first byte at or after a position that is not ASCII; 32 at a time.
private func endOfASCII(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int {
  var position = start
  while position + 32 <= bytes.count {
    let words = (0..<4).reduce(0 as UInt64) {
      $0 | bytes.loadUnaligned(fromByteOffset: position + $1 * 8, as: UInt64.self)
    }
    if words & 0x8080_8080_8080_8080 != 0 { break }
    position += 32
  }
  while position < bytes.count, bytes[position] < 0x80 { position += 1 }
  return position
}

/// The length of a sequence and the bytes allowed second, from its lead byte (Unicode, table 3-7).
private func continuation(of lead: UInt8) -> (length: Int, second: ClosedRange<UInt8>)? {
  switch lead {
  case 0xC2...0xDF: (2, 0x80...0xBF)
  case 0xE0: (3, 0xA0...0xBF)
  case 0xE1...0xEC, 0xEE, 0xEF: (3, 0x80...0xBF)
  case 0xED: (3, 0x80...0x9F)
  case 0xF0: (4, 0x90...0xBF)
  case 0xF1...0xF3: (4, 0x80...0xBF)
  case 0xF4: (4, 0x80...0x8F)
  default: nil
  }
}
