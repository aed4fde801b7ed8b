import GeoIndex

extension Snapshot {
  /// The positions that a filter takes; nil if it takes all.
  ///
  /// - Parameters:
  ///   - filter: The filter.
  ///   - deadline: When to give up.
  /// - Returns: A set over all positions.
  /// - Throws: `QueryTimeout`.
  /// - Complexity: O(n) bit tests with a category or a condition, O(positions found) with a text alone.
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
      // a text without a letter or a digit: no word begins with that
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
    for condition in filter.conditions { try restrict(to: positions(where: condition)) }
    return found
  }

  /// The positions where a condition holds.
  private func positions(where condition: Condition) -> PositionSet {
    switch condition.operand {
    case .text(let value):
      let value = Array(value.utf8)
      return positions(of: condition.field) { condition.comparison.holds($0, value) }
    case .flag(let wanted):
      let isClosed = (condition.field == .closed) == wanted
      return positions {
        (columns.closed.bytes[$0] == 1) == (isClosed == (condition.comparison == .equal))
      }
    case .number(let value):
      let holds = condition.comparison.holds as (Double, Double) -> Bool
      switch condition.field {
      case .latitude: return positions { holds(tree[$0].latitude, value) }
      case .longitude: return positions { holds(tree[$0].longitude, value) }
      default:
        guard let column = columns.numbers[condition.field] else {
          return PositionSet(capacity: count)
        }
        // NaN, for none, holds nothing but !=
        return column.whileMapped {
          positions { !column[$0].isNaN && holds(column[$0], value) }
        }
      }
    }
  }

  private func positions(where holds: (Int) -> Bool) -> PositionSet {
    withExtendedLifetime(columns.closed) {
      PositionSet(capacity: count, (0..<count).lazy.filter(holds))
    }
  }

  /// The positions that have a text in a field, and one that fits.
  private func positions(
    of field: Condition.Field,
    where fits: (UnsafeRawBufferPointer) -> Bool
  ) -> PositionSet {
    columns.codes[field]?.positions(where: fits) ?? columns.texts[field]?.positions(where: fits)
      ?? PositionSet(capacity: count)
  }
}

extension Condition.Comparison {
  /// Whether it holds between a folded text and a value, as UTF-8.
  func holds(_ text: UnsafeRawBufferPointer, _ value: [UInt8]) -> Bool {
    switch self {
    case .equal: text.elementsEqual(value)
    case .notEqual: !text.elementsEqual(value)
    case .less: text.lexicographicallyPrecedes(value)
    case .lessOrEqual: !value.lexicographicallyPrecedes(text)
    case .greater: value.lexicographicallyPrecedes(text)
    case .greaterOrEqual: !text.lexicographicallyPrecedes(value)
    case .contains: Self.contains(text, value)
    }
  }

  /// Whether it holds between two numbers.
  func holds(_ number: Double, _ value: Double) -> Bool {
    switch self {
    case .equal: number == value
    case .notEqual: number != value
    case .less: number < value
    case .lessOrEqual: number <= value
    case .greater: number > value
    case .greaterOrEqual: number >= value
    case .contains: false
    }
  }

  /// Whether bytes have a value anywhere in them.
  private static func contains(_ text: UnsafeRawBufferPointer, _ value: [UInt8]) -> Bool {
    guard let first = value.first else { return true }
    guard text.count >= value.count else { return false }
    return (0...text.count - value.count).contains { start in
      text[start] == first
        && value.indices.allSatisfy { text[start &+ $0] == value[$0] }
    }
  }
}

/// When a query has to be done.
public struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant

  /// A deadline so long from now.
  public init(in duration: Duration) {
    instant = ContinuousClock.now.advanced(by: duration)
  }

  /// Ends a search that has run out of time.
  ///
  /// - Throws: `QueryTimeout`.
  package func check() throws(QueryTimeout) {
    if ContinuousClock.now >= instant { throw QueryTimeout() }
  }
}

/// A query took longer than it may.
public struct QueryTimeout: Error, Sendable, CustomStringConvertible {
  /// What happened.
  public var description: String { "the query took longer than it may" }
}
