/// Compact JSON text, written byte by byte: no blanks, members in the order given.
///
/// Strings keep every character; only what RFC 8259 §7 demands is escaped.
struct JSONText {
  /// What has been written so far, as UTF-8.
  private(set) var bytes: [UInt8] = []

  /// The text written so far.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The compact text of one value.
  static func of(_ value: JSONValue) -> String {
    var json = JSONText()
    json.value(value)
    return json.text
  }

  /// Writes text that is JSON already: punctuation, numbers, prepared members.
  mutating func raw(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes a quoted string.
  mutating func string(_ text: String) {
    var text = text
    bytes.append(UInt8(ascii: "\""))
    text.withUTF8 { utf8 in
      let all = UnsafeRawBufferPointer(utf8)
      var start = 0
      while true {
        let stop = endOfPlainText(all, start, all.count)
        bytes.append(contentsOf: all[start..<stop])
        guard stop < all.count else { return }
        escape(all[stop])
        start = stop + 1
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a character that may not stand in a string as it is.
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
  mutating func name(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Writes `"name":value`.
  mutating func member(_ member: JSONMember) {
    name(member.name)
    value(member.value)
  }

  /// Writes any value.
  mutating func value(_ value: JSONValue) {
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

  /// Hands over what was written and starts again with nothing.
  mutating func takeBytes() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  private mutating func list<Element>(
    _ elements: [Element],
    _ open: String,
    _ close: String,
    write: (inout JSONText, Element) -> Void
  ) {
    raw(open)
    for (position, element) in elements.enumerated() {
      if position > 0 { raw(",") }
      write(&self, element)
    }
    raw(close)
  }
}
