import Foundation

/// A text compared by its UTF-8 bytes, as the database compares it.
///
/// Swift's `String` calls "é" and "e" + U+0301 equal and orders by canonical form; SQLite does
/// neither. Identifiers must mean the same in both. For that form `String` sorts each run of
/// combining marks, in quadratic time, so texts from outside are only compared as bytes.
package struct UTF8Key: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  package init(stringLiteral text: StaticString) {
    self.text = text.description
  }

  package static func == (left: UTF8Key, right: UTF8Key) -> Bool {
    // most pairs that differ have different lengths, which are cheap to compare
    guard left.text.utf8.count == right.text.utf8.count else { return false }
    let isSame = left.text.utf8.withContiguousStorageIfAvailable { left in
      right.text.utf8.withContiguousStorageIfAvailable { right in
        compare(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right)) == 0
      }
    }
    return (isSame ?? nil) ?? left.text.utf8.elementsEqual(right.text.utf8)
  }

  package static func < (left: UTF8Key, right: UTF8Key) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension UnsafeRawBufferPointer {
  /// The offset at which a value first occurs, 0 for the empty value; nil if it does not.
  func firstOffset(of value: [UInt8]) -> Int? {
    guard let first = value.first else { return 0 }
    guard let base = baseAddress else { return nil }
    var start = base
    // where the value would no longer fit
    let end = base + count - value.count + 1
    while start < end, let found = memchr(start, Int32(first), end - start) {
      if memcmp(found, value, value.count) == 0 { return UnsafeRawPointer(found) - base }
      start = UnsafeRawPointer(found) + 1
    }
    return nil
  }
}

extension StringProtocol {
  /// Whether this text has the same UTF-8 bytes as another.
  ///
  /// `==` compares canonical equivalents, and normalizing a run of combining marks takes time that
  /// grows with the square of its length, so texts from outside are never compared that way.
  package func isUTF8Equal(to other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension String {
  /// The same for two strings, without a call for each byte.
  package func isUTF8Equal(to other: String) -> Bool { UTF8Key(self) == UTF8Key(other) }
}
