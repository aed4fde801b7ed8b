extension String {
  /// The text without white space at its ends.
  package var trimmed: String {
    // nearly all texts need no change, which their bytes show at once
    let isPlain = { (byte: UInt8?) in byte.map { $0 > 0x20 && $0 < 0x80 } ?? true }
    if isPlain(utf8.first), isPlain(utf8.last) { return self }
    return trimming { $0.properties.isWhitespace }
  }

  /// Whether it contains only white space.
  var isBlank: Bool {
    unicodeScalars.allSatisfy { $0.properties.isWhitespace }
  }
}
