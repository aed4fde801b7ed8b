import GRDB

/// Finds the ids that a mistyped one was most likely meant to be.
struct SimilarIDs {
  private let db: Database

  init(_ db: Database) {
    self.db = db
  }

  /// The three most similar of the ids that begin alike, or whose restaurants have its words.
  ///
  /// - Complexity: O(log n) and some hundred comparisons.
  func ids(like id: String) throws -> [String] {
    let key = Array(id.utf8.prefix(200))
    guard !key.isEmpty else { return [] }
    let candidates = try neighbors(of: id) + byWords(of: id)
    let ranked = Set(candidates.map(ByteKey.init)).map { candidate in
      (id: candidate, errors: Self.errors(key, Array(candidate.text.utf8.prefix(200))))
    }
    return
      ranked
      .filter { $0.errors * 2 <= key.count }
      .sorted { ($0.errors, $0.id) < ($1.errors, $1.id) }
      .prefix(3).map(\.id.text)
  }

  /// The ids before and after it in order.
  private func neighbors(of id: String) throws -> [String] {
    try ["> ?1 ORDER BY id", "< ?1 ORDER BY id DESC"].flatMap { condition in
      try String.fetchAll(
        db,
        sql: "SELECT id FROM restaurants WHERE id \(condition) LIMIT 20",
        arguments: [id]
      )
    }
  }

  /// Ids are made of names: restaurants with its words, or all but one of them.
  private func byWords(of id: String) throws -> [String] {
    let words = FoldedWords(id).words.filter { $0.count > 1 }.prefix(8)
    guard !words.isEmpty, try TextIndex.exists(db) else { return [] }
    let choices =
      [Array(words)]
      + words.indices.map { left in words.indices.filter { $0 != left }.map { words[$0] } }
    return try choices.filter { !$0.isEmpty }.flatMap { choice -> [String] in
      guard let pattern = TextIndex.pattern(choice) else { return [] }
      return try String.fetchAll(
        db,
        sql: """
          SELECT id FROM restaurants
          WHERE pk IN (SELECT rowid FROM geoq_text WHERE geoq_text MATCH ? LIMIT 50)
          """,
        arguments: [pattern]
      )
    }
  }

  /// How many letters to change, add or take away: the distance of Levenshtein (1966).
  ///
  /// An id whose end is missing has one error: that is how people shorten them.
  private static func errors(_ one: [UInt8], _ other: [UInt8]) -> Int {
    if other.starts(with: one) { return min(1, other.count - one.count) }
    var last = Array(0...other.count)
    for (place, letter) in one.enumerated() {
      var row = [place + 1]
      for (index, meant) in other.enumerated() {
        row.append(
          min(last[index] + (letter == meant ? 0 : 1), last[index + 1] + 1, row[index] + 1)
        )
      }
      last = row
    }
    return last[other.count]
  }
}
