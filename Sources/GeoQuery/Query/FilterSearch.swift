import Foundation
import GeoIndex

extension Snapshot {
  /// The positions that match a filter; nil if all do.
  ///
  /// - Complexity: O(n) bit tests with a category or a condition, O(positions found) with a text alone;
  ///   O(bytes of the records left) with a condition on what is in no column.
  func positions(
    matching filter: Filter,
    until deadline: Deadline?
  ) throws(QueryTimeout) -> BitSet? {
    var found: BitSet?
    func restrict(to positions: BitSet) throws(QueryTimeout) {
      found = found?.intersection(positions) ?? positions
      try deadline?.check()
    }
    for ids in [filter.ids, filter.favoriteIDs] {
      guard let ids else { continue }
      let known = ids.lazy.map { self.lowerBound(ofID: $0.utf8) }.filter(\.isExact)
      try restrict(to: BitSet(capacity: count, known.map(\.position)))
    }
    if !filter.text.isBlank {
      let words = Set(FoldedWords(filter.text).words)
      // a text without letters and digits: it is the start of no word
      if words.isEmpty { return BitSet(capacity: count) }
      // the longest word is the rarest, as a rule
      for word in words.sorted(by: { $0.count > $1.count }) {
        try restrict(to: self.words.positions(withPrefix: word))
      }
    }
    if !filter.categories.isEmpty {
      try restrict(to: positions(inCategories: CategoryNames(filter.categories)))
    }
    if let open = filter.open {
      try restrict(to: columns.hours.positions(open, closed: columns.closed))
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
  private func positions(where condition: Condition) -> BitSet {
    switch condition.operand {
    case .member: return BitSet(capacity: count)
    case .text(let value):
      let value = Array(value.utf8)
      return positions(of: condition.field) { condition.comparison.holds($0, value) }
    case .flag(let wanted):
      let isClosed = (condition.field == .closed) == wanted
      let wanted = isClosed == (condition.comparison == .equal)
      let closed = columns.closed
      return closed.whileMapped { BitSet(capacity: count) { (closed[$0] == 1) == wanted } }
    case .number(let value):
      let wanted = condition.comparison.numbers(value)
      switch condition.field {
      case .latitude: return BitSet(capacity: count) { wanted.contain(tree[$0].latitude) }
      case .longitude: return BitSet(capacity: count) { wanted.contain(tree[$0].longitude) }
      default:
        guard let column = columns.numbers[condition.field] else { return BitSet(capacity: count) }
        return column.whileMapped { BitSet(capacity: count) { wanted.contain(column[$0]) } }
      }
    }
  }

  /// The positions whose text in a field passes a test.
  private func positions(
    of field: Condition.Field,
    where fits: (UnsafeRawBufferPointer) -> Bool
  ) -> BitSet {
    columns.codes[field]?.positions(where: fits) ?? columns.texts[field]?.positions(where: fits)
      ?? BitSet(capacity: count)
  }

  /// The positions among candidates (nil for all) that meet a condition on values in the records.
  func positions(
    whereInRecords condition: Condition,
    among candidates: BitSet?,
    until deadline: Deadline?
  ) throws(QueryTimeout) -> BitSet {
    var test = MemberTest(condition)
    var found: [Int] = []
    var readCount = 0
    func look(at position: Int) throws(QueryTimeout) {
      readCount &+= 1
      if readCount & 1_023 == 0 { try deadline?.check() }
      if records.withProperties(at: position, { test.holds($0) }) { found.append(position) }
    }
    if let candidates {
      for position in candidates.positions(ranks: 0..<candidates.count) {
        try look(at: Int(position))
      }
    } else {
      for position in 0..<count { try look(at: position) }
    }
    return BitSet(capacity: count, found)
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

/// The numbers from `low` to `high`, inclusive, or all others; never NaN, a missing value.
struct NumberRange {
  let low: Double
  let high: Double
  var isInside = true

  /// Whether a number is one of them; inlined, as below.
  @inline(__always)
  func contain(_ number: Double) -> Bool {
    (number >= low && number <= high) == isInside && number == number
  }
}

extension BitSet {
  /// The positions for which a test is true, 64 at a time, without a branch.
  ///
  /// If the test is a call, the nearest 100 with a rating of 4 of a million take 9.6 ms, otherwise 6.1 ms.
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

/// A condition on a member of records, tested on their bytes.
struct MemberTest {
  private let names: [[UInt8]]
  private let isNegated: Bool
  private let comparison: Condition.Comparison
  private let text: [UInt8]
  private let numbers: NumberRange?
  private let flag: Bool?
  private var scratch: [UInt8] = []

  /// The longest text that is read as a number.
  static let numberLength = 64

  init(_ condition: Condition) {
    let value: Condition.MemberValue =
      switch condition.operand {
      case .member(let value): value
      case .text(let text): Condition.MemberValue(foldedText: text)
      case .number, .flag: preconditionFailure("A condition on records is on a text or a member.")
      }
    names = ([condition.field.rawValue] + condition.path).map { Array($0.utf8) }
    // for a list, != means that no element is equal, not that one is different
    isNegated = condition.comparison == .notEqual
    let comparison = isNegated ? Condition.Comparison.equal : condition.comparison
    self.comparison = comparison
    text = Array(value.text.utf8)
    flag = value.flag
    numbers = comparison == .contains ? nil : value.number.map(comparison.numbers)
  }

  /// Whether the condition is true for the properties of a record: the text of an object's members.
  mutating func holds(_ properties: UnsafeRawBufferPointer) -> Bool {
    let json = StoredJSON(properties)
    guard let start = json.value(of: names[0], after: 0), let fits = test(json, start, 1, 0) else {
      return false
    }
    return fits != isNegated
  }

  /// Whether a value after `used` names of the path fits, or one of its elements; nil if there is none.
  private mutating func test(_ json: StoredJSON, _ start: Int, _ used: Int, _ depth: Int) -> Bool? {
    // only a damaged file is deeper
    guard depth <= 2 * JSONScanner.maximumDepth else { return nil }
    switch json.kind(at: start) {
    case .array:
      var found: Bool?
      json.visitItems(from: start + 1) { _, element in
        found = test(json, element, used, depth + 1) ?? found
        return found != true
      }
      return found
    case .object where used < names.count:
      let value = json.value(of: names[used], after: start + 1)
      return value.flatMap { test(json, $0, used + 1, depth + 1) }
    case .flag(let found) where used == names.count: return comparison == .equal && flag == found
    case .number where used == names.count: return json.number(at: start).map(holds) ?? false
    case .string where used == names.count:
      guard json.foldText(at: start, into: &scratch) else { return false }
      if numbers == nil { return scratch.withUnsafeBytes { comparison.holds($0, text) } }
      guard scratch.count <= Self.numberLength else { return false }
      return holds(number: String(decoding: scratch, as: UTF8.self))
    default: return nil
    }
  }

  /// Whether the comparison is true for a decimal.
  private func holds(number token: String) -> Bool {
    guard let numbers, let number = Condition.Kind.number(token) else { return false }
    let wanted = String(decoding: text, as: UTF8.self)
    // 64-bit floats have 15 digits for certain: longer decimals that give the same one may differ
    guard number == Condition.Kind.number(wanted), token != wanted,
      let decimal = Decimal(string: token), let wantedDecimal = Decimal(string: wanted)
    else { return numbers.contain(number) }
    return switch comparison {
    case .equal: decimal == wantedDecimal
    case .less: decimal < wantedDecimal
    case .lessOrEqual: decimal <= wantedDecimal
    case .greater: decimal > wantedDecimal
    case .greaterOrEqual: decimal >= wantedDecimal
    case .notEqual, .contains: false
    }
  }
}
