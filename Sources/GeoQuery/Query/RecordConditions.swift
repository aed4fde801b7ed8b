import GeoIndex

extension Snapshot {
  /// The positions for which a condition on values in the records is true.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - candidates: The positions to test; nil for all.
  ///   - deadline: The time limit.
  /// - Returns: A set over all positions.
  /// - Throws: `QueryTimeout`.
  func positions(
    whereInRecords condition: Condition,
    among candidates: PositionSet?,
    until deadline: Deadline?
  ) throws(QueryTimeout) -> PositionSet {
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
    return PositionSet(capacity: count, found)
  }
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
    let walk = MemberWalk(properties)
    guard let start = walk.value(of: names[0], after: 0) else { return false }
    var finding = Finding()
    visit(walk, start, 1, 0, &finding)
    return finding.isThere && finding.fits != isNegated
  }

  /// The result for the path.
  private struct Finding {
    var isThere = false
    var fits = false
  }

  /// Visits a value after `used` names of the path.
  private mutating func visit(
    _ walk: MemberWalk,
    _ start: Int,
    _ used: Int,
    _ depth: Int,
    _ finding: inout Finding
  ) {
    // only a damaged file is deeper
    guard depth <= 2 * JSONScanner.maximumDepth else { return }
    switch walk.kind(at: start) {
    case .array:
      var next = walk.element(after: start)
      while let element = next {
        visit(walk, element, used, depth + 1, &finding)
        next = walk.end(ofValueAt: element).flatMap { walk.element(after: $0) }
      }
    case .object where used < names.count:
      guard let value = walk.value(of: names[used], after: start + 1) else { return }
      visit(walk, value, used + 1, depth + 1, &finding)
    case .string, .number, .flag:
      guard used == names.count else { return }
      finding.isThere = true
      if !finding.fits { finding.fits = holds(walk, start) }
    case .object, nil: break
    }
  }

  /// Whether the comparison is true for a text, a number or a flag.
  private mutating func holds(_ walk: MemberWalk, _ start: Int) -> Bool {
    switch walk.kind(at: start) {
    case .flag: return comparison == .equal && flag == walk.flag(at: start)
    case .number:
      guard let numbers, let number = walk.number(at: start) else { return false }
      return numbers.contain(number)
    default:
      guard walk.foldText(at: start, into: &scratch) else { return false }
      guard let numbers else {
        return scratch.withUnsafeBytes { comparison.holds($0, text) }
      }
      guard scratch.count <= Self.numberLength else { return false }
      let number = Condition.Kind.number(String(decoding: scratch, as: UTF8.self))
      return number.map(numbers.contain) ?? false
    }
  }
}
