import GeoQuery

/// Reads the rows of a table (RFC 4180): commas, semicolons, tabs or pipes.
///
/// Cells are texts, and their types are not guessed. A quoted cell may contain line ends; a quote
/// inside an unquoted cell is an ordinary character. A blank line is not a row. The apostrophe that
/// prevents a spreadsheet from running a text as a formula is removed (`FormulaGuard`), except in
/// tables with tabs. Tables with tabs that geoq wrote have backslash escapes instead of quotes.
struct TableReader {
  let header: TableHeader

  /// Whether geoq wrote the table.
  let isOwn: Bool

  private let separator: UInt8

  /// The columns whose numbers may have a decimal comma.
  private let decimals: [Bool]

  /// Reads the header line, if there is one.
  init(_ window: inout FeedWindow, separator: UInt8, options: FeedReader) throws {
    self.separator = separator
    let start = window.offset
    let count = TableHeader.rows(of: window, separator, 1).first?.count ?? 0
    var cells: [String] = []
    switch options.table.header {
    case .firstLine:
      try Self.skipTitle(of: &window, separator, options)
      if let row = try Self.row(in: &window, separator), row.problem == nil { cells = row.cells }
      if Self.rowsEndWithSeparator(window, separator, count: cells.count) { cells.append("") }
    case .missing: cells = (0..<count).map { "column \($0 + 1)" }
    case .names(let names):
      cells = names
      guard count == names.count || count == 0 else {
        let problem = "the first line has \(count) cells, but \(names.count) names are given"
        throw FeedFault(problem, at: start)
      }
    }
    do throws(FeedProblem) {
      let rows = TableHeader.rows(of: window, separator, FeedRecognition.sampleCount)
      header = try TableHeader(cells, options, rows)
    } catch {
      throw FeedFault(error, at: start)
    }
    isOwn =
      options.columns.isEmpty && options.table.header == .firstLine
      && OwnRecord.isHeader(header.names)
    let (names, aliases) = (header.names, FieldAliases(header.columns))
    let keepsCells = isOwn || options.readsPoints
    let numbers: [RestaurantField] = [.latitude, .longitude, .rating, .ratingScale]
    decimals = keepsCells ? [] : names.map { aliases.means($0, any: numbers) }
  }

  /// Skips lines above the header, such as a title and a date: if the first line names neither a
  /// position nor a restaurant, the header is the first one that names both.
  private static func skipTitle(
    of window: inout FeedWindow,
    _ separator: UInt8,
    _ options: FeedReader
  ) throws {
    let rows = TableHeader.rows(of: window, separator, TableHeader.titleCount)
    let found = rows.map(TableHeader.finds)
    guard options.columns.isEmpty,
      let header = found.firstIndex(where: { $0.position && ($0.name || options.readsPoints) }),
      header > 0, !found[..<header].contains(where: { $0.position || $0.name })
    else { return }
    for _ in 0..<header { _ = try row(in: &window, separator) }
  }

  /// Whether the rows end with a separator but the header does not, as in some exports.
  ///
  /// The first rows, two to five of them, must have one cell more than the header, and it must be empty.
  private static func rowsEndWithSeparator(
    _ window: FeedWindow,
    _ separator: UInt8,
    count: Int
  ) -> Bool {
    let rows = TableHeader.rows(of: window, separator, 5)
    return rows.count >= 2
      && rows.allSatisfy { $0.count == count + 1 && $0.last?.isEmpty == true }
  }

  /// The next row as an object of texts, or nil after the last.
  func next(in window: inout FeedWindow) throws -> RecordText? {
    let isEscaped = isOwn && separator == 0x09
    guard let row = try Self.row(in: &window, separator, hasQuotes: !isEscaped) else { return nil }
    if let line = row.lineOfTooLong {
      return RecordText(content: .tooLong, range: row.range, line: line)
    }
    // spreadsheets omit empty cells at the end of a row, and others add some
    let isSurplus = !row.cells.dropFirst(header.names.count).allSatisfy { $0.trimmed.isEmpty }
    var surplus: String {
      "the row has \(row.cells.count) cell\(row.cells.count == 1 ? "" : "s"); "
        + "the header has \(header.names.count)"
    }
    if let problem = row.problem ?? (isSurplus ? surplus : nil) {
      let error = JSONSyntaxError(offset: row.range.lowerBound, problem: problem)
      return RecordText(content: .broken(error), range: row.range)
    }
    var members: [JSONMember] = []
    members.reserveCapacity(row.cells.count)
    for (position, name) in header.names.enumerated() where position < row.cells.count {
      let cell = row.cells[position]
      if cell.isEmpty { continue }
      var text =
        isEscaped ? Self.unescaped(cell) : separator == 0x09 ? cell : FormulaGuard.unguarded(cell)
      if !decimals.isEmpty, decimals[position] { text = Self.withPoint(text) }
      members.append(JSONMember(name: name, value: .string(text)))
    }
    return RecordText(content: .value(.object(members)), range: row.range)
  }

