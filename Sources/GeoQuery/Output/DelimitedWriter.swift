/// Writes a header line and one line per match: CSV by RFC 4180, or tab-separated values.
///
/// Every key is a column, whether the answer uses it or not; `distance` only where the query has a
/// centre. Lists are joined by `; `, `extra` is JSON.
struct DelimitedWriter: MatchWriter {
  /// How cells are kept apart.
  enum Style {
    /// RFC 4180: CRLF, quotes where needed. A text that a spreadsheet would run as a formula gets an
    /// apostrophe in front.
    case csv
    /// Tabs, LF, and backslash escapes inside cells: a line is always one record.
    case tsv
  }

  /// The input line that the next matches answer; with one, every line begins with it.
  var inputLine: Int?

  private let style: Style
  private let requested: [RestaurantField]?
  private var columns: [RestaurantField] = []
  private var text = ""

  init(_ style: Style, fields: [RestaurantField]?) {
    self.style = style
    requested = fields
  }

  var pendingCount: Int { text.utf8.count }

  mutating func begin(_ summary: AnswerSummary) {
    columns = requested ?? RestaurantField.allCases.filter(summary.has)
    line((inputLine == nil ? [] : ["line"]) + columns.map(\.rawValue))
  }

  mutating func write(_ match: Match) {
    line((inputLine.map { [String($0)] } ?? []) + columns.map { cell($0, match) })
  }

  mutating func end() {}

  mutating func takeBytes() -> [UInt8] {
    defer { text = "" }
    return Array(text.utf8)
  }

  private mutating func line(_ cells: [String]) {
    text += cells.joined(separator: style == .csv ? "," : "\t")
    text += style == .csv ? "\r\n" : "\n"
  }

  private func cell(_ field: RestaurantField, _ match: Match) -> String {
    switch match[field] {
    case nil: return ""
    case .string(let text)?: return escaped(text)
    case .array(let lines)?: return escaped(lines.compactMap(\.asText).joined(separator: "; "))
    case let value?: return style == .csv ? quoted(JSONText.of(value)) : escaped(JSONText.of(value))
    }
  }

  private func escaped(_ text: String) -> String {
    switch style {
    case .csv:
      let formulaStarts: Set<UInt8> = Set("=+-@\t\r".utf8)
      let isFormula = text.utf8.first.map(formulaStarts.contains) ?? false
      return quoted(isFormula ? "'" + text : text)
    case .tsv:
      guard text.utf8.contains(where: { $0 == 0x5C || $0 < 0x20 }) else { return text }
      return text.unicodeScalars.map { Self.tabEscapes[$0] ?? String($0) }.joined()
    }
  }

  private static let tabEscapes: [Unicode.Scalar: String] = [
    "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\",
  ]

  private func quoted(_ text: String) -> String {
    let needsQuotes = text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    guard needsQuotes else { return text }
    let doubled = text.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
    return "\"" + doubled + "\""
  }
}
