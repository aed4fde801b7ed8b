/// Reads the short grammar: conditions joined by `and`, `or`, `not` and parentheses.
///
/// `not` binds more strongly than `and`, `and` more strongly than `or`. A value without quotes ends
/// before a blank and the word `and` or `or` with another blank, and before the parenthesis that closes
/// a group or a list; parentheses within the value are part of it. Columns count Unicode scalars from 1.
struct ExpressionParser: ScalarReader {
  let scalars: [Unicode.Scalar]
  var index = 0
  private let joinsConditions: Bool
  private let maximumConditions: Int
  private let valueLength: Int
  private var depth = 0
  private var openGroups = 0
  private var conditionCount = 0
  private var lastJoint: String?

  /// Prepares to read a text; with `joinsConditions` the words `and` and `or` end a value without quotes.
  ///
  /// - Throws: `QueryError` if the text is too long.
  init(
    _ text: String,
    joinsConditions: Bool = true,
    maximumConditions: Int = .max,
    valueLength: Int = .max
  ) throws(QueryError) {
    try FilterExpression.checkLength(of: text)
    scalars = Array(text.unicodeScalars)
    self.joinsConditions = joinsConditions
    self.maximumConditions = maximumConditions
    self.valueLength = valueLength
  }

  /// Reads the whole text.
  ///
  /// - Throws: `QueryError` with the column of what is wrong.
  mutating func readAll() throws(QueryError) -> FilterExpression {
    do throws(QueryError) {
      let expression = try readAlternatives()
      guard index == scalars.count else {
        throw problem("expected and, or, or the end, got \"\(shortened(rest))\"", at: index)
      }
      return expression
    } catch {
      guard let lastJoint else { throw error }
      let example = lastJoint == "or" ? "Surf or Turf" : "Salt and Pepper"
      throw QueryError(
        "where",
        "\(error.reason); quote a value that contains the word \"\(lastJoint)\": name = '\(example)'",
        column: error.column
      )
    }
  }

  /// Reads the names after `extra`, each with a dot before it: `.attributes.'Wi Fi'`.
  static func path(_ text: String) throws(QueryError) -> [String] {
    var parser = try ExpressionParser(text)
    let path = try parser.takePath()
    guard parser.index == parser.scalars.count else {
      throw QueryError("where", "a name with odd characters stands between quotes: extra.'a b'")
    }
    return path
  }

  // MARK: - Joints

  private mutating func readAlternatives() throws(QueryError) -> FilterExpression {
    var parts = [try readConjunction()]
    while takeJoint("or") { parts.append(try readConjunction()) }
    return .any(of: parts)
  }

  private mutating func readConjunction() throws(QueryError) -> FilterExpression {
    var parts = [try readFactor()]
    while takeJoint("and") { parts.append(try readFactor()) }
    return .all(of: parts)
  }

  private mutating func readFactor() throws(QueryError) -> FilterExpression {
    skipBlanks()
    let start = index
    depth += 1
    defer { depth -= 1 }
    guard depth <= FilterExpression.maximumDepth else {
      throw problem("nested more than \(FilterExpression.maximumDepth) deep", at: start)
    }
    if takeWord("not") { return .not(try readFactor()) }
    guard joinsConditions, peek == "(" else { return try readCondition() }
    index += 1
    openGroups += 1
    let inner = try readAlternatives()
    openGroups -= 1
    guard peek == ")" else { throw problem("the parenthesis is not closed", at: start) }
    index += 1
    return inner
  }

  private mutating func takeJoint(_ word: String) -> Bool {
    guard joinsConditions else { return false }
    skipBlanks()
    guard takeWord(word) else { return false }
    lastJoint = word
    return true
  }

  // MARK: - Conditions

  private mutating func readCondition() throws(QueryError) -> FilterExpression {
    conditionCount += 1
    guard conditionCount <= maximumConditions else {
      throw QueryError("where", "has more than \(maximumConditions) conditions", column: index + 1)
    }
    let start = index
    let name = take(while: FilterExpression.isNamePart)
    guard let field = Condition.Field(name: name) else {
      let text = String(String.UnicodeScalarView(scalars))
      let unknown =
        name.isEmpty ? "no field in \"\(shortened(text))\"" : "unknown field \"\(name)\""
      throw problem(unknown, at: start, FilterExpression.advice(onField: name) ?? Self.grammar)
    }
    let path = field == .extra ? try takePath() : []
    skipBlanks()
    let signStart = index
    // all of them together: <> is not an operator, rather than < and a value that begins with >
    let sign = take { "=!<>~".unicodeScalars.contains($0) }
    if sign.isEmpty, let test = try readWordTest(field, path) { return test }
    guard let comparison = Condition.Comparison(rawValue: sign) else {
      throw problem(
        sign.isEmpty ? "no operator after \"\(name)\"" : "unknown operator \"\(sign)\"",
        at: signStart,
        Self.grammar
      )
    }
    skipBlanks()
    let valueStart = index
    guard index < scalars.count else {
      throw problem("no value after \"\(name) \(sign)\"", at: valueStart, Self.grammar)
    }
    let value = try readValue(inList: false)
    return .condition(
      try at(valueStart) { () throws(QueryError) in try Condition(field, path, comparison, [value])
      }
    )
  }

  /// Reads `in (…)`, `not in (…)`, `is null` and `is not null`; nil if none of them is next.
  private mutating func readWordTest(
    _ field: Condition.Field,
    _ path: [String]
  ) throws(QueryError) -> FilterExpression? {
    let wordStart = index
    if takeWord("is") {
      skipBlanks()
      let isNegated = takeWord("not")
      skipBlanks()
      if takeWord("null") {
        return isNegated ? .not(.isNull(field, path: path)) : .isNull(field, path: path)
      }
      index = wordStart
      return nil
    }
    let isNegated = takeWord("not")
    skipBlanks()
    guard takeWord("in") else {
      index = wordStart
      return nil
    }
    skipBlanks()
    let listStart = index
    let values = try readList()
    let condition = try at(listStart) { () throws(QueryError) in
      try Condition(field, path, .equal, values)
    }
    return isNegated ? .not(.condition(condition)) : .condition(condition)
  }