  /// A number with a decimal point instead of a comma: `48,2082`, which many languages write.
  private static func withPoint(_ cell: String) -> String {
    guard cell.utf8.count <= 40, cell.utf8.filter({ $0 == UInt8(ascii: ",") }).count == 1 else {
      return cell
    }
    let number = cell.replacing(",", with: ".")
    return isDecimal(number.trimmed) ? number : cell
  }

  /// The text that the writer escaped.
  private static func unescaped(_ cell: String) -> String {
    guard cell.utf8.contains(UInt8(ascii: "\\")) else { return cell }
    var text = ""
    var rest = cell.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let next = rest.first, let meant = escapes[next] else {
        text.unicodeScalars.append(scalar)
        continue
      }
      text.unicodeScalars.append(meant)
      rest.removeFirst()
    }
    return text
  }

  private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
    "t": "\t", "n": "\n", "r": "\r", "\\": "\\",
  ]

  private struct Row {
    var cells: [String] = []
    var problem: String?
    var range = 0..<0
    /// The line of its start, if it is too long.
    var lineOfTooLong: Int?
  }

  private static func row(
    in window: inout FeedWindow,
    _ separator: UInt8,
    hasQuotes: Bool = true
  ) throws -> Row? {
    let before = window.offset
    try window.fill(to: 1)
    while let next = window.next, next == 0x0A || next == 0x0D {
      window.position += 1
      try window.checkBlank(since: before)
      try window.fill(to: 1)
    }
    guard window.next != nil else { return nil }
    while true {
      let start = window.position
      var scanner = RowScanner(
        bytes: window.bytes,
        position: start,
        separator: separator,
        hasQuotes: hasQuotes
      )
      let row = scanner.row()
      let isWhole = scanner.position < window.bytes.count || window.isAtEnd
      if isWhole, scanner.isInQuotes {
        throw FeedFault("the feed ends inside a quoted cell", at: window.offset)
      }
      guard scanner.position - start <= FeedReader.maximumRecordBytes else {
        return try skipLongRow(in: &window)
      }
      if isWhole {
        window.position = scanner.position
        let range = window.base + start..<window.offset
        return Row(cells: row.cells, problem: row.problem, range: range)
      }
      _ = try window.fill()
    }
  }

  /// Skips to the next line after a row that is too long.
  ///
  /// - Throws: `FeedFault` if it contains a quote: an unclosed quote would consume the following
  ///   rows, so their starts are unknown.
  private static func skipLongRow(in window: inout FeedWindow) throws -> Row {
    let start = window.offset
    let line = window.line(at: start)
    while true {
      let rest = window.bytes[window.position...]
      let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D }
      if rest[..<(end ?? rest.endIndex)].contains(UInt8(ascii: "\"")) {
        throw FeedFault(
          "a row has more than \(FeedReader.maximumRecordBytes >> 20) MiB; is a quote not closed?",
          at: start,
          line: line
        )
      }
      window.position = end ?? rest.endIndex
      if try end != nil || !window.fill() { break }
    }
    return Row(range: start..<window.offset, lineOfTooLong: line)
  }
}

/// Splits a row into its cells, byte by byte.
struct RowScanner {
  let bytes: [UInt8]

  /// The current index: at the start of a row; then at a line end, or at the end of the bytes.
  private(set) var position: Int

  let separator: UInt8

  /// Whether a quote at a cell's start encloses the cell.
  var hasQuotes = true

  /// Whether the bytes end inside a quoted cell.
  private(set) var isInQuotes = false

  private static let quote = UInt8(ascii: "\"")

