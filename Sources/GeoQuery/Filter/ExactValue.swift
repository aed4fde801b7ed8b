/// A value that is compared as CQL2 does: texts character by character, and only with values of its type.
///
/// A field whose value has another type is as one without a value. A list is one text, its entries joined
/// by `; `. False comes before true.
package struct ExactValue: Sendable, Hashable {
  /// What the field's value is compared with.
  package enum Content: Sendable, Hashable {
    /// A text.
    case text(String)
    /// A pattern of LIKE: `%` is any text, `_` one character (Unicode scalar), `\` escapes the next.
    case pattern(String)
    /// A finite number.
    case number(Double)
    /// True or false.
    case flag(Bool)
  }

  /// The value; of a text, in the form that ignores what its own functions ignore.
  package let content: Content

  /// What is ignored in the field's text.
  package let ignored: Ignored

  /// What a comparison of texts ignores: CASEI, ACCENTI.
  package struct Ignored: OptionSet, Sendable, Hashable {
    /// The bits of the set.
    package let rawValue: Int

    /// Makes a set of its bits.
    package init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Case: letters are compared by the lower case of their upper case.
    package static let letterCase = Ignored(rawValue: 1)
    /// Accents: nonspacing marks are dropped after decomposition.
    package static let accents = Ignored(rawValue: 2)
    /// Both: texts are compared as in the short grammar.
    package static let all: Ignored = [.letterCase, .accents]

    /// A text without what is ignored.
    func callAsFunction(_ text: String) -> String {
      switch self {
      case .letterCase: withoutCase(text)
      case .accents: withoutAccents(text)
      case .all: folded(text)
      default: text
      }
    }
  }
}

/// A pattern of LIKE.
struct LikePattern {
  private enum Part: Equatable {
    case anyText, one
    case scalar(Unicode.Scalar)
  }

  private let parts: [Part]

  init(_ text: String) {
    var parts: [Part] = []
    var isEscaped = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\" where !isEscaped:
        isEscaped = true
        continue
      case "%" where !isEscaped: if parts.last != .anyText { parts.append(.anyText) }
      case "_" where !isEscaped: parts.append(.one)
      default: parts.append(.scalar(scalar))
      }
      isEscaped = false
    }
    self.parts = isEscaped ? parts + [.scalar("\\")] : parts
  }

  /// A pattern's text with its literal parts changed.
  static func text(_ text: String, changedBy change: (String) -> String) -> String {
    var (changed, literal) = ("", "")
    func close() {
      for scalar in change(literal).unicodeScalars {
        changed += "\\%_".unicodeScalars.contains(scalar) ? "\\\(scalar)" : String(scalar)
      }
      literal = ""
    }
    for part in LikePattern(text).parts {
      if case .scalar(let scalar) = part {
        literal.unicodeScalars.append(scalar)
        continue
      }
      close()
      changed += part == .one ? "_" : "%"
    }
    close()
    return changed
  }

  /// Whether a whole text is as the pattern says.
  ///
  /// - Complexity: O(*n* · *m*) for a text of *n* and a pattern of *m* characters.
  func matches(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    var (index, part) = (0, 0)
    // where the last % was, and where what it stands for ends
    var (lastAny, resume) = (-1, 0)
    while index < scalars.count {
      if part < parts.count, parts[part] == .one || parts[part] == .scalar(scalars[index]) {
        (index, part) = (index + 1, part + 1)
      } else if part < parts.count, parts[part] == .anyText {
        (lastAny, resume) = (part, index)
        part += 1
      } else if lastAny >= 0 {
        resume += 1
        (index, part) = (resume, lastAny + 1)
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { $0 == .anyText }
  }
}

/// A condition with exact values.
struct ExactTest {
  private let comparison: Condition.Comparison
  private let ignored: ExactValue.Ignored
  private let texts: [[UInt8]]
  private let patterns: [LikePattern]
  private let numbers: [NumberRange]
  private let flags: [NumberRange]

  /// Nil if the condition's values are not exact.
  init?(_ condition: Condition) {
    guard case .exact(let first) = condition.operand else { return nil }
    comparison = condition.comparison
    ignored = first.ignored
    var (texts, patterns): ([[UInt8]], [LikePattern]) = ([], [])
    var (numbers, flags): ([NumberRange], [NumberRange]) = ([], [])
    for case .exact(let value) in condition.operands {
      switch value.content {
      case .text(let text): texts.append(Array(text.utf8))
      case .pattern(let text): patterns.append(LikePattern(text))
      case .number(let number): numbers.append(condition.comparison.numbers(number))
      case .flag(let flag): flags.append(condition.comparison.numbers(flag ? 1 : 0))
      }
    }
    (self.texts, self.patterns, self.numbers, self.flags) = (texts, patterns, numbers, flags)
  }

  /// Whether it is true for a text in UTF-8, `isFolded` if what is ignored has been dropped; nil if it does
  /// not compare with texts.
  func verdict(_ text: UnsafeRawBufferPointer, isFolded: Bool = false) -> Bool? {
    guard !texts.isEmpty || !patterns.isEmpty else { return nil }
    let isPlain = isFolded || ignored.isEmpty
    if isPlain, patterns.isEmpty { return texts.contains { comparison.holds(text, $0) } }
    var own = String(decoding: text, as: UTF8.self)
    if !isPlain { own = ignored(own) }
    if patterns.contains(where: { $0.matches(own) }) { return true }
    return own.withUTF8 { own in
      texts.contains { comparison.holds(UnsafeRawBufferPointer(own), $0) }
    }
  }

  func verdict(_ number: Double) -> Bool? {
    numbers.isEmpty ? nil : numbers.contains { $0.contain(number) }
  }

  func verdict(_ flag: Bool) -> Bool? {
    flags.isEmpty ? nil : flags.contains { $0.contain(flag ? 1 : 0) }
  }
}
