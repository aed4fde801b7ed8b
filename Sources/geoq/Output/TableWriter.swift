/// One column of a table for people.
struct TableColumn: Sendable {
  /// The side of the column at which its cells are aligned.
  enum Alignment: Sendable {
    /// Text.
    case left
    /// Numbers.
    case right
  }

  /// The title above the cells.
  let title: String
  /// The alignment of the title and the cells.
  var alignment = Alignment.left
  /// The minimum width of the column; `.max` never truncates its cells.
  var minimumWidth = Int.max
  /// If the columns do not fit, those with the lowest priority are dropped first.
  var priority = 0
}

/// Formats rows of text as a table that fits a terminal.
///
/// Columns are as wide as their widest cell. If that is too wide, the widest column shrinks first,
/// down to its minimum; if that is not enough, the column with the lowest priority is dropped (the
/// later of two equals). No line is wider than the terminal, and none ends in blanks.
///
///     let table = TableWriter(columns: [.init(title: "name"), .init(title: "distance")])
///     table.lines(for: [["Cattleack", "87 m"]], width: 80)
///     // ["name       distance", "Cattleack  87 m"]
struct TableWriter {
  /// The columns, left to right.
  let columns: [TableColumn]
  /// The style of the header line.
  var style = Style(isOn: false)

  private static let gap = 2

  /// The header line and one line per row.
  ///
  /// - Parameters:
  ///   - rows: One text per column; control characters in them are made visible.
  ///   - width: The columns of the terminal; `.max` shows everything in full.
  /// - Returns: The lines; empty if the table has no columns.
  /// - Complexity: O(*n*), *n* being the length of all cells.
  func lines(for rows: [[String]], width: Int) -> [String] {
    guard !columns.isEmpty else { return [] }
    let header = columns.map { terminalSafe($0.title) }
    let cells = rows.map { row in
      precondition(row.count == columns.count, "A row must have one text per column.")
      return row.map(terminalSafe)
    }
    let widths = fittedWidths(of: [header] + cells, into: max(1, width))
    return [style.bold(line(header, widths: widths))] + cells.map { line($0, widths: widths) }
  }

  /// The width of each column; `nil` if it is dropped.
  private func fittedWidths(of rows: [[String]], into total: Int) -> [Int?] {
    let natural = columns.indices.map { column in
      min(total, rows.reduce(0) { max($0, $1[column].displayWidth) })
    }
    let floors = zip(natural, columns).map { min($0, max(1, $1.minimumWidth)) }
    let shown = columnsThatFit(floors: floors, into: total)
    return shrink(natural, floors: floors, shown: shown, into: total)
  }

  /// The columns that remain when those of low priority are dropped until the others fit at their
  /// minimum width.
  private func columnsThatFit(floors: [Int], into total: Int) -> [Int] {
    var shown = Array(columns.indices)
    while shown.count > 1, Self.span(shown.map { floors[$0] }) > total {
      let lowest = shown.reversed().min { columns[$0].priority < columns[$1].priority }
      shown.removeAll { $0 == lowest }
    }
    return shown
  }

  /// Shrinks the widest column that can shrink, the less important of equals, until all fit.
  private func shrink(_ natural: [Int], floors: [Int], shown: [Int], into total: Int) -> [Int?] {
    var widths: [Int?] = columns.indices.map { shown.contains($0) ? natural[$0] : nil }
    var excess = Self.span(shown.map { natural[$0] }) - total
    let rank = { (column: Int) in (widths[column] ?? 0, -columns[column].priority) }
    while excess > 0 {
      let flexible = shown.filter { rank($0).0 > floors[$0] }
      guard let widest = flexible.max(by: { rank($0) < rank($1) }) else { break }
      widths[widest] = rank(widest).0 - 1
      excess -= 1
    }
    return widths
  }

  private func line(_ cells: [String], widths: [Int?]) -> String {
    var line = ""
    for (column, width) in widths.enumerated() {
      guard let width else { continue }
      let cell = cells[column].truncated(toWidth: width)
      let alignRight = columns[column].alignment == .right
      line += cell.padded(toWidth: width, alignRight: alignRight)
      line += String(repeating: " ", count: Self.gap)
    }
    var bytes = Substring(line).utf8
    while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
    return String(Substring(bytes))
  }

  /// The width of columns next to each other.
  private static func span(_ widths: [Int]) -> Int {
    widths.reduce(0, +) + gap * max(0, widths.count - 1)
  }
}

extension TableWriter {
  /// Prints rows: as a table on a terminal, otherwise separated by tabs, with a line of titles.
  static func print(
    _ columns: [TableColumn],
    _ rows: [[String]],
    color: ColorChoice
  ) throws {
    let rows = rows.map { $0.map(terminalSafe) }
    let terminal = Terminal(descriptor: CommandContext.current.output, color: color)
    let lines =
      terminal.isTTY
      ? TableWriter(columns: columns, style: terminal.style)
        .lines(for: rows, width: terminal.tableWidth)
      : ([columns.map(\.title)] + rows).map { $0.joined(separator: "\t") }
    try StandardStreams.print(lines.map { $0 + "\n" }.joined())
  }
}
