/// A set of row numbers, one bit each; numbers that geoq does not give are kept one by one.
struct RowSet {
  private var words: [UInt64] = []
  private var others: Set<Int64> = []

  /// A bit for each number below would have 32 MB.
  private static let limit: Int64 = 1 << 28

  /// How many rows are in the set.
  private(set) var count = 0

  /// Puts a row into the set.
  mutating func insert(_ row: Int64) {
    guard 0 <= row, row < Self.limit else {
      count += others.insert(row).inserted ? 1 : 0
      return
    }
    let index = Int(row >> 6)
    if index >= words.count {
      words += repeatElement(0, count: index + 1 - words.count + words.count / 2)
    }
    let bit: UInt64 = 1 << UInt64(row & 63)
    count += words[index] & bit == 0 ? 1 : 0
    words[index] |= bit
  }

  /// Whether a row is in the set.
  func contains(_ row: Int64) -> Bool {
    guard 0 <= row, row < Self.limit else { return others.contains(row) }
    let index = Int(row >> 6)
    return index < words.count && words[index] & (1 << UInt64(row & 63)) != 0
  }

  /// Keeps the rows that another set has too.
  mutating func formIntersection(_ other: RowSet) {
    for index in words.indices {
      words[index] &= index < other.words.count ? other.words[index] : 0
    }
    others.formIntersection(other.others)
    count = words.reduce(others.count) { $0 + $1.nonzeroBitCount }
  }

  /// Visits the rows, ascending but for those that geoq does not give.
  func visit(_ body: (Int64) throws -> Void) rethrows {
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        try body(Int64(index * 64 + rest.trailingZeroBitCount))
        rest &= rest - 1
      }
    }
    for row in others.sorted() { try body(row) }
  }
}
