extension String {
  /// The text without white space at its ends.
  var trimmed: String {
    // nearly all texts need nothing: bytes tell that at once
    let isPlain = { (byte: UInt8?) in byte.map { $0 > 0x20 && $0 < 0x80 } ?? true }
    if isPlain(utf8.first), isPlain(utf8.last) { return self }
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
