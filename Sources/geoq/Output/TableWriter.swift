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

  /// The header line and one line per row, control characters made visible; a width of `.max` shows all.
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
    try StandardStreams.print(lines: lines)
  }
}

extension String {
  /// The number of terminal columns the text takes.
  ///
  /// East Asian wide and fullwidth characters take two, combining marks, joiners and variation
  /// selectors none, and an emoji sequence always two. Control characters count as none:
  /// ``terminalSafe(_:)`` makes them visible first.
  ///
  ///     "Sushi 寿司".displayWidth  // 10
  ///
  /// - Complexity: O(*n*), *n* being the length of the text.
  var displayWidth: Int {
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return utf8.count }
    return reduce(0) { $0 + $1.displayWidth }
  }

  /// The text truncated to a width, with an ellipsis for the rest.
  ///
  /// No character is split, so the result may be narrower than the width, never wider.
  ///
  ///     "Cattleack Barbeque".truncated(toWidth: 10)  // "Cattleack…"
  func truncated(toWidth width: Int) -> String {
    guard width > 0 else { return "" }
    guard displayWidth > width else { return self }
    var kept = ""
    var room = width - 1  // one column for the ellipsis
    for character in self {
      room -= character.displayWidth
      guard room >= 0 else { break }
      kept.append(character)
    }
    return kept + "…"
  }

  /// The text padded with blanks to a width; unchanged if it is as wide or wider.
  func padded(toWidth width: Int, alignRight: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - displayWidth))
    return alignRight ? blanks + self : self + blanks
  }
}

extension Character {
  /// The columns of one grapheme cluster: the sum of its parts, except those drawn over the first.
  fileprivate var displayWidth: Int {
    var width = 0
    var first: Unicode.Scalar?
    var isJoined = false
    for scalar in unicodeScalars {
      if scalar == "\u{FE0F}", let first, first.properties.isEmoji {
        width = max(width, 2)  // emoji presentation: ❤ is narrow, ❤️ wide
      } else if first == nil || !(isJoined || scalar.properties.isEmojiModifier) {
        width += scalar.displayWidth
      }
      isJoined = scalar == "\u{200D}" && first?.properties.isEmoji == true
      first = first ?? scalar
    }
    return width
  }
}

