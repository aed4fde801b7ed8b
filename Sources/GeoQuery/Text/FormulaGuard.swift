/// Prevents spreadsheets from running a feed's text as a formula.
///
/// A cell that begins with `=`, `@`, a tab or a line end is a formula to some spreadsheets, and so
/// is one that begins with `+` or `-`, unless it is a number or a telephone number. A leading
/// apostrophe makes it text. A text that already has such an apostrophe gets another one, so that
/// removing one restores the text.
package enum FormulaGuard {
  private static let apostrophe = UInt8(ascii: "'")

  /// The text with a leading apostrophe if it needs one.
  static func guarded(_ text: String) -> String {
    let bare = text.utf8.drop { $0 == apostrophe }
    guard beginsFormula(bare.first) else { return text }
    let needsGuard = bare.startIndex > text.startIndex || !isNumber(bare)
    return needsGuard ? "'" + text : text
  }

  /// The text that `guarded` was given; a text with an apostrophe of its own (`'Ohana`) stays.
  package static func unguarded(_ cell: String) -> String {
    guard cell.utf8.first == apostrophe,
      beginsFormula(cell.utf8.drop(while: { $0 == apostrophe }).first)
    else { return cell }
    // a character may be more than the apostrophe: a combining mark may follow it
    return String(cell.unicodeScalars.dropFirst())
  }

  private static func beginsFormula(_ first: UInt8?) -> Bool {
    switch first {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"),
      0x09, 0x0A, 0x0D:
      true
    default: false
    }
  }

  /// Whether a text is a sign followed only by characters of numbers and telephone numbers.
  private static func isNumber(_ text: Substring.UTF8View) -> Bool {
    guard let first = text.first, first == UInt8(ascii: "+") || first == UInt8(ascii: "-") else {
      return false
    }
    return text.dropFirst().allSatisfy(numberBytes.contains)
      || isDecimal(String(Substring(text)))
  }

  private static let numberBytes = Set("0123456789 ()-./".utf8)
}
