/// The text with terminal control characters made visible.
///
/// A feed's text may contain escape sequences that change a terminal's color or title, and bidi
/// controls that make one name look like another. Each such scalar becomes its number; everything
/// else stays.
///
///     terminalSafe("Taco\u{1B}[2J Bell")  // #"Taco\u{1b}[2J Bell"#
///
/// - Complexity: O(*n*), *n* being the length of the text; nothing is copied if all of it is safe.
func terminalSafe(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: \.isTerminalControl) else { return text }
  var safe = ""
  for scalar in text.unicodeScalars {
    if scalar.isTerminalControl {
      safe += "\\u{" + String(scalar.value, radix: 16) + "}"
    } else {
      safe.unicodeScalars.append(scalar)
    }
  }
  return safe
}

/// JSON text made safe for a terminal, which is still JSON.
///
/// Control characters can only be in strings, where they are escaped. Line ends and record
/// separators (RFC 8142) stay.
func terminalSafeJSON(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: { $0.isTerminalControl && $0.value >= 0x7F }) else {
    return text
  }
  var safe = ""
  for scalar in text.unicodeScalars {
    if scalar.isTerminalControl, scalar.value >= 0x7F {
      let digits = String(scalar.value, radix: 16)
      safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    } else {
      safe.unicodeScalars.append(scalar)
    }
  }
  return safe
}

/// The same for whole lines of output: tabs and line ends stay.
func terminalSafeLines(_ text: String) -> String {
  text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    .map { line in
      let cells = String(line).unicodeScalars.split(
        separator: "\t",
        omittingEmptySubsequences: false
      )
      let hasReturn = cells.last?.last == "\r"
      let safe = cells.map { terminalSafe(String($0)) }.joined(separator: "\t")
      return hasReturn ? safe.dropLast("\\u{d}".count) + "\r" : safe
    }
    .joined(separator: "\n")
}

extension Unicode.Scalar {
  /// Whether a terminal would interpret the scalar instead of drawing it.
  fileprivate var isTerminalControl: Bool {
    switch value {
    case 0x00...0x1F, 0x7F: true  // C0, including ESC, and DEL
    case 0x80...0x9F: true  // C1, the one-scalar forms of ESC sequences
    case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // bidi marks and controls
    case 0x2028...0x2029: true  // line and paragraph separators
    default: false
    }
  }
}
