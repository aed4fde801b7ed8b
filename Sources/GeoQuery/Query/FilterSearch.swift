import GeoIndex

extension Snapshot {
  /// The positions that match a filter; nil if all do.
  ///
  /// - Parameters:
  ///   - filter: The filter.
  ///   - deadline: The time limit.
  /// - Returns: A set over all positions.
  /// - Throws: `QueryTimeout`.
  /// - Complexity: O(n) bit tests with a category or a condition, O(positions found) with a text alone;
  ///   O(bytes of the records left) with a condition on what is in no column.
  func positions(
    matching filter: Filter,
    until deadline: Deadline?
  ) throws(QueryTimeout) -> PositionSet? {
    var found: PositionSet?
    func restrict(to positions: PositionSet) throws(QueryTimeout) {
      found = found?.intersection(positions) ?? positions
      try deadline?.check()
    }
    for ids in [filter.ids, filter.favoriteIDs] {
      guard let ids else { continue }
      let known = ids.lazy.map { self.lowerBound(ofID: $0.utf8) }.filter(\.isExact)
      try restrict(to: PositionSet(capacity: count, known.map(\.position)))
    }
    if !filter.text.isBlank {
      let words = Set(FoldedWords(filter.text).words)
      // a text without letters and digits: it is the start of no word
      if words.isEmpty { return PositionSet(capacity: count) }
      // the longest word is the rarest, as a rule
      for word in words.sorted(by: { $0.count > $1.count }) {
        try restrict(to: self.words.positions(withPrefix: word))
      }
    }
    if !filter.categories.isEmpty {
      let names = CategoryNames(filter.categories)
      try restrict(
        to: positions(of: .category) { names.contain(folded: String(decoding: $0, as: UTF8.self)) }
      )
    }
    for condition in filter.conditions where !condition.field.isInRecords {
      try restrict(to: positions(where: condition))
    }
    // the records come last, and only those that match everything else
    for condition in filter.conditions where condition.field.isInRecords {
      found = try positions(whereInRecords: condition, among: found, until: deadline)
    }
    return found
  }

  /// The positions for which a condition is true.
  private func positions(where condition: Condition) -> PositionSet {
    switch condition.operand {
    case .member: return PositionSet(capacity: count)
    case .text(let value):
      let value = Array(value.utf8)
      return positions(of: condition.field) { condition.comparison.holds($0, value) }
    case .flag(let wanted):
      let isClosed = (condition.field == .closed) == wanted
      let wanted = isClosed == (condition.comparison == .equal)
      return withExtendedLifetime(columns.closed) {
        PositionSet(capacity: count) { (columns.closed.bytes[$0] == 1) == wanted }
      }
    case .number(let value):
      let wanted = condition.comparison.numbers(value)
      switch condition.field {
      case .latitude: return PositionSet(capacity: count) { wanted.contain(tree[$0].latitude) }
      case .longitude: return PositionSet(capacity: count) { wanted.contain(tree[$0].longitude) }
      default:
        guard let column = columns.numbers[condition.field] else {
          return PositionSet(capacity: count)
        }
        return column.whileMapped { PositionSet(capacity: count) { wanted.contain(column[$0]) } }
      }
    }
  }

  /// The positions whose text in a field passes a test.
  private func positions(
    of field: Condition.Field,
    where fits: (UnsafeRawBufferPointer) -> Bool
  ) -> PositionSet {
    columns.codes[field]?.positions(where: fits) ?? columns.texts[field]?.positions(where: fits)
      ?? PositionSet(capacity: count)
  }
}

extension Condition.Comparison {
  /// Whether it is true for a folded text and a value, as UTF-8.
  func holds(_ text: UnsafeRawBufferPointer, _ value: [UInt8]) -> Bool {
    switch self {
    case .equal: text.elementsEqual(value)
    case .notEqual: !text.elementsEqual(value)
    case .less: text.lexicographicallyPrecedes(value)
    case .lessOrEqual: !value.lexicographicallyPrecedes(text)
    case .greater: value.lexicographicallyPrecedes(text)
    case .greaterOrEqual: !text.lexicographicallyPrecedes(value)
    case .contains: text.firstOffset(of: value) != nil
    }
  }

  /// The numbers for which the comparison with a finite value is true.
  func numbers(_ value: Double) -> NumberRange {
    switch self {
    case .equal: NumberRange(low: value, high: value)
    case .notEqual: NumberRange(low: value, high: value, isInside: false)
    case .less: NumberRange(low: -.infinity, high: value.nextDown)
    case .lessOrEqual: NumberRange(low: -.infinity, high: value)
    case .greater: NumberRange(low: value.nextUp, high: .infinity)
    case .greaterOrEqual: NumberRange(low: value, high: .infinity)
    case .contains: NumberRange(low: .infinity, high: -.infinity)
    }
  }
}

/// The numbers from `low` to `high`, inclusive, or all except those; NaN, a missing value, is never
/// included.
struct NumberRange {
  let low: Double
  let high: Double
  var isInside = true

  /// Whether a number is one of them.
  @inline(__always)
  func contain(_ number: Double) -> Bool {
    (number >= low && number <= high) == isInside && number == number
  }
}

extension PositionSet {
  /// The positions for which a test is true, 64 at a time, without a branch.
  @inline(__always)
  init(capacity: Int, where holds: (Int) -> Bool) {
    var words = [UInt64](repeating: 0, count: capacity / 64 + 1)
    for index in words.indices {
      let start = index &* 64
      var word: UInt64 = 0
      for bit in 0..<min(64, capacity &- start) {
        word |= (holds(start &+ bit) ? 1 : 0) &<< UInt64(truncatingIfNeeded: bit)
      }
      words[index] = word
    }
    self.init(capacity: capacity, words: words)
  }
}

/// The time at which a query must end.
public struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant

  /// Makes a deadline after a duration from now.
  public init(in duration: Duration) {
    instant = ContinuousClock.now.advanced(by: duration)
  }

  /// Ends a search whose time is up.
  ///
  /// - Throws: `QueryTimeout`.
  package func check() throws(QueryTimeout) {
    if ContinuousClock.now >= instant { throw QueryTimeout() }
  }
}

/// A query exceeded its time limit.
public struct QueryTimeout: Error, Sendable, CustomStringConvertible {
  /// What happened.
  public var description: String { "the query exceeded its time limit" }
}
