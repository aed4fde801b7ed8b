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

  /// The lists of a body by name: their texts may have commas.
  private let lists: [String: [String]]

  /// Checks names and values.
  ///
  /// - Throws: `Problem` 400, or `QueryError`.
  init(
    _ pairs: [(name: String, value: String)],
    lists: [String: [String]] = [:],
    declared: [Parameter]
  ) throws {
    var known: [(name: String, value: String)] = []
    known.reserveCapacity(pairs.count)
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
      try parameter.check(value, entries: lists[parameter.name])
      // now is resolved once: links, cursors and tags have the time
      let time = parameter.kind == .time ? try OpenAt(value, now: .now).time : nil
      known.append((parameter.name, time?.description ?? value))
    }
    for parameter in declared where parameter.isRequired {
      let name = parameter.name
      if !known.contains(where: { $0.name == name }) { throw Problem.invalid(name, "is missing") }
    }
    self.pairs = known
    self.lists = lists
  }

  /// The text of a parameter; nil if it is not given.
  func text(_ parameter: Parameter) -> String? { pairs.first { $0.name == parameter.name }?.value }

  /// The texts of a list, which has commas between them or is an array; nil if it is not given.
  func texts(_ parameter: Parameter) -> [String]? {
    lists[parameter.name] ?? text(parameter).map(Parameter.entries)
  }

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

  /// The number of a parameter; `Problem` 400 if it is not given.
  func required(_ parameter: Parameter) throws -> Double {
    if let number = number(parameter) { return number }
    throw Problem.invalid(parameter.name, "is missing")
  }

  /// The point of `lat` and `lon`; `Problem` 400 if one of them is not given.
  func point() throws -> Coordinate {
    let (latitude, longitude) = try (required(.latitude), required(.longitude))
    guard let point = Coordinate(latitude: latitude, longitude: longitude) else {
      throw Problem.invalid("lat", "expected a point")
    }
    return point
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
      code: "UnknownParameter",
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
  /// - Throws: `Problem` 400, or `QueryError`.
  func check(_ value: String, entries: [String]? = nil) throws {
    func expect(_ isValid: Bool, _ words: @autoclosure () -> String) throws {
      if !isValid { throw Problem.invalid(name, "expected \(words()), got \(quoted(value))") }
    }
    switch kind {
    case .number(let range):
      let isValid = DecimalText.number(value).map(range.contains) ?? false
      try expect(isValid, "a number in \(Int(range.lowerBound))...\(Int(range.upperBound))")
    case .distance:
      let isValid = number(value).map { $0 >= 0 && $0 <= Double(ServiceLimits.radius) } ?? false
      try expect(
        isValid,
        "meters in 0...\(ServiceLimits.radius), or a number with m, km, mi or ft"
      )
    case .integer(let range, let clamps):
      let isValid = DecimalText.integer(value).map { clamps ? $0 >= range.lowerBound : range ~= $0 }
      try expect(isValid ?? false, "a whole number in \(range.lowerBound)...\(range.upperBound)")
    case .box: _ = try BoxText.box(value)
    case .text: break
    case .filter: try checkLength(of: value)
    case .filters, .ids:
      let (limit, noun) =
        kind == .ids ? (ServiceLimits.ids, "ids") : (ServiceLimits.listEntries, "entries")
      let entries = entries ?? Self.entries(of: value)
      guard entries.count <= limit else {
        throw Problem.invalid(name, "has \(entries.count) \(noun), at most \(limit)")
      }
      for entry in entries {
        if entry.isEmpty { throw Problem.invalid(name, "has an empty entry") }
        if kind == .filters { try checkLength(of: entry) }
      }
    // read where the language and the time are known
    case .expression, .time: break
    case .field: if !value.isUTF8Equal(to: Self.area) { _ = try Facet.Key(value) }
    case .day:
      let isDay = CalendarDay(parsing: value)?.description.isUTF8Equal(to: value) == true
      try expect(isDay, "a date such as 2026-12-24")
    case .want: _ = try Want(requested: value)
    case .point:
      try expect(
        Self.point(value) != nil,
        "latitude,longitude in -90...90,-180...180"
      )
    case .order(let keys): _ = try Order(sortBy: value, among: keys)
    case .word(let words):
      try expect(
        words.contains { $0.isUTF8Equal(to: value) },
        "one of \(words.joined(separator: ", "))"
      )
    }
  }

  /// The filter of a value of this kind.
  ///
  /// - Throws: `QueryError` if it is invalid or too long.
  static func expression(
    _ value: String,
    in language: FilterLanguage = .short
  ) throws(QueryError) -> FilterExpression {
    let expression = try FilterExpression(
      value,
      in: language,
      atMost: ServiceLimits.conditions,
      valueLength: ServiceLimits.textLength
    )
    // the parameter has the access rule of favorites, and answers with it stay out of shared caches
    guard !expression.testsFavorites else {
      throw QueryError("where", "favorite is not a field of filters here; use favorite=true")
    }
    return expression
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
}

/// The parameter `bbox` (/req/core/fc-bbox-definition): longitude first.
enum BoxText {
  /// The box of `W,S,E,N`, or of six numbers, whose heights are ignored.
  ///
  /// Map libraries send longitudes beyond ±180, which are wrapped: 170,-20,190,20 crosses the
  /// antimeridian. A box 360° wide or wider is the whole globe.
  ///
  /// - Throws: `Problem` 400.
  static func box(_ text: String) throws -> BoundingBox {
    let fields = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard fields.count == 4 || fields.count == 6 else {
      throw Problem.invalid("bbox", "needs 4 or 6 numbers, got \(fields.count)")
    }
    let numbers = try fields.map { field in
      let field = String(Substring(field))
      guard let number = DecimalText.number(field) else {
        throw Problem.invalid("bbox", "\(quoted(field)) is not a number")
      }
      return number
    }
    let sides = numbers.count == 4 ? numbers : [numbers[0], numbers[1], numbers[3], numbers[4]]
    for latitude in [sides[1], sides[3]] where latitude.magnitude > 90 {
      throw Problem.invalid("bbox", "\(latitude) is not a latitude in -90...90")
    }
    let (west, east) = wrapped(west: sides[0], east: sides[2])
    let box = BoundingBox(west: west, south: sides[1], east: east, north: sides[3])
    guard let box else {
      throw Problem.invalid("bbox", "south is above north; a box is west,south,east,north")
    }
    return box
  }

  /// The same two meridians in -180...180; unchanged bit for bit if both are in that range.
  private static func wrapped(west: Double, east: Double) -> (west: Double, east: Double) {
    if east - west >= 360 { return (-180, 180) }
    let range = -180.0...180.0
    if range.contains(west), range.contains(east) { return (west, east) }
    let sides = (wrapped(west), wrapped(east))
    // narrower than 360°, this box is the antimeridian alone, not -180...180
    return sides == (-180, 180) ? (180, 180) : sides
  }

  private static func wrapped(_ longitude: Double) -> Double {
    longitude.magnitude <= 180 ? longitude : longitude.remainder(dividingBy: 360)
  }
}

/// Orders as values of `sortby`: `name`, `-rating`, `-rating,distance`.
extension Order {
  /// Parses keys, separated by commas; - before one sorts descending.
  ///
  /// - Throws: `QueryError` if the text is not an order by some of them.
  init(sortBy text: String, among keys: [Key] = Key.allCases) throws(QueryError) {
    var terms: [Term] = []
    // keys are ASCII and short: other texts are rejected before they are compared
    let isShort = text.utf8.count <= 20 * Self.maximumTerms && text.utf8.allSatisfy { $0 < 0x80 }
    for name in isShort ? text.split(separator: ",", omittingEmptySubsequences: false) : [""] {
      let isDescending = name.hasPrefix("-")
      let key = Key(rawValue: String(isDescending ? name.dropFirst() : name))
      guard let key, keys.contains(key) else {
        let words = Self.words(of: keys).joined(separator: ", ")
        throw QueryError(
          "sortby",
          "expected one of \(words), or several separated by commas, got \(quoted(text))"
        )
      }
      terms.append(Term(key, descending: isDescending))
    }
    do {
      try self.init(terms)
    } catch {
      throw QueryError("sortby", error.reason)
    }
  }

  /// The terms by some keys, as `sortby` has them.
  static func words(of keys: [Key]) -> [String] {
    keys.flatMap { [$0.rawValue, "-" + $0.rawValue] }
  }

  /// The order as a value of `sortby`.
  var sortBy: String {
    terms.map { ($0.isDescending ? "-" : "") + $0.key.rawValue }.joined(separator: ",")
  }
}

/// Numbers in parameters and bodies, in the forms that the tool's options take.
enum DecimalText {
  /// The number; nil if the text has another form or the value is not finite.
  static func number(_ text: String) -> Double? {
    decimal(text).flatMap { $0.isFinite ? $0 : nil }
  }

  /// The whole number; nil if the text is not digits with an optional minus.
  ///
  /// A number that does not fit is clamped; the parameter's range is checked later.
  static func integer(_ text: String) -> Int? {
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
    guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
    return Int(text) ?? (isNegative ? .min : .max)
  }
}

/// The parameter `datetime` (/req/core/fc-time-definition), which is checked although restaurants
/// have no time.
enum TimeText {
  /// Rejects anything but an RFC 3339 instant or an interval of two, either end of which may be
  /// open.
  ///
  /// - Throws: `Problem` 400.
  static func check(_ text: String) throws {
    // an unescaped plus in a query is a blank, and a zone may begin with a plus
    let written = text.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }
    let ends = written.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    let isOpen = ends.map { $0.isEmpty || $0.isUTF8Equal(to: "..") }
    let times = ends.map { CalendarDay.seconds(ofInstant: $0) }
    let isValid =
      switch ends.count {
      case 1: times[0] != nil
      // one end may be open, but not both
      case 2 where isOpen[0]: times[1] != nil
      case 2 where isOpen[1]: times[0] != nil
      case 2: times[0].flatMap { start in times[1].map { start <= $0 } } ?? false
      default: false
      }
    guard isValid else {
      throw Problem.invalid(
        "datetime",
        "expected an instant such as 2026-03-01T12:00:00Z or an interval such as "
          + "2026-03-01T00:00:00Z/.., got \(quoted(text))"
      )
    }
  }
}

extension Want {
  /// Reads a want of a request, which is not for favorites: those have an access rule of their own.
  init(requested text: String) throws(QueryError) {
    try self.init(parsing: text)
    guard case .filter(let filter) = places, filter.testsFavorites else { return }
    throw QueryError("want", "favorite is not a field of wants here")
  }
}
