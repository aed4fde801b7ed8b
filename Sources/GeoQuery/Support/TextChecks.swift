/// Whether a text is a plain decimal number: sign, digits, fraction, exponent, and nothing else.
///
/// `Double.init` alone would also take `inf`, `nan` and hexadecimal.
package func isDecimal(_ text: String) -> Bool {
  let hasOnlyNumberCharacters = text.utf8.allSatisfy {
    switch $0 {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }
  return hasOnlyNumberCharacters && Double(text) != nil
}

/// A text for an error message, cut so that no record can flood a terminal.
package func shortened(_ text: String, to limit: Int = 40) -> String {
  let scalars = text.unicodeScalars
  guard scalars.count > limit else { return text }
  return String(String.UnicodeScalarView(scalars.prefix(limit - 1))) + "…"
}
