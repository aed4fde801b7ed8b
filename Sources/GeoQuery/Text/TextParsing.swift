/// Tests and divides texts by their UTF-8 bytes, in linear time; see `UTF8Key`.
extension String {
  /// Whether the first bytes are those of another text.
  package func begins(with start: String) -> Bool { utf8.starts(with: start.utf8) }

  /// Whether the last bytes are those of another text.
  package func ends(with end: String) -> Bool {
    utf8.count >= end.utf8.count && utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
  }

  /// The texts between the separators, including empty ones.
  package func parts(between separator: String) -> [String] {
    Array(utf8).split(separator: Array(separator.utf8), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// The text without blanks and tabs at its ends.
  package var trimmingBlanks: String { trimming { $0 == " " || $0 == "\t" } }

  /// The text without the scalars at its ends that pass a test.
  package func trimming(where isDropped: (Unicode.Scalar) -> Bool) -> String {
    var scalars = unicodeScalars[...]
    while let first = scalars.first, isDropped(first) { scalars.removeFirst() }
    while let last = scalars.last, isDropped(last) { scalars.removeLast() }
    return String(scalars)
  }

  /// The text without white space at its ends.
  package var trimmed: String {
    // nearly all texts need no change, which their bytes show at once
    let isPlain = { (byte: UInt8?) in byte.map { $0 > 0x20 && $0 < 0x80 } ?? true }
    if isPlain(utf8.first), isPlain(utf8.last) { return self }
    return trimming { $0.properties.isWhitespace }
  }

  /// Whether it contains only white space.
  var isBlank: Bool { unicodeScalars.allSatisfy { $0.properties.isWhitespace } }
}

/// Reads a text scalar by scalar: what the parsers of filters have in common.
protocol ScalarReader {
  var scalars: [Unicode.Scalar] { get }

  /// The index of the next scalar.
  var index: Int { get set }
}

extension ScalarReader {
  /// The next scalar; nil at the end.
  var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  /// The text from an index to the next scalar.
  func text(from start: Int) -> String { String(String.UnicodeScalarView(scalars[start..<index])) }

  /// The text from the next scalar on.
  var rest: String { String(String.UnicodeScalarView(scalars[index...])) }

  mutating func take(while holds: (Unicode.Scalar) -> Bool) -> String {
    let start = index
    while let scalar = peek, holds(scalar) { index += 1 }
    return text(from: start)
  }

  /// Takes a text between quotes like the next scalar, in which two stand for one; nil if it is not closed.
  mutating func takeQuoted() -> String? {
    let quote = scalars[index]
    var text = String.UnicodeScalarView()
    index += 1
    while let scalar = peek {
      index += 1
      if scalar == quote {
        guard peek == quote else { return String(text) }
        index += 1
      }
      text.append(scalar)
    }
    return nil
  }
}

/// Characters of ASCII.
extension UInt8 {
  package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  package var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
}

/// The value of a plain decimal number: sign, digits, fraction, exponent, and nothing else.
///
/// `Double.init` alone would also take `inf`, `nan` and hexadecimal.
package func decimal(_ text: String) -> Double? {
  let hasOnlyNumberCharacters = text.utf8.allSatisfy {
    switch $0 {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }
  return hasOnlyNumberCharacters ? Double(text) : nil
}

package func isDecimal(_ text: String) -> Bool { decimal(text) != nil }

/// The whole number that a decimal is equal to: `2`, or `2.0` as in tables with gaps.
package func wholeNumber(_ token: String) -> Int? {
  Int(token) ?? decimal(token).flatMap(Int.init(exactly:))
}

/// A text for an error message, cut so that no record can flood a terminal.
package func shortened(_ text: String, to limit: Int = 40) -> String {
  let scalars = text.unicodeScalars
  guard scalars.count > limit else { return text }
  return String(String.UnicodeScalarView(scalars.prefix(limit - 1))) + "…"
}

/// A number with thousands separators, for people: `1,234,567`.
package func grouped(_ number: Int) -> String {
  let digits = Array(String(number.magnitude))
  var text = number < 0 ? "-" : ""
  for (position, digit) in digits.enumerated() {
    if position > 0, (digits.count - position).isMultiple(of: 3) { text += "," }
    text.append(digit)
  }
  return text
}

/// Units of distance, as the tool and the service accept them after a number.
package enum DistanceUnits {
  /// The meters in one of each unit, its suffix in lower case; longer suffixes come first.
  ///
  /// Mile and foot are the international ones of 1959, exact.
  private static let meters: [(suffix: String, meters: Double)] = [
    ("km", 1_000), ("mi", 1_609.344), ("ft", 0.3048), ("m", 1),
  ]

  /// The number in a text such as `1.5 km`, and the meters in its unit; without one these are
  /// meters.
  package static func split(_ text: String) -> (number: String, meters: Double) {
    let bare = text.trimmingBlanks
    let folded = bare.lowercased()
    guard let unit = meters.first(where: { folded.ends(with: $0.suffix) }) else { return (bare, 1) }
    let number = String(String.UnicodeScalarView(bare.unicodeScalars.dropLast(unit.suffix.count)))
    return (number.trimmingBlanks, unit.meters)
  }
}
