import GRDB

/// The rows whose words are other than they were, gathered while an import writes the rows: the index
/// on texts gets them in one go, in order of row.
struct TextChanges {
  /// Making the index anew costs a tenth of changing every entry.
  private static let changeCost = 10

  private struct Old {
    let row: Int64
    let words: [UInt8]
  }

  private var old: [Old] = []
  private var new: [Int64] = []
  private var words = FoldedWords()
  private let capacity: Int

  /// - Parameter rowCount: How many rows the table has, about.
  init(rowCount: Int) {
    capacity = rowCount / Self.changeCost + 100
  }

  /// Whether so much has changed that the index is made anew.
  private var isMuch: Bool { old.count + new.count > capacity }

  /// Notes a row that is new, or whose words are to be read again.
  mutating func add(_ row: Int64) {
    if !isMuch { new.append(row) }
  }

  /// Notes the words that a row had: the statement stands at it, with `TextIndex.fields` from a column on.
  mutating func remove(_ row: Int64, _ statement: SQLStatement, from first: Int) {
    guard !isMuch else { return }
    words.removeAll()
    words.add(statement, from: first)
    old.append(Old(row: row, words: words.bytes))
  }

  /// Writes what has changed; the table of restaurants is as it shall be.
  mutating func write(to db: Database) throws {
    if isMuch { return try TextIndex.rebuild(db) }
    guard !old.isEmpty || !new.isEmpty else { return }
    let writer = try TextWriter(db)
    for entry in old.sorted(by: { $0.row < $1.row }) {
      try writer.delete(entry.words, row: entry.row)
    }
    let rows = try SQLStatement(
      db,
      "SELECT \(TextIndex.columns) FROM restaurants WHERE pk = ?"
    )
    for row in new.sorted() {
      rows.bind(row, at: 1)
      if try rows.step() {
        words.removeAll()
        words.add(rows, from: 0)
        try writer.insert(words.bytes, row: row)
      }
      rows.reset()
    }
  }
}
