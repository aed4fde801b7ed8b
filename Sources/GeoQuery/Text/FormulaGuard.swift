/// Keeps a spreadsheet from running a text of a feed as a formula.
///
/// A cell that begins with `=`, `+`, `-`, `@`, a tab or a line end is one to some spreadsheet. An
/// apostrophe in front makes it text; one that stood there already gets another, so that taking one
/// away gives the text back, whatever it was.
package enum FormulaGuard {
  private static let apostrophe = UInt8(ascii: "'")

  /// The text with an apostrophe in front where it needs one.
  static func guarded(_ text: String) -> String {
    isFormula(text.utf8.drop { $0 == apostrophe }.first) ? "'" + text : text
  }

  /// The text that `guarded` was given; a text with an apostrophe of its own (`'Ohana`) stays.
  package static func unguarded(_ cell: String) -> String {
    guard cell.utf8.first == apostrophe,
      isFormula(cell.utf8.drop(while: { $0 == apostrophe }).first)
    else { return cell }
    // a character may be more than the apostrophe: a combining mark may follow it
    return String(cell.unicodeScalars.dropFirst())
  }

  private static func isFormula(_ first: UInt8?) -> Bool {
    switch first {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"),
      0x09, 0x0A, 0x0D:
      true
    default: false
    }
  }
}