extension Unicode.Scalar {
  fileprivate var displayWidth: Int {
    switch properties.generalCategory {
    case .control, .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    if isWide { return 2 }
    // the vowels and finals of a Hangul syllable are drawn into the block of its initial
    if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
    // terminals draw the soft hyphen
    return properties.isDefaultIgnorableCodePoint && value != 0xAD ? 0 : 1
  }

  /// Whether the scalar's East_Asian_Width is W or F, by binary search.
  private var isWide: Bool {
    var ranges = wideRanges[...]
    guard value >= 0x1100 else { return false }
    while !ranges.isEmpty {
      let middle = (ranges.startIndex + ranges.endIndex) / 2
      let range = wideRanges[middle]
      if range.contains(value) { return true }
      ranges = value < range.lowerBound ? ranges[..<middle] : ranges[(middle + 1)...]
    }
    return false
  }
}

/// East_Asian_Width W and F in ascending order, unassigned ideographs included.
///
/// Unicode 15.0, <https://www.unicode.org/Public/15.0.0/ucd/EastAsianWidth.txt>.
private let wideRanges: [ClosedRange<UInt32>] = [
  0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0,
  0x23F3...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F,
  0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5,
  0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26F5...0x26F5,
  0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728,
  0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
  0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55,
  0x2E80...0x2E99, 0x2E9B...0x2EF3, 0x2F00...0x2FD5, 0x2FF0...0x2FFB, 0x3000...0x303E,
  0x3041...0x3096, 0x3099...0x30FF, 0x3105...0x312F, 0x3131...0x318E, 0x3190...0x31E3,
  0x31F0...0x321E, 0x3220...0x3247, 0x3250...0x4DBF, 0x4E00...0xA48C, 0xA490...0xA4C6,
  0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE52,
  0xFE54...0xFE66, 0xFE68...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1_6FE0...0x1_6FE4,
  0x1_6FF0...0x1_6FF1, 0x1_7000...0x1_87F7, 0x1_8800...0x1_8CD5, 0x1_8D00...0x1_8D08,
  0x1_AFF0...0x1_AFF3, 0x1_AFF5...0x1_AFFB, 0x1_AFFD...0x1_AFFE, 0x1_B000...0x1_B122,
  0x1_B132...0x1_B132, 0x1_B150...0x1_B152, 0x1_B155...0x1_B155, 0x1_B164...0x1_B167,
  0x1_B170...0x1_B2FB, 0x1_F004...0x1_F004, 0x1_F0CF...0x1_F0CF, 0x1_F18E...0x1_F18E,
  0x1_F191...0x1_F19A, 0x1_F200...0x1_F202, 0x1_F210...0x1_F23B, 0x1_F240...0x1_F248,
  0x1_F250...0x1_F251, 0x1_F260...0x1_F265, 0x1_F300...0x1_F320, 0x1_F32D...0x1_F335,
  0x1_F337...0x1_F37C, 0x1_F37E...0x1_F393, 0x1_F3A0...0x1_F3CA, 0x1_F3CF...0x1_F3D3,
  0x1_F3E0...0x1_F3F0, 0x1_F3F4...0x1_F3F4, 0x1_F3F8...0x1_F43E, 0x1_F440...0x1_F440,
  0x1_F442...0x1_F4FC, 0x1_F4FF...0x1_F53D, 0x1_F54B...0x1_F54E, 0x1_F550...0x1_F567,
  0x1_F57A...0x1_F57A, 0x1_F595...0x1_F596, 0x1_F5A4...0x1_F5A4, 0x1_F5FB...0x1_F64F,
  0x1_F680...0x1_F6C5, 0x1_F6CC...0x1_F6CC, 0x1_F6D0...0x1_F6D2, 0x1_F6D5...0x1_F6D7,
  0x1_F6DC...0x1_F6DF, 0x1_F6EB...0x1_F6EC, 0x1_F6F4...0x1_F6FC, 0x1_F7E0...0x1_F7EB,
  0x1_F7F0...0x1_F7F0, 0x1_F90C...0x1_F93A, 0x1_F93C...0x1_F945, 0x1_F947...0x1_F9FF,
  0x1_FA70...0x1_FA7C, 0x1_FA80...0x1_FA88, 0x1_FA90...0x1_FABD, 0x1_FABF...0x1_FAC5,
  0x1_FACE...0x1_FADB, 0x1_FAE0...0x1_FAE8, 0x1_FAF0...0x1_FAF8, 0x2_0000...0x2_FFFD,
  0x3_0000...0x3_FFFD,
]

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
  replacingControls(in: text, from: 0) { "\\u{\($0)}" }
}

/// JSON text made safe for a terminal, which is still JSON.
///
/// Control characters can only be in strings, where they are escaped. Line ends and record
/// separators (RFC 8142) stay.
func terminalSafeJSON(_ text: String) -> String {
  replacingControls(in: text, from: 0x7F) { "\\u" + $0.leftPadded(4) }
}

/// Replaces control characters from a number on by an escape with their hexadecimal digits.
private func replacingControls(
  in text: String,
  from first: UInt32,
  by escape: (_ digits: String) -> String
) -> String {
  let isReplaced = { (scalar: Unicode.Scalar) in scalar.value >= first && scalar.isTerminalControl }
  guard text.unicodeScalars.contains(where: isReplaced) else { return text }
  var safe = ""
  for scalar in text.unicodeScalars {
    if isReplaced(scalar) {
      safe += escape(String(scalar.value, radix: 16))
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
