import GRDB

/// The index on texts: an FTS5 table with the folded words of each restaurant's name, category, street
/// and city, by row.
///
/// `FoldedWords` folds, here as in every other comparison, so that SQLite has nothing left to decide:
/// its `ascii` tokenizer takes letters and digits of ASCII and everything beyond as parts of words, and
/// the rest of ASCII, of which only spaces are stored, as what parts them. The table keeps no text
/// (`content=''`), no places of words (`detail=none`) and no lengths (`columnsize=0`): 10 bytes a
/// restaurant. Who takes a row out must say which words it had.
enum TextIndex {
  static let creation = """
    CREATE VIRTUAL TABLE geoq_text USING fts5(
      words, content='', tokenize='ascii', detail=none, columnsize=0
    )
    """

  /// The fields with words, in the order of `columns`.
  static let fields: [RestaurantField] = [.name, .category, .address, .city]

  /// The fields as columns of a select.
  static let columns = fields.map(\.rawValue).joined(separator: ", ")

  /// Whether a database has the table: those of older versions do not until the next import.
  static func exists(_ db: Database) throws -> Bool {
    try db.tableIsThere("geoq_text")
  }

  /// Longer words and longer lists of words are looked for row by row: FTS5 cuts words at 32 KiB.
  private static let longest = (word: 1_000, list: 64)

  /// What to ask the table for the rows that have a word beginning with each of some words.
  ///
  /// Each word stands in quotes: MATCH is a language, and a word of it is none of its terms. Words have
  /// letters and digits only, never a quote.
  ///
  /// - Returns: Nil where the table must not be asked.
  static func pattern(_ words: [ArraySlice<UInt8>]) -> String? {
    guard words.count <= longest.list, words.allSatisfy({ $0.count <= longest.word }) else {
      return nil
    }
    return words.map { "\"" + String(decoding: $0, as: UTF8.self) + "\"*" }.joined(separator: " ")
  }

  /// Makes the index anew from the table of restaurants.
  static func rebuild(_ db: Database) throws {
    try db.execute(sql: "INSERT INTO geoq_text (geoq_text) VALUES ('delete-all')")
    let writer = try TextWriter(db)
    let rows = try SQLStatement(db, "SELECT pk, \(columns) FROM restaurants ORDER BY pk")
    var words = FoldedWords()
    while try rows.step() {
      words.removeAll()
      words.add(rows, from: 1)
      try writer.insert(words.bytes, row: rows.integer(0))
    }
  }
}

/// The statements that write the index on texts.
///
/// FTS5 gathers words in memory as long as rows ascend, and writes them whenever they do not.
struct TextWriter {
  private let insertion: SQLStatement
  private let deletion: SQLStatement

  init(_ db: Database) throws {
    insertion = try SQLStatement(db, "INSERT INTO geoq_text (rowid, words) VALUES (?, ?)")
    deletion = try SQLStatement(
      db,
      "INSERT INTO geoq_text (geoq_text, rowid, words) VALUES ('delete', ?, ?)"
    )
  }

  /// Adds the words of a row.
  func insert(_ words: [UInt8], row: Int64) throws {
    try run(insertion, words, row)
  }

  /// Takes a row out, given the words that it was added with.
  func delete(_ words: [UInt8], row: Int64) throws {
    try run(deletion, words, row)
  }

  private func run(_ statement: SQLStatement, _ words: [UInt8], _ row: Int64) throws {
    try words.withUnsafeBytes {
      statement.bind(row, at: 1)
      statement.bind(text: $0, at: 2)
      try statement.run()
    }
  }
}

extension FoldedWords {
  /// Adds the words of the texts in a row's columns, in the order of `TextIndex.fields`.
  mutating func add(_ row: SQLStatement, from first: Int) {
    for column in first..<first + TextIndex.fields.count { add(utf8: row.bytes(column)) }
  }

  /// Adds the words of a packed row.
  mutating func add(packed: UnsafeRawBufferPointer) {
    RowBatch.visitTexts(of: packed) { column, text in
      if Self.isIndexed[column] { add(utf8: text) }
    }
  }

  private static let isIndexed = Schema.fields.map(TextIndex.fields.contains)
}