  /// The cells of the row that begins here, and its problem, if there is one.
  mutating func row() -> (cells: [String], problem: String?) {
    var cells: [String] = []
    var problem: String?
    while true {
      if hasQuotes, position < bytes.count, bytes[position] == Self.quote {
        cells.append(quotedCell())
        if !isAtCellEnd {
          problem = problem ?? "cell \(cells.count) has text after its closing quote"
          skipCell()
        }
      } else {
        let start = position
        skipCell()
        cells.append(String(decoding: bytes[start..<position], as: UTF8.self))
      }
      guard position < bytes.count, bytes[position] == separator else { return (cells, problem) }
      position += 1
    }
  }

  private var isAtCellEnd: Bool {
    guard position < bytes.count else { return true }
    let byte = bytes[position]
    return byte == separator || byte == 0x0A || byte == 0x0D
  }

  private mutating func skipCell() {
    bytes.withUnsafeBufferPointer { all in
      while position < all.count {
        let byte = all[position]
        if byte == separator || byte == 0x0A || byte == 0x0D { return }
        position += 1
      }
    }
  }

  /// Reads from an opening quote to after the closing one; two quotes inside are one.
  private mutating func quotedCell() -> String {
    position += 1
    isInQuotes = true
    let start = position
    var doubled = false
    while position < bytes.count {
      guard bytes[position] == Self.quote else {
        position += 1
        continue
      }
      if position + 1 < bytes.count, bytes[position + 1] == Self.quote {
        doubled = true
        position += 2
        continue
      }
      let cell = bytes[start..<position]
      position += 1
      isInQuotes = false
      return doubled ? Self.undoubled(cell) : String(decoding: cell, as: UTF8.self)
    }
    return ""
  }

