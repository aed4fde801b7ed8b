/// Writes a header line and one line per match: CSV by RFC 4180, or tab-separated values.
///
/// Every key is a column, whether the answer uses it or not; `distance` only if the query has a
/// center. Lists are joined by `; ` (or are JSON if a line contains that), `extra` is JSON.
package struct DelimitedWriter: MatchWriter {
  /// How cells are separated.
  enum Style {
    /// RFC 4180: CRLF, quotes where needed. A text that a spreadsheet would run as a formula gets an
    /// apostrophe in front, see `FormulaGuard`.
    case csv
    /// Tabs, LF, and backslash escapes inside cells: a line is always one record.
    case tsv
  }

  /// The columns before those of the matches.
  var leadingNames: [String] = []

  /// The values of the next lines in these columns.
  var leadingValues: [JSONValue] = []

  private let style: Style
  private let isRaw: Bool
  private let requested: [RestaurantField]?
  private var columns: [RestaurantField] = []
  private var bytes: [UInt8] = []

  init(_ style: Style, fields: [RestaurantField]?, isRaw: Bool = false) {
    self.style = style
    self.isRaw = isRaw
    requested = fields
  }

  package var pendingCount: Int { bytes.count }

  package mutating func begin(_ summary: AnswerSummary) {
    columns = requested ?? RestaurantField.allCases.filter(summary.has)
    row(leadingNames + columns.map(\.rawValue))
  }

  package mutating func write(_ match: Match) {
    for (position, value) in leadingValues.enumerated() {
      separate(position)
      add(value)
    }
    for (position, field) in columns.enumerated() {
      separate(leadingValues.count + position)
      cell(field, match)
    }
    endLine()
  }

  /// Writes a line of texts.
  mutating func row(_ cells: [String]) {
    for (position, text) in cells.enumerated() {
      separate(position)
      add(text)
    }
    endLine()
  }

  package mutating func end() {}

  package mutating func takeBytes() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  private mutating func separate(_ position: Int) {
    if position > 0 { bytes.append(style == .csv ? UInt8(ascii: ",") : 0x09) }
  }

  private mutating func endLine() {
    if style == .csv { bytes.append(0x0D) }
    bytes.append(0x0A)
  }

  private mutating func cell(_ field: RestaurantField, _ match: Match) {
    if let text = match.restaurant.text(field) { return add(text) }
    if case .array(let lines)? = match[field] {
      add(Self.cell(of: lines.compactMap(\.asText)))
    } else if let value = match[field] {
      add(value)
    }
  }

  private mutating func add(_ value: JSONValue) {
    switch value {
    case .null: break
    case .string(let text): add(text)
    case .number(let token): bytes.append(contentsOf: token.utf8)
    default: style == .csv ? addQuoted(JSONWriter.of(value)) : add(JSONWriter.of(value))
    }
  }

  private static let lineSeparator = "; "

  /// Lines in one cell: joined, or as JSON if they could not be separated again.
  static func cell(of lines: [String]) -> String {
    // compares bytes, because every exported row passes here
    let looksLikeJSON = lines.first?.utf8.first == UInt8(ascii: "[")
    if !looksLikeJSON, !lines.contains(where: hasSeparator) {
      return lines.joined(separator: lineSeparator)
    }
    return JSONWriter.of(.array(lines.map(JSONValue.string)))
  }

  private static func hasSeparator(_ line: String) -> Bool {
    zip(line.utf8, line.utf8.dropFirst()).contains { $0 == UInt8(ascii: ";") && $1 == 0x20 }
  }

  /// The lines of a cell.
  package static func lines(of cell: String) -> [String] {
    cell.parts(between: lineSeparator)
  }

  private mutating func add(_ text: String) {
    guard style == .tsv else { return addQuoted(isRaw ? text : FormulaGuard.guarded(text)) }
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
