import GRDB

extension StoreReader {
  /// The folded names of the restaurants at some positions, in the order of these.
  func foldedNames(at positions: [Int]) throws -> [ByteKey?] {
    try values("name", at: positions) { row in
      ByteKey(folded(String(decoding: row.bytes(0), as: UTF8.self)))
    }
  }

  /// The ratings of the restaurants at some positions, as shares of their scales; nil for none.
  func ratingShares(at positions: [Int]) throws -> [Double?] {
    try values("rating / coalesce(ratingScale, 5)", at: positions) { $0.real(0) }
  }

  /// The price levels of the restaurants at some positions; nil for none.
  func prices(at positions: [Int]) throws -> [Double?] {
    try values("priceLevel", at: positions) { $0.real(0) }
  }

  private func values<Value>(
    _ expression: String,
    at positions: [Int],
    _ value: (SQLStatement) -> Value
  ) throws -> [Value?] {
    let rows = try Positions.rows(at: positions, in: db)
    let statement = try SQLStatement(
      db,
      "SELECT \(expression) FROM restaurants WHERE pk = ? AND (\(expression)) IS NOT NULL"
    )
    var values = [Value?](repeating: nil, count: rows.count)
    // in the order in which they lie in the file
    for place in rows.indices.sorted(by: { rows[$0] < rows[$1] }) {
      statement.bind(rows[place], at: 1)
      if try statement.step() { values[place] = value(statement) }
      statement.reset()
    }
    return values
  }
}
