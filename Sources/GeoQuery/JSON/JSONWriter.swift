/// Compact JSON text, written byte by byte: no blanks, members in the order given.
///
/// Strings keep every character; only what RFC 8259 §7 demands is escaped.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package init() {}

  /// The compact text of one value.
  package static func of(_ value: JSONValue) -> String {
    var json = JSONWriter()
    json.value(value)
    return json.text
  }

  /// Writes text that is JSON already: punctuation, numbers, prepared members.
  package mutating func raw(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  /// Lets a body append bytes that are JSON already.
  package mutating func append(_ body: (inout [UInt8]) -> Void) {
    body(&bytes)
  }

  /// Writes a quoted string.
  package mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { string(UnsafeRawBufferPointer($0)) }
  }

  /// Writes a quoted string that is given in UTF-8.
  mutating func string(_ text: UnsafeRawBufferPointer) {
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    while true {
      let stop = endOfPlainText(text, start, text.count)
      bytes.append(raw: UnsafeRawBufferPointer(rebasing: text[start..<stop]))
      guard stop < text.count else { break }
      escape(text[stop])
      start = stop + 1
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a character that must be escaped in a string.
  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): raw("\\\"")
    case UInt8(ascii: "\\"): raw("\\\\")
    case 0x0A: raw("\\n")
    case 0x0D: raw("\\r")
    case 0x09: raw("\\t")
    case 0x08: raw("\\b")
    case 0x0C: raw("\\f")
    default: raw((byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16))
    }
  }

  /// Writes `"name":`.
  package mutating func name(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Writes `"name":value`.
  package mutating func member(_ member: JSONMember) {
    name(member.name)
    value(member.value)
  }

  /// Writes members, each followed by a comma.
  package mutating func members(_ members: [JSONMember]) {
    for member in members {
      self.member(member)
      bytes.append(UInt8(ascii: ","))
    }
  }

  package mutating func value(_ value: JSONValue) {
    switch value {
    case .null: raw("null")
    case .bool(let flag): raw(flag ? "true" : "false")
    case .number(let token): raw(token)
    case .string(let text): string(text)
    case .array(let values): list(values, "[", "]") { $0.value($1) }
    case .object(let members):
      list(members, "{", "}") { $0.member($1) }
    }
  }

  /// Returns the written bytes, and starts again.
  package mutating func takeBytes() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  private mutating func list<Element>(
    _ elements: [Element],
    _ open: String,
    _ close: String,
    write: (inout JSONWriter, Element) -> Void
  ) {
    raw(open)
    for (position, element) in elements.enumerated() {
      if position > 0 { raw(",") }
      write(&self, element)
    }
    raw(close)
  }
}

/// The first quote, backslash or control character at or after a position; eight bytes at a time.
package func endOfPlainText(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Int {
  bytes.withUnsafeBytes { endOfPlainText($0, start, end) }
}

/// The same for bytes anywhere in memory.
package func endOfPlainText(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Int {
  var position = start
  while position + 8 <= end {
    let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
    let found = stops(in: word)
    if found != 0 { return position + found.trailingZeroBitCount / 8 }
    position += 8
  }
  while position < end {
    let byte = bytes[position]
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
    position += 1
  }
  return position
}

/// The index of the quote that ends a string, from the index after its opening quote.
package func endOfString(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int? {
  var position = start
  while true {
    position = endOfPlainText(bytes, position, bytes.count)
    guard position < bytes.count else { return nil }
    if bytes[position] == UInt8(ascii: "\"") { return position }
    position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    if position > bytes.count { return nil }
  }
}

/// The high bit of each byte at which to stop; bits after the first one may be wrong.
///
/// A byte below n, or equal to zero, borrows when n is subtracted from it: its top bit is then set
/// though it was not before. A borrow runs only to later bytes, in the order of a little-endian
/// load.
private func stops(in word: UInt64) -> UInt64 {
  let word = UInt64(littleEndian: word)
  let ones: UInt64 = 0x0101_0101_0101_0101
  let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
  let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
  let controls = (word &- ones &* 0x20) & ~word
  return (controls | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes))
    & (ones &* 0x80)
}

extension JSONWriter {
  /// Writes `[…]}` and a line break: an array at the end of a document, each element in a line of its own.
  package mutating func lines<Element>(
    _ elements: [Element],
    write: (inout JSONWriter, Element) -> Void
  ) {
    raw("[")
    for (index, element) in elements.enumerated() {
      raw(index == 0 ? "\n" : ",\n")
      write(&self, element)
    }
    raw(elements.isEmpty ? "]}\n" : "\n]}\n")
  }
}
