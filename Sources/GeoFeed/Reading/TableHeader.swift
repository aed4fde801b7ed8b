import GeoQuery

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
      var scanner = RowScanner(window.bytes, from: start, separator: separator)
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
  static func separator(
    of window: FeedWindow,
    format: FeedFormat?,
    columns: ChosenColumns,
    needsName: Bool
  ) -> UInt8? {
    let synonyms = FieldAliases(columns)
    let asked = Set(columns.all.map { UTF8Key(bareName($0)) })
    let candidates = format == .tsv ? [0x09] : separators
    // below a title, which need not be divided
    let below = candidates.first { separator in
      rows(of: window, separator, titleCount).dropFirst()
        .contains { namesAll($0, needsName: needsName) }
    }
    return candidates.map { separator -> (separator: UInt8, count: Int) in
      var scanner = RowScanner(window.bytes, from: window.position, separator: separator)
      let cells = scanner.row().cells.map(\.trimmed)
      guard cells.count >= 2, !scanner.isInQuotes else { return (separator, 0) }
      let isKnown =
        synonyms.findsPosition(in: members(cells))
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

  /// Checks the names.
  ///
  /// - Parameters:
  ///   - cells: The names.
  ///   - columns: The names chosen by the user.
  ///   - needsName: Whether the records need a name.
  ///   - rows: The cells of the first records.
  /// - Throws: `FeedProblem` if two columns that are needed have one name, or if no position or no
  ///   name can be found.
  init(
    _ cells: [String],
    columns: ChosenColumns,
    needsName: Bool = true,
    rows: [[String]] = []
  ) throws(FeedProblem) {
    names = Self.uniqueNames(cells)
    let all = names
    // which of two names is the restaurant's cannot be told
    var needed: Set<UTF8Key> = []
    for cell in cells where FieldAliases(columns).isNeeded(cell) {
      guard needed.insert(UTF8Key(cell.trimmed)).inserted else {
        throw FeedProblem("the header names \"\(shortened(cell.trimmed))\" twice")
      }
    }
    self.columns = try columns.map { (asked: String) throws(FeedProblem) in
      try Self.column(asked, in: all)
    }
    let synonyms = FieldAliases(self.columns)
    let hasPosition = ([[]] + rows).contains {
      synonyms.findsPosition(in: Self.members(all, $0))
    }
    let hasName = !needsName || synonyms.findsName(among: names)
    guard !hasPosition || !hasName else { return }
    let what = [hasPosition ? nil : "latitude and longitude", hasName ? nil : "name"]
    let advice = [
      hasPosition ? nil : "--lat-col and --lon-col (or --point-col for WKT)",
      hasName ? nil : "--name-col",
    ]
    throw FeedProblem(
      "no \(what.compactMap(\.self).joined(separator: ", no ")) in the header (\(Self.list(names))); "
        + "give \(hasPosition ? "its column" : "the columns") with "
        + advice.compactMap(\.self).joined(separator: " and ")
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

  /// Whether the cells of a line name a position, and the name of a restaurant if that is needed.
  static func namesAll(_ cells: [String], needsName: Bool) -> Bool {
    let (names, synonyms) = (cells.map(\.trimmed), FieldAliases())
    return synonyms.findsPosition(in: members(names))
      && (!needsName || synonyms.findsName(among: names))
  }

  /// Whether the cells of a line name a position or the name of a restaurant.
  static func namesAny(_ cells: [String]) -> Bool {
    let (names, synonyms) = (cells.map(\.trimmed), FieldAliases())
    return synonyms.findsPosition(in: members(names)) || synonyms.findsName(among: names)
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
