/// A hash that is the same in every run, on every machine: FNV-1a, 64 bits.
///
/// It tells apart what is not made to deceive; it is no signature.
enum StableHash {
  /// The hash of some texts in letters and digits.
  static func text(of parts: [String]) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for part in parts {
      for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      // no text has this byte: it keeps ("a", "b") and ("ab", "") apart
      hash = (hash ^ 0xFF) &* 0x100_0000_01B3
    }
    return String(hash, radix: 36)
  }
}
