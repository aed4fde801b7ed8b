/// A condition on one field of a restaurant: `city = Dallas`, `rating >= 4`, `name ~ grill`.
///
/// Texts are compared without case and accents, `<` and its like by their folded UTF-8 bytes; numbers
/// as the feed has them. A restaurant that lacks the field never fits, not even `!=`.
///
/// `extra.outdoor_seating = yes` looks at a member that has no key of its own, see `MemberValue`.
public struct Condition: Sendable, Hashable {
  /// The field that is looked at.
  public let field: Field

  /// The names that lead to a member of `extra`; empty for every other field.
  public let path: [String]

  /// How it is compared.
  public let comparison: Comparison

  /// What it is compared with.
  public let operand: Operand

  /// How a field is compared with a value.
  public enum Comparison: String, Sendable, CaseIterable {
    /// The same.
    case equal = "="
    /// There, but not the same.
    case notEqual = "!="
    /// Before.
    case less = "<"
    /// Before or the same.
    case lessOrEqual = "<="
    /// After.
    case greater = ">"
    /// After or the same.
    case greaterOrEqual = ">="
    /// A text that has the value anywhere in it.
    case contains = "~"
  }

  /// A value of the field's kind.
  public enum Operand: Sendable, Hashable {
    /// A text, folded.
    case text(String)
    /// A finite number.
    case number(Double)
    /// True or false.
    case flag(Bool)
    /// What a member of `extra` is compared with, of whatever kind that is.
    case member(MemberValue)
  }

  /// Makes a condition.
  ///
  /// - Throws: `QueryError` where the value is not of the field's kind, or the kind has no such
  ///   comparison.
  public init(_ field: Field, _ comparison: Comparison, _ value: String) throws(QueryError) {
    try self.init(field, [], comparison, value)
  }

  /// Makes a condition on a member of `extra`.
  ///
  /// - Parameters:
  ///   - path: The names that lead to it, exactly as the feed has them.
  ///   - comparison: How it is compared.
  ///   - value: What it is compared with.
  /// - Throws: `QueryError` if the path has no name, or more or longer ones than there may be.
  public init(
    extra path: [String],
    _ comparison: Comparison,
    _ value: String
  ) throws(QueryError) {
    try self.init(.extra, path, comparison, value)
  }

  private init(
    _ field: Field,
    _ path: [String],
    _ comparison: Comparison,
    _ value: String,
    isQuoted: Bool = false
  ) throws(QueryError) {
    func problem(_ reason: String) -> QueryError {
      QueryError("where", "\(field.usage) \(comparison.rawValue) \"\(value)\": \(reason)")
    }
    if field == .extra { try Self.check(path) }
    guard field.kind.comparisons.contains(comparison) else {
      let known = field.kind.comparisons.map(\.rawValue).joined(separator: " ")
      throw problem("\(field.rawValue) is \(field.kind.name); operators for it are \(known)")
    }
    guard let operand = field.kind.operand(value, isQuoted: isQuoted) else {
      throw problem("\(field.rawValue) is \(field.kind.name)")
    }
    self.field = field
    self.path = path
    self.comparison = comparison
    self.operand = operand
  }

  /// Reads a condition: field, operator, value, with or without blanks between them; a value that
  /// begins with one of `=!<>~` has a blank before it, and may stand between quotes: `'…'` or `"…"`.
  ///
  /// - Throws: `QueryError` that names the fields and operators where there is no such.
  public init(_ text: String) throws(QueryError) {
    try self.init(text, valueLength: .max)
  }

  /// Reads a condition whose value has at most so many bytes of UTF-8.
  init(_ text: String, valueLength: Int) throws(QueryError) {
    let isBlank = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
    let bare = text.unicodeScalars.drop(while: isBlank)
    let nameEnd = bare.firstIndex { !Self.isNamePart($0) } ?? bare.endIndex
    let name = String(bare[..<nameEnd])
    guard let field = Field(name: name) else {
      let found = name.isEmpty ? "no field in \"\(text)\"" : "unknown field \"\(name)\""
      throw QueryError("where", "\(found); \(Self.grammar)")
    }
    var afterName = bare[nameEnd...]
    let path = field == .extra ? try Self.takePath(from: &afterName) : []
    let rest = afterName.drop(while: isBlank)
    // all of them together: <> is no operator, rather than < and a value that begins with >
    let signEnd = rest.firstIndex { !"=!<>~".unicodeScalars.contains($0) } ?? rest.endIndex
    let sign = String(rest[..<signEnd])
    guard let comparison = Comparison(rawValue: sign) else {
      let found = sign.isEmpty ? "no operator behind \"\(name)\"" : "unknown operator \"\(sign)\""
      throw QueryError("where", "\(found); \(Self.grammar)")
    }
    let value = String(rest[signEnd...]).trimming(where: isBlank)
    guard !value.isEmpty else {
      throw QueryError(
        "where",
        "no value behind \"\(name) \(comparison.rawValue)\"; \(Self.grammar)"
      )
    }
    guard let bare = Self.unquoted(value), !bare.isEmpty else {
      throw QueryError(
        "where",
        "the value \(value) is not closed by the quote it begins with; write that twice within the quotes"
      )
    }
    guard bare.utf8.count <= valueLength else {
      throw QueryError("where", "a value has at most \(valueLength) bytes, got \(bare.utf8.count)")
    }
    try self.init(field, path, comparison, bare, isQuoted: value.begins(with: "'"))
  }

  /// The condition in its own grammar, its value folded.
  var description: String {
    let value =
      switch operand {
      case .text(let text): text
      case .number(let number): number.description
      case .flag(let flag): flag.description
      case .member(let value): value.isText ? Self.quoted(value.text) : value.text
      }
    let names = path.map { "." + Self.quoted($0) }.joined()
    return "\(field.rawValue)\(names) \(comparison.rawValue) \(value)"
  }

  private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_"
  }

  private static let grammar =
    "expected FIELD OP VALUE; fields are \(Field.allCases.map(\.usage).joined(separator: ", ")); "
    + "operators are \(Comparison.allCases.map(\.rawValue).joined(separator: " "))"
}
