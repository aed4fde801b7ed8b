import GeoIndex
import GeoQuery
import HTTPTypes

/// The parameters of a request, checked against those that its route declares.
///
/// Unknown ones are rejected (/req/core/query-param-unknown), and so are empty, invalid, and too
/// often repeated ones (/req/core/query-param-invalid).
struct Parameters: Sendable {
  /// The declared names with their values, in the request's order.
  let pairs: [(name: String, value: String)]

  /// Checks names and values.
  ///
  /// - Throws: `Problem` 400.
  init(_ pairs: [(name: String, value: String)], declared: [Parameter]) throws {
    var known: [(name: String, value: String)] = []
    for (name, value) in pairs {
      guard
        let parameter = declared.first(where: {
          $0.name.isUTF8Equal(to: name) || $0.otherName?.isUTF8Equal(to: name) == true
        })
      else {
        throw Self.unknown(name, declared)
      }
      // a name given too often ends the loop
      guard known.count(where: { $0.name == parameter.name }) < parameter.maximumTimes else {
        let advice =
          [.filters, .ids].contains(parameter.kind) ? "; separate values with commas" : ""
        let times =
          parameter.maximumTimes == 1 ? "twice" : "more than \(parameter.maximumTimes) times"
        throw Problem.invalid(parameter.name, "is given \(times)\(advice)")
      }
      if value.isEmpty { throw Problem.invalid(name, "is empty") }
      try parameter.check(value)
      known.append((parameter.name, value))
    }
    for parameter in declared
    where parameter.isRequired && !known.contains(where: { $0.name == parameter.name }) {
      throw Problem.invalid(parameter.name, "is missing")
    }
    self.pairs = known
  }

  /// Checks the declared parameters of a page; all others are read by the page itself (`PageView`).
  ///
  /// - Throws: `Problem` 400.
  init(ofPage pairs: [(name: String, value: String)], declared: [Parameter]) throws {
    let own = pairs.filter { pair in declared.contains { $0.name.isUTF8Equal(to: pair.name) } }
    try self.init(own, declared: declared)
  }

  /// The text of a parameter; nil if it is not given.
  func text(_ parameter: Parameter) -> String? { pairs.first { $0.name == parameter.name }?.value }

  /// The texts of a comma-separated list; empty if it is not given.
  func texts(_ parameter: Parameter) -> [String] { text(parameter).map(Parameter.entries) ?? [] }

  /// The texts of a parameter that may be repeated, in the request's order.
  func texts(ofRepeated parameter: Parameter) -> [String] {
    pairs.filter { $0.name == parameter.name }.map(\.value)
  }

  /// The number of a parameter, or its default; nil without either.
  func number(_ parameter: Parameter) -> Double? {
    (text(parameter) ?? parameter.defaultValue).flatMap(parameter.number)
  }

  /// The whole number of a parameter that has a default, within its range.
  func integer(_ parameter: Parameter) -> Int {
    guard case .integer(let range, _) = parameter.kind,
      let value = (text(parameter) ?? parameter.defaultValue).flatMap(DecimalText.integer)
    else { preconditionFailure("The parameter must be a whole number with a default.") }
    return min(value, range.upperBound)
  }

  /// The point of `lat` and `lon`.
  var point: Coordinate? {
    guard let latitude = number(.latitude), let longitude = number(.longitude) else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// The box of `bbox`; nil if it is not given.
  ///
  /// - Throws: `Problem` 400.
  func box() throws -> BoundingBox? {
    try text(.box).map { try BoxText.box($0) }
  }

  private static func unknown(_ name: String, _ declared: [Parameter]) -> Problem {
    let names = declared.map(\.name).joined(separator: ", ")
    let known = names.isEmpty ? "this resource takes none" : "this resource takes \(names)"
    var problem = Problem(
      .badRequest,
      "UnknownParameter",
      "there is no parameter \(quoted(name)); \(known)"
    )
    problem.parameter = name
    return problem
  }
}

extension Parameter {
  /// The number of a value of this kind, a distance in meters; nil if it is not a number.
  func number(_ value: String) -> Double? {
    guard case .distance = kind else { return DecimalText.number(value) }
    // a + in a query is a blank, so that +1 is not a number
    guard value.utf8.first != 0x20, value.utf8.last != 0x20 else { return nil }
    let (number, meters) = DistanceUnits.split(value)
    return DecimalText.number(number).map { $0 * meters }
  }

