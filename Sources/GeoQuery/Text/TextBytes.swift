/// Tests and divides texts by their UTF-8 bytes, in linear time; see `ByteKey`.
extension String {
  /// Whether the first bytes are those of another text.
  package func begins(with start: String) -> Bool {
    utf8.starts(with: start.utf8)
  }

  /// Whether the last bytes are those of another text.
  package func ends(with end: String) -> Bool {
    utf8.count >= end.utf8.count && utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
  }

  /// The texts between the separators, including empty ones.
  package func parts(between separator: String) -> [String] {
    let bytes = Array(utf8)
    let mark = Array(separator.utf8)
    var parts: [String] = []
    var (start, position) = (0, 0)
    while position + mark.count <= bytes.count {
      guard bytes[position..<position + mark.count].elementsEqual(mark) else {
        position += 1
        continue
      }
      parts.append(String(decoding: bytes[start..<position], as: UTF8.self))
      position += mark.count
      start = position
    }
    return parts + [String(decoding: bytes[start...], as: UTF8.self)]
  }

  /// The text without the scalars at its ends that pass a test.
  package func trimming(where isDropped: (Unicode.Scalar) -> Bool) -> String {
    var scalars = unicodeScalars[...]
    while let first = scalars.first, isDropped(first) { scalars.removeFirst() }
    while let last = scalars.last, isDropped(last) { scalars.removeLast() }
    return String(scalars)
  }
}
