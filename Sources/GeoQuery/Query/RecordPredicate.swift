import Foundation

/// An expression on values that are only in the records, tested on their bytes.
indirect enum RecordPredicate {
  case test(MemberTest)
  case isMissing(MemberTest)
  case not(RecordPredicate)
  case and([RecordPredicate])
  case or([RecordPredicate])

  init(_ expression: FilterExpression) {
    switch expression {
    case .condition(let condition): self = .test(MemberTest(condition))
    case .isNull(let field, let path): self = .isMissing(MemberTest(presenceOf: field, path))
    case .spatial: preconditionFailure("A position is not read from the records.")
    case .not(let inner): self = .not(RecordPredicate(inner))
    case .and(let parts): self = .and(parts.map { RecordPredicate($0) })
    case .or(let parts): self = .or(parts.map { RecordPredicate($0) })
    }
  }

  /// Whether the expression is true for the text of a Feature, whose properties after the distance begin at
  /// `split`; nil if that is unknown.
  func verdict(_ record: UnsafeRawBufferPointer, from split: Int) -> Bool? {
    switch self {
    case .test(let test): test.verdict(record, from: split)
    case .isMissing(let test): test.verdict(record, from: split) == nil
    case .not(let inner): inner.verdict(record, from: split).map { !$0 }
    case .and(let parts): Self.verdict(parts, record, split, deciding: false)
    case .or(let parts): Self.verdict(parts, record, split, deciding: true)
    }
  }

  /// The verdict that decides if a part has it; otherwise nil if a part is unknown, or the opposite.
  private static func verdict(
    _ parts: [RecordPredicate],
    _ record: UnsafeRawBufferPointer,
    _ split: Int,
    deciding: Bool
  ) -> Bool? {
    var isUnknown = false
    for part in parts {
      let found = part.verdict(record, from: split)
      if found == deciding { return deciding }
      if found == nil { isUnknown = true }
    }
    return isUnknown ? nil : !deciding
  }
}

/// A condition on a member of records, tested on their bytes.
///
/// A class, because its buffer serves one record after another.
final class MemberTest {
  private let path: MemberPath
  private let isNegated: Bool
  private let comparison: Condition.Comparison
  /// The values, any of which may fit; empty if only their presence is tested.
  private let values: [Value]
  private let exact: ExactTest?
  private var scratch: [UInt8] = []

  /// A value to compare with, in each of the types that it can have.
  private struct Value {
    let text: [UInt8]
    let numbers: NumberRange?
    let flag: Bool?
  }

  /// The longest text that is read as a number.
  static let numberLength = 64

  init(_ condition: Condition) {
    exact = ExactTest(condition)
    path = MemberPath([condition.field.rawValue] + condition.path)
    // for a list, != means that no element is equal, not that one is different
    isNegated = exact == nil && condition.comparison == .notEqual
    let comparison = isNegated ? Condition.Comparison.equal : condition.comparison
    self.comparison = comparison
    values = condition.operands.map { operand in
      let value: Condition.MemberValue =
        switch operand {
        case .member(let value): value
        case .text(let text): Condition.MemberValue(foldedText: text)
        case .exact, .number, .flag: Condition.MemberValue(foldedText: "")
        }
      return Value(
        text: Array(value.text.utf8),
        numbers: comparison == .contains ? nil : value.number.map(comparison.numbers),
        flag: value.flag
      )
    }
  }

  /// Tests whether there is a value, objects included.
  init(presenceOf field: Condition.Field, _ names: [String]) {
    path = MemberPath([field.rawValue] + names)
    (isNegated, comparison, values, exact) = (false, .equal, [], nil)
  }

  /// Whether the condition is true for the text of a Feature, or of the members of its properties; nil if
  /// that has no value for it.
  ///
  /// The properties after the distance begin at `split`; the name comes before it.
  func verdict(_ record: UnsafeRawBufferPointer, from split: Int = 0) -> Bool? {
    var found: Bool?
    path.visit(record, from: split, wholeLists: exact != nil) { json, start in
      let verdict: Bool? =
        if let exact {
          Self.verdict(of: exact, json, start)
        } else {
          values.isEmpty ? true : fits(json, start)
        }
      found = verdict ?? found
      return found != true
    }
    return found.map { $0 != isNegated }
  }

  /// What an exact condition says of a value; nil for another type, and for a list without entries.
  private static func verdict(of exact: ExactTest, _ json: StoredJSON, _ start: Int) -> Bool? {
    switch json.kind(at: start) {
    case .flag(let flag): return exact.verdict(flag)
    case .number: return json.number(at: start).flatMap(decimal).flatMap { exact.verdict($0) }
    case .string: return json.withText(at: start) { exact.verdict($0) } ?? nil
    case .array:
      // a list is one text
      var entries: [String] = []
      json.visitItems(from: start + 1) { _, element in
        if let entry = json.scalar(at: element) { entries.append(entry) }
        return true
      }
      guard !entries.isEmpty else { return nil }
      var text = entries.joined(separator: "; ")
      return text.withUTF8 { exact.verdict(UnsafeRawBufferPointer($0)) }
    case .object, nil: return nil
    }
  }

  /// Whether a value that is not a list fits; nil for an object.
  private func fits(_ json: StoredJSON, _ start: Int) -> Bool? {
    switch json.kind(at: start) {
    case .flag(let found): return comparison == .equal && values.contains { $0.flag == found }
    case .number:
      guard let token = json.number(at: start) else { return false }
      return values.contains { holds($0, number: token) }
    case .string:
      scratch.removeAll(keepingCapacity: true)
      guard json.withText(at: start, { appendFolded($0, to: &scratch) }) != nil else {
        return false
      }
      let text = scratch
      return values.contains { value in
        if value.numbers == nil { return text.withUnsafeBytes { comparison.holds($0, value.text) } }
        return text.count <= Self.numberLength
          && holds(value, number: String(decoding: text, as: UTF8.self))
      }
    case .object, .array, nil: return nil
    }
  }

  /// Whether the comparison of a decimal with a value is true.
  private func holds(_ value: Value, number token: String) -> Bool {
    guard let numbers = value.numbers, let number = Condition.Kind.number(token) else {
      return false
    }
    let wanted = String(decoding: value.text, as: UTF8.self)
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