  private static func undoubled(_ cell: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(cell.count)
    var isSecond = false
    for byte in cell {
      isSecond = byte == quote && !isSecond
      // of two quotes the first is skipped
      if byte != quote || isSecond { text.append(byte) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// The header line of a table.
struct TableHeader {
  /// The columns' names, trimmed and unique.
  let names: [String]

  /// The user's column names, replaced by the table's own names.
  let columns: ChosenColumns

  /// Whether it is the header of Foursquare's open-source places.
  var isFoursquare: Bool { has("fsq_place_id") && has("locality") }

  static let separators: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09, UInt8(ascii: "|")]

  /// The number of lines among which the header is looked for.
  static let titleCount = 20

  /// The cells of the next rows that are not blank, as far as they are buffered.
  static func rows(of window: FeedWindow, _ separator: UInt8, _ limit: Int) -> [[String]] {
    var (rows, position) = ([[String]](), window.position)
    while rows.count < limit,
      let start = window.bytes[position...].firstIndex(where: { $0 != 0x0A && $0 != 0x0D })
    {
      var scanner = RowScanner(bytes: window.bytes, position: start, separator: separator)
      rows.append(scanner.row().cells)
      position = scanner.position
    }
    return rows
  }

  /// The byte that separates the cells of the first line; nil if that line is not a header.
  ///
  /// It is the one with which a position is found, and of several the one with the most cells.
  ///
  /// A header has two or more names, each beginning with a letter, `_`, `@`, `#` or a quote.
  static func separator(of window: FeedWindow, _ options: FeedReader) -> UInt8? {
    let aliases = FieldAliases(options.columns)
    let asked = Set(options.columns.all.map { UTF8Key(bareName($0)) })
    let candidates = options.format == .tsv ? [0x09] : separators
    // below a title, which need not be divided
    let below = candidates.first { separator in
      rows(of: window, separator, titleCount).dropFirst().map(finds)
        .contains { $0.position && ($0.name || options.readsPoints) }
    }
    return candidates.map { separator -> (separator: UInt8, count: Int) in
      var scanner = RowScanner(bytes: window.bytes, position: window.position, separator: separator)
      let cells = scanner.row().cells.map(\.trimmed)
      guard cells.count >= 2, !scanner.isInQuotes else { return (separator, 0) }
      let isKnown =
        aliases.findsPosition(in: members(cells))
        || (!asked.isEmpty && asked.isSubset(of: cells.map { UTF8Key(bareName($0)) }))
      let isHeader =
        isKnown || cells.allSatisfy { $0.unicodeScalars.first.map(Self.beginsName) ?? true }
      // larger than the number of cells of any line
      return (separator, isHeader ? cells.count + (isKnown ? 1 << 40 : 0) : 0)
    }
    .filter { $0.count > 0 }
    .max { $0.count < $1.count }?
    .separator ?? below
  }

  /// The byte that splits each of the first lines into the same number of cells, two or more, and
  /// that number.
  static func guess(of window: FeedWindow) -> (separator: UInt8, count: Int)? {
    separators.compactMap { separator -> (separator: UInt8, count: Int)? in
      let counts = Set(rows(of: window, separator, 5).map(\.count))
      guard counts.count == 1, let count = counts.first, count >= 2 else { return nil }
      return (separator, count)
    }
    .max { $0.count < $1.count }
  }

  /// Checks the names, with the cells of the first records.
  init(_ cells: [String], _ options: FeedReader, _ rows: [[String]]) throws(FeedProblem) {
    names = Self.uniqueNames(cells)
    let all = names
    // which of two names is the restaurant's cannot be told
    var needed: Set<UTF8Key> = []
    let asked = FieldAliases(options.columns)
    for cell in cells where asked.means(cell, any: FieldAliases.keys) {
      guard needed.insert(UTF8Key(cell.trimmed)).inserted else {
        throw FeedProblem("the header names \"\(shortened(cell.trimmed))\" twice")
      }
    }
    var columns = options.columns
    for (field, name) in columns.names { columns.names[field] = try Self.column(name, in: all) }
    if let point = columns.point { columns.point = try Self.column(point, in: all) }
    self.columns = columns
    let aliases = FieldAliases(columns)
    let hasPosition = ([[]] + rows).contains {
      aliases.findsPosition(in: Self.members(all, $0))
    }
    let hasName = options.readsPoints || aliases.findsName(among: names)
    guard !hasPosition || !hasName else { return }
    let what = [hasPosition ? nil : "latitude and longitude", hasName ? nil : "name"]
    let remedy: Remedy =
      hasPosition ? .nameColumn : hasName ? .positionColumns : .positionAndNameColumns
    throw FeedProblem(
      "no \(what.compactMap(\.self).joined(separator: ", no ")) in the header (\(Self.list(names))); \(remedy)"
    )
  }

  /// The names of columns: a second `notes` is `notes_2`, and one without a name is `column 3`.
  private static func uniqueNames(_ cells: [String]) -> [String] {
    let given = Set(cells.map { UTF8Key($0.trimmed) })
    var seen: Set<UTF8Key> = []
    return cells.enumerated().map { position, cell in
      // a separator at the end of the header makes an unnamed column
      let name = cell.trimmed.isEmpty ? "column \(position + 1)" : cell.trimmed
      if seen.insert(UTF8Key(name)).inserted { return name }
      var number = 2
      while given.contains(UTF8Key("\(name)_\(number)"))
        || !seen.insert(UTF8Key("\(name)_\(number)")).inserted
      {
        number += 1
      }
      return "\(name)_\(number)"
    }
  }

  /// Whether the cells of a line name a position, and the name of a restaurant.
  static func finds(_ cells: [String]) -> (position: Bool, name: Bool) {
    let (names, aliases) = (cells.map(\.trimmed), FieldAliases())
    return (aliases.findsPosition(in: members(names)), aliases.findsName(among: names))
  }

  private static func members(_ names: [String], _ row: [String] = []) -> [JSONMember] {
    names.enumerated().map { position, name in
      let cell = position < row.count ? row[position] : ""
      return JSONMember(name: name, value: .string(cell))
    }
  }

  private static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar == "_" || scalar == "@" || scalar == "#"
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(30).map { "\"\(shortened($0))\"" }.joined(separator: ", ")
      + (names.count > 30 ? " and \(names.count - 30) more" : "")
  }

  private func has(_ name: String) -> Bool {
    names.contains { UTF8Key($0) == UTF8Key(name) }
  }

  /// The column that a user means: by its name, its bare name, or its number.
  private static func column(_ asked: String, in names: [String]) throws(FeedProblem) -> String {
    let bare = UTF8Key(bareName(asked))
    if let found = names.first(where: { UTF8Key($0) == UTF8Key(asked) })
      ?? names.first(where: { UTF8Key(bareName($0)) == bare })
    {
      return found
    }
    if let number = Int(asked), names.indices.contains(number - 1) { return names[number - 1] }
    throw FeedProblem("the header has no column \"\(shortened(asked))\"; it has \(list(names))")
  }
}
