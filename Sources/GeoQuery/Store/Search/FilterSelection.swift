import GRDB
import GeoIndex

/// The rows that a filter takes: by the index on texts and the one on categories first, then by looking
/// at the rows that are left.
struct FilterSelection {
  private let db: Database
  private let filter: Filter
  private let hasIndexes: Bool

  init(_ filter: Filter, in db: Database) throws {
    self.db = db
    self.filter = filter
    hasIndexes = try TextIndex.exists(db)
  }

  /// The rows.
  ///
  /// - Complexity: O(rows that the indexes find) where the filter has a text, a category, or a field
  ///   with words that must equal something; else O(n).
  func rows() throws -> RowSet {
    if filter.hasTextWithoutWords { return RowSet() }
    var found: RowSet?
    func restrict(_ rows: RowSet) {
      if found == nil { found = rows } else { found?.formIntersection(rows) }
    }
    let words = FoldedWords(filter.text).words
    if !words.isEmpty { restrict(try rows(with: words)) }
    if !filter.categories.isEmpty { restrict(try rows(in: CategoryNames(filter.categories))) }
    guard !filter.conditions.isEmpty else { return found ?? RowSet() }
    for word in hintWords() { restrict(try rows(with: [word])) }
    return try rows(where: filter.conditions.map(ConditionSQL.init), among: found)
  }

  /// The rows that have a word beginning with each of some words.
  private func rows(with words: [ArraySlice<UInt8>]) throws -> RowSet {
    var found = RowSet()
    guard hasIndexes, let pattern = TextIndex.pattern(words) else {
      let texts = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
      return try scan(Filter(text: texts))
    }
    let rows = try SQLStatement(db, "SELECT rowid FROM geoq_text WHERE geoq_text MATCH ?")
    try rows.bind(pattern, at: 1) {
      while try rows.step() { found.insert(rows.integer(0)) }
    }
    return found
  }

  /// The rows of some categories.
  private func rows(in categories: CategoryNames) throws -> RowSet {
    guard hasIndexes else { return try scan(Filter(categories: filter.categories)) }
    var found = RowSet()
    let next = try SQLStatement(db, "SELECT min(category) FROM restaurants WHERE category > ?")
    let rows = try SQLStatement(db, "SELECT pk FROM restaurants WHERE category = ?")
    var name = try String.fetchOne(db, sql: "SELECT min(category) FROM restaurants")
    while let category = name {
      if categories.contain(category) {
        try rows.bind(category, at: 1) {
          while try rows.step() { found.insert(rows.integer(0)) }
        }
      }
      try next.bind(category, at: 1) {
        let isThere = try next.step() && next.bytes(0).baseAddress != nil
        name = isThere ? String(decoding: next.bytes(0), as: UTF8.self) : nil
        next.reset()
      }
    }
    return found
  }

  /// Looks at the texts of every row: in a database of an older version, and for words that the index
  /// on texts does not take.
  private func scan(_ filter: Filter) throws -> RowSet {
    var found = RowSet()
    guard let compiled = CompiledFilter(filter) else { return found }
    let rows = try SQLStatement(db, "SELECT pk, \(TextIndex.columns) FROM restaurants")
    while try rows.step() {
      let texts = (1...4).map { column in
        rows.bytes(column).baseAddress.map { _ in
          String(decoding: rows.bytes(column), as: UTF8.self)
        }
      }
      let row = FilterTexts(name: texts[0], category: texts[1], address: texts[2], city: texts[3])
      if compiled.matches(row) { found.insert(rows.integer(0)) }
    }
    return found
  }

  /// For each field with words that must equal a text: the first of that text's words, with which the
  /// field has a word beginning.
  ///
  /// The others may be parts of longer words: an apostrophe that folds to a space parts words of the
  /// value and not of the field.
  private func hintWords() -> [ArraySlice<UInt8>] {
    filter.conditions.compactMap { condition in
      guard condition.comparison == .equal, case .text(let value) = condition.operand,
        let field = RestaurantField(rawValue: condition.field.rawValue),
        TextIndex.fields.contains(field)
      else { return nil }
      return FoldedWords(value).words.first
    }
  }

  /// The rows of which conditions hold, among some rows or all.
  private func rows(where conditions: [ConditionSQL], among candidates: RowSet?) throws -> RowSet {
    var found = RowSet()
    let condition = conditions.map(\.sql).joined(separator: " AND ")
    let total = try Int.fetchOne(db, sql: "SELECT count(*) FROM restaurants") ?? 0
    let sql = "SELECT pk FROM restaurants WHERE \(condition)"
    // reading the table from its start to its end is four times as fast as row by row
    if let candidates, candidates.count * 4 < total {
      let row = try SQLStatement(db, sql + " AND pk = ?")
      for (place, condition) in conditions.enumerated() { condition.bind(row, at: place + 1) }
      try candidates.visit { number in
        row.bind(number, at: conditions.count + 1)
        if try row.step() { found.insert(number) }
        row.reset()
      }
      return found
    }
    let rows = try SQLStatement(db, sql)
    for (place, condition) in conditions.enumerated() { condition.bind(rows, at: place + 1) }
    while try rows.step() { found.insert(rows.integer(0)) }
    if let candidates { found.formIntersection(candidates) }
    return found
  }
}

extension StoreReader {
  /// The positions that a filter takes.
  ///
  /// - Parameters:
  ///   - filter: Any but the one that takes all.
  ///   - count: How many positions the index has.
  /// - Returns: The set, as large as the index.
  /// - Throws: `DatabaseError` where the file cannot be read.
  func positions(matching filter: Filter, count: Int) throws -> PositionSet {
    let rows = try FilterSelection(filter, in: db).rows()
    var positions = PositionSet(capacity: count)
    guard rows.count > 0 else { return positions }
    try Positions.visit(in: db) { position, row in
      if position < count, rows.contains(row) { positions.insert(position) }
    }
    return positions
  }
}
