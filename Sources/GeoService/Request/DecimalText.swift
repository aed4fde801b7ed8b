/// Parses numbers in parameters and bodies: ASCII digits, an optional minus, a fraction, an
/// exponent.
///
/// This is the number of RFC 8259 §6, with leading zeros allowed. `Double(String)` also accepts
/// `nan`, `inf`, `0x10` and `5.`, and makes `1e400` infinite.
enum DecimalText {
  /// The number; nil if the text has another form or the value is not finite.
  static func number(_ text: String) -> Double? {
    var rest = text.utf8[...]
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    guard dropDigits(&rest) else { return nil }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard dropDigits(&rest) else { return nil }
    }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        rest.removeFirst()
      }
      guard dropDigits(&rest) else { return nil }
    }
    guard rest.isEmpty, let value = Double(text), value.isFinite else { return nil }
    return value
  }

  /// The whole number; nil if the text is not digits with an optional minus.
  ///
  /// A number that does not fit is clamped; the parameter's range is checked later.
  static func integer(_ text: String) -> Int? {
    var rest = text.utf8[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest.removeFirst() }
    guard dropDigits(&rest), rest.isEmpty else { return nil }
    return Int(text) ?? (isNegative ? .min : .max)
  }

  private static func dropDigits(_ rest: inout Substring.UTF8View) -> Bool {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    rest.removeFirst(digits.count)
    return !digits.isEmpty
  }
}
