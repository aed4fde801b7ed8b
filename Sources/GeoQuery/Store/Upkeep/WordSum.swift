import GRDB

/// The words of the index on texts, and of the restaurants, as one number each: equal where each row has
/// the same words in both.
///
/// The sum of keyed hashes of all pairs of a word and its row, so that their order does not matter.
struct WordSum: Equatable {
  private var sum: UInt64 = 0
  private var count = 0

  /// FTS5 cuts longer words.
  private static let longestWord = 32_768

  /// The sum of the index, read from its own lists of words.
  ///
  /// - Parameter db: A connection that may make temporary tables; the caller undoes it.
  /// - Throws: `DatabaseError` where SQLite cannot read on.
  init(ofIndex db: Database) throws {
    try db.execute(
      sql: "CREATE VIRTUAL TABLE temp.geoq_words USING fts5vocab(main, geoq_text, instance)"
    )
    let words = try SQLStatement(db, "SELECT term, doc FROM temp.geoq_words")
    while try words.step() { add(words.bytes(0), row: words.integer(1)) }
  }

  /// The sum that the index should have.
  ///
  /// - Throws: `DatabaseError` where SQLite cannot read on.
  init(ofRestaurants db: Database) throws {
    let rows = try SQLStatement(db, "SELECT pk, \(TextIndex.columns) FROM restaurants")
    var words = FoldedWords()
    while try rows.step() {
      words.removeAll()
      words.add(rows, from: 1)
      // a word that stands twice in a row stands there once in the index
      var found: Set<ArraySlice<UInt8>> = []
      for word in words.words { found.insert(word.prefix(Self.longestWord)) }
      for word in found { word.withUnsafeBytes { add($0, row: rows.integer(0)) } }
    }
  }

  private mutating func add(_ word: UnsafeRawBufferPointer, row: Int64) {
    let key = SipHash.Key(low: UInt64(bitPattern: row), high: 0x776F_7264)
    sum &+= SipHash.short(word, key: key)
    count += 1
  }
}