  private mutating func readList() throws(QueryError) -> [(text: String, isQuoted: Bool)] {
    let start = index
    guard peek == "(" else { throw problem("expected values in parentheses after in", at: start) }
    var values: [(text: String, isQuoted: Bool)] = []
    repeat {
      index += 1
      skipBlanks()
      guard values.count < FilterExpression.maximumValues else {
        throw problem("a list has at most \(FilterExpression.maximumValues) values", at: index)
      }
      values.append(try readValue(inList: true))
      skipBlanks()
    } while peek == ","
    guard peek == ")" else { throw problem("the list is not closed", at: start) }
    index += 1
    return values
  }

  // MARK: - Values

  private mutating func readValue(
    inList: Bool
  ) throws(QueryError) -> (text: String, isQuoted: Bool) {
    let start = index
    let isQuoted = peek == "'" || peek == "\""
    let value = isQuoted ? takeQuoted() : takeBare(inList: inList)
    guard let value, !value.isEmpty, !isQuoted || endsValue(inList: inList) else {
      if !isQuoted { throw problem("no value", at: start, Self.grammar) }
      if value?.isEmpty == true {
        throw problem("the value is empty", at: start, "is null finds what has no value")
      }
      throw problem(
        "the value \(shortened(String(String.UnicodeScalarView(scalars[start...])))) is not closed by the "
          + "quote it begins with",
        at: start,
        "write that twice within the quotes"
      )
    }
    guard value.utf8.count <= valueLength else {
      throw problem("a value has at most \(valueLength) bytes, got \(value.utf8.count)", at: start)
    }
    return (value, isQuoted)
  }

  /// Whether a value in quotes can end here.
  private mutating func endsValue(inList: Bool) -> Bool {
    let end = index
    defer { index = end }
    skipBlanks()
    if index == scalars.count || (inList && peek == ",") { return true }
    if peek == ")" { return inList || openGroups > 0 }
    return !inList && joinsConditions && (takeWord("and") || takeWord("or"))
  }

  private mutating func takeBare(inList: Bool) -> String {
    let start = index
    var open = 0
    while let scalar = peek {
      if Self.isBlank(scalar), !inList, joinsConditions, isBeforeJoint { break }
      if inList, open == 0, scalar == "," { break }
      if scalar == "(" { open += 1 }
      if scalar == ")" {
        if open == 0, inList || openGroups > 0 { break }
        open -= 1
      }
      index += 1
    }
    return text(from: start).trimmingBlanks
  }

  /// Whether the blank here is followed by `and` or `or`, and by another blank.
  private var isBeforeJoint: Bool {
    for word in ["and", "or"] {
      let end = index + 1 + word.utf8.count
      if end < scalars.count, Self.isBlank(scalars[end]), isWord(word, at: index + 1) {
        return true
      }
    }
    return false
  }

  /// The names after `extra`.
  private mutating func takePath() throws(QueryError) -> [String] {
    var path: [String] = []
    let start = index
    while peek == "." {
      index += 1
      let nameStart = index
      let isQuoted = peek == "'" || peek == "\""
      let name = isQuoted ? takeQuoted() : take { !".=!<>~'\" \t".unicodeScalars.contains($0) }
      guard let name, isQuoted || !name.isEmpty else {
        throw problem(
          isQuoted
            ? "a name is not closed by the quote it begins with" : "no name after a dot of extra",
          at: nameStart,
          isQuoted
            ? "write that twice within the quotes"
            : "one with odd characters stands between quotes: extra.'a b'"
        )
      }
      path.append(name)
    }
    let found = path
    try at(start) { () throws(QueryError) in try Condition.check(found) }
    return path
  }

  // MARK: - Words

  private mutating func skipBlanks() {
    while let scalar = peek, Self.isBlank(scalar) { index += 1 }
  }

  /// Takes a word in any case, if it is next and a blank, a parenthesis or the end follows.
  private mutating func takeWord(_ word: String) -> Bool {
    let end = index + word.utf8.count
    guard isWord(word, at: index),
      end == scalars.count || Self.isBlank(scalars[end])
        || "()".unicodeScalars.contains(scalars[end])
    else { return false }
    index = end
    return true
  }

  private func isWord(_ word: String, at start: Int) -> Bool {
    start + word.utf8.count <= scalars.count
      && zip(word.utf8, scalars[start...]).allSatisfy { UInt32($0) == $1.value | 0x20 }
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

  private func problem(_ text: String, at index: Int, _ advice: String? = nil) -> QueryError {
    let advice = advice.map { "; " + $0 } ?? ""
    return QueryError("where", "\(text) at column \(index + 1)\(advice)", column: index + 1)
  }

  /// Adds a column to the errors of a step.
  private func at<Value>(
    _ index: Int,
    _ step: () throws(QueryError) -> Value
  ) throws(QueryError) -> Value {
    do throws(QueryError) {
      return try step()
    } catch {
      throw problem(error.reason, at: index)
    }
  }

  private static let grammar =
    "expected FIELD OP VALUE; fields are \(Condition.Field.allCases.map(\.usage).joined(separator: ", ")); "
    + "operators are \(Condition.Comparison.allCases.map(\.rawValue).joined(separator: " ")), "
    + "in, is null; and, or, not and parentheses join conditions"
}
