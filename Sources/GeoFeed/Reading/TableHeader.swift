import GeoQuery

/// The header line of a table.
struct TableHeader {
  /// The columns' names, trimmed, each different from the others.
  let names: [String]

  /// Whether it is that of Foursquare's open-source places.
  var isFoursquare: Bool { has("fsq_place_id") && has("locality") }

  private static let separators: [UInt8] = [
    UInt8(ascii: ","), UInt8(ascii: ";"), 0x09,
  ]

  /// The byte that keeps the cells of the first line apart; nil where that line is no header.
  ///
  /// It is the one by which a position is found, and of several the one that makes the most cells. A
  /// header has two names or more, each beginning with a letter, `_`, `@` or a quote.
  static func separator(
    of window: FeedWindow,
    format: FeedFormat?,
    columns: ColumnNames
  ) -> UInt8? {
    let synonyms = MemberSynonyms(columns)
    let candidates = format == .tsv ? [0x09] : separators
    return candidates.map { separator -> (separator: UInt8, count: Int) in
      var scanner = RowScanner(window.bytes, from: window.position, separator: separator)
      let cells = scanner.row().cells.map(\.trimmed)
      let isHeader =
        cells.count >= 2 && !scanner.isInQuotes
        && cells.allSatisfy { $0.unicodeScalars.first.map(Self.beginsName) ?? true }
      // more than any line has cells
      let bonus = synonyms.findsPosition(among: cells) ? 1 << 40 : 0
      return (separator, isHeader ? cells.count + bonus : 0)
    }
    .filter { $0.count > 0 }
    .max { $0.count < $1.count }?
    .separator
  }

  /// Checks the names.
  ///
  /// - Throws: `FeedProblem` where two are the same, where no position can be found, or where the
  ///   table is of a kind that is known but not read.
  init(_ cells: [String], columns: ColumnNames) throws(FeedProblem) {
    // a separator at the end of the header makes a column without a name
    names = cells.enumerated().map { position, cell in
      let name = cell.trimmed
      return name.isEmpty ? "column \(position + 1)" : name
    }
    var seen: Set<ByteKey> = []
    if let twice = names.first(where: { !seen.insert(ByteKey($0)).inserted }) {
      throw FeedProblem("the header names \"\(shortened(twice))\" twice")
    }
    let folded = Set(names.map { ByteKey($0.lowercased()) })
    if folded.isSuperset(of: ["camis", "dba", "boro"]) {
      throw FeedProblem(
        "this is New York's table of restaurant inspections, which geoq does not read: it has a row "
          + "for each violation; keep one row per CAMIS, and name the columns otherwise"
      )
    }
    try check(columns)
    let synonyms = MemberSynonyms(columns)
    guard synonyms.findsPosition(among: names) else {
      throw FeedProblem(
        "the header names no latitude and longitude ("
          + names.prefix(8).map { "\"\(shortened($0))\"" }.joined(separator: ", ")
          + "); name their columns with --lat-col and --lon-col, or --point-col for WKT"
      )
    }
  }

  private static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar == "_" || scalar == "@"
  }

  private func has(_ name: String) -> Bool {
    names.contains { ByteKey($0) == ByteKey(name) }
  }

  private func check(_ columns: ColumnNames) throws(FeedProblem) {
    let asked =
      columns.names.values.sorted { ByteKey($0) < ByteKey($1) } + [columns.point].compactMap(\.self)
    guard let missing = asked.first(where: { !has($0) }) else { return }
    throw FeedProblem(
      "the header has no column \"\(shortened(missing))\"; it has "
        + names.prefix(20).map { "\"\(shortened($0))\"" }.joined(separator: ", ")
    )
  }
}
