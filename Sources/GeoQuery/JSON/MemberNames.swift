/// The names of one object's members so far, for finding repeated ones.
///
/// A few names are compared in place; many, or one with an escape, as texts.
struct MemberNames {
  private static let maximumCompared = 32

  private var ranges: [Range<Int>] = []
  private var texts: Set<ByteKey>?

  /// Adds a name.
  ///
  /// - Parameters:
  ///   - name: The name, unescaped.
  ///   - range: Its range in the text, including quotes.
  ///   - bytes: The text.
  /// - Returns: False if it is repeated.
  mutating func add(_ name: String, at range: Range<Int>, of bytes: [UInt8]) -> Bool {
    let isEscaped = name.utf8.count != range.count - 2
    if texts == nil, !isEscaped, ranges.count < Self.maximumCompared {
      guard !ranges.contains(where: { Self.isSame($0, range, bytes) }) else { return false }
      if ranges.isEmpty { ranges.reserveCapacity(16) }
      ranges.append(range)
      return true
    }
    var known = texts ?? Set(ranges.map { Self.text($0, bytes) })
    texts = nil
    defer { texts = known }
    return known.insert(ByteKey(name)).inserted
  }

  private static func text(_ range: Range<Int>, _ bytes: [UInt8]) -> ByteKey {
    ByteKey(String(decoding: bytes[range].dropFirst().dropLast(), as: UTF8.self))
  }

  private static func isSame(_ one: Range<Int>, _ other: Range<Int>, _ bytes: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    return bytes.withUnsafeBufferPointer { text in
      for step in 0..<one.count
      where text[one.lowerBound + step] != text[other.lowerBound + step] {
        return false
      }
      return true
    }
  }
}
