/// Writes lines of cells, as `csv` or `tsv`.
///
/// CSV is RFC 4180: CRLF, quotes where needed. A text that a spreadsheet would run as a formula gets an
/// apostrophe in front, see `FormulaGuard`. TSV has tabs, LF, and backslash escapes inside cells: a line is
/// always one record. Lists are joined by `; ` (or are JSON if a line contains that), `extra` is JSON.
package struct DelimitedWriter {
  /// The keys of matches, in the order of their columns.
  var columns: [RestaurantField] = []

  /// The lines since the last call of `takeBytes`.
  private(set) var bytes: [UInt8] = []

  private let isCSV: Bool
  private let isRaw: Bool

  package init(_ format: AnswerFormat, isRaw: Bool = false) {
    isCSV = format == .csv
    self.isRaw = isRaw
  }

  /// Writes a line of a match, after other values.
  mutating func write(_ match: Match, after leading: [JSONValue]) {
    row(leading + columns.map { match[$0].map(Self.cell) ?? .null })
  }

  package mutating func row(_ cells: [String]) { row(cells.map(JSONValue.string)) }

  /// Writes a line; a null is an empty cell.
  package mutating func row(_ cells: [JSONValue]) {
    for (position, value) in cells.enumerated() {
      if position > 0 { bytes.append(isCSV ? UInt8(ascii: ",") : 0x09) }
      switch value {
      case .null: break
      case .string(let text): add(text)
      case .number(let token): bytes.append(contentsOf: token.utf8)
      default: isCSV ? addQuoted(JSONWriter.of(value)) : add(JSONWriter.of(value))
      }
    }
    if isCSV { bytes.append(0x0D) }
    bytes.append(0x0A)
  }

  package mutating func takeBytes() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  private static let lineSeparator = "; "

  /// A list of texts in one cell, joined, or as JSON if that is ambiguous; any other value
  /// unchanged.
  static func cell(of value: JSONValue) -> JSONValue {
    guard case .array(let values) = value else { return value }
    let lines = values.compactMap(\.asText)
    // compares bytes, because every exported row passes here
    let looksLikeJSON = lines.first?.utf8.first == UInt8(ascii: "[")
    if !looksLikeJSON, !lines.contains(where: hasSeparator) {
      return .string(lines.joined(separator: lineSeparator))
    }
    return .string(JSONWriter.of(.array(lines.map(JSONValue.string))))
  }

  private static func hasSeparator(_ line: String) -> Bool {
    zip(line.utf8, line.utf8.dropFirst()).contains { $0 == UInt8(ascii: ";") && $1 == 0x20 }
  }

  /// The lines of a cell.
  package static func lines(of cell: String) -> [String] { cell.parts(between: lineSeparator) }

  private mutating func add(_ text: String) {
    guard !isCSV else { return addQuoted(isRaw ? text : FormulaGuard.guarded(text)) }
    for byte in text.utf8 {
      switch byte {
      case 0x09: bytes.append(contentsOf: "\\t".utf8)
      case 0x0A: bytes.append(contentsOf: "\\n".utf8)
      case 0x0D: bytes.append(contentsOf: "\\r".utf8)
      case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
      default: bytes.append(byte)
      }
    }
  }

  private mutating func addQuoted(_ text: String) {
    let quote = UInt8(ascii: "\"")
    let needsQuotes = text.utf8.contains {
      $0 == quote || $0 == UInt8(ascii: ",") || $0 == 0x0A || $0 == 0x0D
    }
    guard needsQuotes else {
      bytes.append(contentsOf: text.utf8)
      return
    }
    bytes.append(quote)
    for byte in text.utf8 {
      if byte == quote { bytes.append(quote) }
      bytes.append(byte)
    }
    bytes.append(quote)
  }
}

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
