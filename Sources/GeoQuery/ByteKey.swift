/// A text compared by its UTF-8 bytes, as the database compares it.
///
/// Swift's `String` calls "é" and "e" + U+0301 equal and orders by canonical form; SQLite does
/// neither. Identifiers must mean the same in both.
package struct ByteKey: Hashable, Comparable, Sendable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  package static func == (left: ByteKey, right: ByteKey) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package static func < (left: ByteKey, right: ByteKey) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
