/// A hash that is the same in every run and on every machine: FNV-1a, 64 bits.
///
/// It is for detecting changes, not for texts that are made to collide.
struct StableHash {
  private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Hashes a text.
  mutating func add(_ text: String) {
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    // no text contains this byte, so that ("a", "b") and ("ab", "") differ
    hash = (hash ^ 0xFF) &* 0x100_0000_01B3
  }

  /// Adds bytes.
  mutating func add(_ bytes: [UInt8]) {
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  /// The hash in 16 hexadecimal digits.
  var text: String {
    String(unsafeUninitializedCapacity: 16) { digits in
      for index in 0..<16 {
        let digit = UInt8(truncatingIfNeeded: hash >> UInt64(60 - 4 * index)) & 15
        digits[index] = digit < 10 ? 0x30 + digit : 0x57 + digit
      }
      return 16
    }
  }

  /// The hash of some texts.
  static func text(of parts: [String]) -> String {
    var hash = StableHash()
    for part in parts { hash.add(part) }
    return hash.text
  }
}