  /// Rejects a value that is not of this kind.
  ///
  /// - Throws: `Problem` 400.
  func check(_ value: String) throws {
    switch kind {
    case .number(let range):
      guard let number = DecimalText.number(value), range.contains(number) else {
        throw Problem.invalid(
          name,
          "expected a number in \(Self.text(of: range)), got \(quoted(value))"
        )
      }
    case .distance(let range):
      guard let number = number(value), range.contains(number) else {
        throw Problem.invalid(
          name,
          "expected meters in \(Self.text(of: range)), or a number with m, km, mi or ft, "
            + "got \(quoted(value))"
        )
      }
    case .integer(let range, let clamps):
      guard let number = DecimalText.integer(value), number >= range.lowerBound,
        clamps || number <= range.upperBound
      else {
        throw Problem.invalid(
          name,
          "expected a whole number in \(range.lowerBound)...\(range.upperBound), "
            + "got \(quoted(value))"
        )
      }
    case .box: _ = try BoxText.box(value)
    case .text: break
    case .filter: try checkLength(of: value)
    case .filters:
      let entries = Self.entries(of: value)
      guard entries.count <= ServiceLimits.listEntries else {
        throw Problem.invalid(
          name,
          "has \(entries.count) entries, at most \(ServiceLimits.listEntries)"
        )
      }
      for entry in entries {
        if entry.isEmpty { throw Problem.invalid(name, "has an empty entry") }
        try checkLength(of: entry)
      }
    case .conditions:
      do throws(QueryError) {
        _ = try Self.conditions(value)
      } catch {
        throw Problem(error)
      }
    case .ids:
      let entries = Self.entries(of: value)
      guard entries.count <= ServiceLimits.ids else {
        throw Problem.invalid(name, "has \(entries.count) ids, at most \(ServiceLimits.ids)")
      }
      if entries.contains(where: \.isEmpty) { throw Problem.invalid(name, "has an empty entry") }
    case .want:
      do throws(QueryError) {
        _ = try WantParser(value)
      } catch {
        throw Problem(error)
      }
    case .point:
      guard Self.point(value) != nil else {
        throw Problem.invalid(
          name,
          "expected latitude,longitude in -90...90,-180...180, got \(quoted(value))"
        )
      }
    case .order(let keys):
      do throws(QueryError) {
        _ = try Order(sortBy: value, among: keys)
      } catch {
        throw Problem(error)
      }
    case .word(let words):
      guard words.contains(where: { $0.isUTF8Equal(to: value) }) else {
        throw Problem.invalid(
          name,
          "expected one of \(words.joined(separator: ", ")), got \(quoted(value))"
        )
      }
    }
  }

  /// The conditions of a value of this kind.
  ///
  /// - Throws: `QueryError` if it is invalid or too long.
  static func conditions(_ value: String) throws(QueryError) -> [Condition] {
    try Condition.list(
      value,
      atMost: ServiceLimits.conditions,
      valueLength: ServiceLimits.textLength
    )
  }

  /// Rejects a text that is too long for a filter, before it is folded or compared.
  ///
  /// - Throws: `Problem` 400.
  func checkLength(of text: String) throws {
    guard text.utf8.count <= ServiceLimits.textLength else {
      throw Problem.invalid(
        name,
        "a text has at most \(ServiceLimits.textLength) bytes, got \(text.utf8.count)"
      )
    }
  }

  /// The entries of a comma-separated list, without the blanks around them.
  static func entries(of list: String) -> [String] {
    list.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { part in
      var entry = part.drop { $0 == UInt8(ascii: " ") }
      while entry.last == UInt8(ascii: " ") { entry.removeLast() }
      return String(Substring(entry))
    }
  }

  /// Parses a point `latitude,longitude`; nil if the text is not one.
  static func point(_ text: String) -> Coordinate? {
    let numbers = entries(of: text).map { DecimalText.number($0) }
    guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
      return nil
    }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private static func text(of range: ClosedRange<Double>) -> String {
    "\(Int(range.lowerBound))...\(Int(range.upperBound))"
  }
}
