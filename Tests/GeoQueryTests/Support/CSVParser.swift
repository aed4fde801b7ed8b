/// A small reader of RFC 4180, strict, written apart from the writer it checks.
struct CSVParser {
  private var rest: Substring.UnicodeScalarView

  /// All records of a text, or nil if it breaks the grammar.
  static func records(of text: String) -> [[String]]? {
    var parser = CSVParser(rest: text[...].unicodeScalars)
    var records: [[String]] = []
    while !parser.rest.isEmpty {
      guard let record = parser.record() else { return nil }
      records.append(record)
    }
    return records
  }

  private mutating func record() -> [String]? {
    var cells: [String] = []
    while true {
      guard let cell = rest.first == "\"" ? quotedCell() : plainCell() else { return nil }
      cells.append(cell)
      switch rest.popFirst() {
      case ",": continue
      case "\r": return rest.popFirst() == "\n" ? cells : nil
      default: return nil
      }
    }
  }

  private mutating func plainCell() -> String? {
    var cell = ""
    while let next = rest.first, next != ",", next != "\r" {
      if next == "\"" || next == "\n" { return nil }
      cell.unicodeScalars.append(next)
      rest.removeFirst()
    }
    return cell
  }

  private mutating func quotedCell() -> String? {
    var cell = ""
    rest.removeFirst()
    while let next = rest.popFirst() {
      if next == "\"" {
        guard rest.first == "\"" else { return cell }
        rest.removeFirst()
      }
      cell.unicodeScalars.append(next)
    }
    return nil
  }
}
