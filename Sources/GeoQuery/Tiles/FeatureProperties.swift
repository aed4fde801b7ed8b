/// Reads single properties of a Feature that `FeatureText` has written, without building anything else.
///
/// Such a text has no blanks between its tokens. A damaged text may give any values.
struct FeatureProperties {
  private let bytes: UnsafeRawBufferPointer
  private var offset: Int

  private static let mark = Array("},\"properties\":{".utf8)

  /// Starts before the first property; nil if the text has no properties.
  init?(_ feature: UnsafeRawBufferPointer) {
    // quotes in an id are escaped, so the mark cannot be in it
    guard let start = feature.firstOffset(of: Self.mark) else { return nil }
    bytes = feature
    offset = start + Self.mark.count
  }

  /// The next property: its name without quotes, and its value as written; nil after the last.
  mutating func next() -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    if byte == UInt8(ascii: ",") { offset += 1 }
    guard byte == UInt8(ascii: "\"") else { return nil }
    let name = token()
    guard name.count >= 2, byte == UInt8(ascii: ":") else { return nil }
    offset += 1
    let value = token()
    guard !value.isEmpty else { return nil }
    return (UnsafeRawBufferPointer(rebasing: name[1..<name.count - 1]), value)
  }

  private var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// Skips a value: to the next comma, colon or bracket outside it.
  private mutating func token() -> UnsafeRawBufferPointer {
    let start = offset
    var depth = 0
    scan: while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "\""): skipString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        offset += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { break scan }
        depth -= 1
        offset += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        if depth == 0 { break scan }
        offset += 1
      default: offset += 1
      }
    }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
  }

  private mutating func skipString() {
    offset += 1
    while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
      offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
    }
    offset = min(offset + 1, bytes.count)
  }
}
