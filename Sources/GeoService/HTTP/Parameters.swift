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

  /// Checks the declared parameters of a page; all others are read by the page itself (`PageState`).
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
        _ = try Want(parsing: value)
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
  /// Parses an order.
  ///
  /// - Parameters:
  ///   - text: The keys, separated by commas; - before one sorts descending.
  ///   - keys: The possible keys.
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

/// Parses numbers in parameters and bodies: ASCII digits, an optional minus, a fraction, an
/// exponent.
///
/// This is the number of RFC 8259 §6, with leading zeros allowed. `Double(String)` also accepts
/// `nan`, `inf`, `0x10` and `5.`, and makes `1e400` infinite.
enum DecimalText {
  /// The number; nil if the text has another form or the value is not finite.
  static func number(_ text: String) -> Double? {
    var rest = text.utf8[...]
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    guard dropDigits(&rest) else { return nil }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard dropDigits(&rest) else { return nil }
    }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        rest.removeFirst()
      }
      guard dropDigits(&rest) else { return nil }
    }
    guard rest.isEmpty, let value = Double(text), value.isFinite else { return nil }
    return value
  }

  /// The whole number; nil if the text is not digits with an optional minus.
  ///
  /// A number that does not fit is clamped; the parameter's range is checked later.
  static func integer(_ text: String) -> Int? {
    var rest = text.utf8[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest.removeFirst() }
    guard dropDigits(&rest), rest.isEmpty else { return nil }
    return Int(text) ?? (isNegative ? .min : .max)
  }

  private static func dropDigits(_ rest: inout Substring.UTF8View) -> Bool {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    rest.removeFirst(digits.count)
    return !digits.isEmpty
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
    let isValid: Bool
    switch ends.count {
    case 1: isValid = isInstant(ends[0])
    case 2:
      let isOpen = ends.map { $0.isEmpty || $0.isUTF8Equal(to: "..") }
      // one end may be open, but not both
      isValid =
        zip(ends, isOpen).allSatisfy { $1 || isInstant($0) } && !(isOpen[0] && isOpen[1])
        && (isOpen[0] || isOpen[1] || seconds(ends[0]) <= seconds(ends[1]))
    default: isValid = false
    }
    guard isValid else {
      throw Problem.invalid(
        "datetime",
        "expected an instant such as 2026-03-01T12:00:00Z or an interval such as "
          + "2026-03-01T00:00:00Z/.., got \(quoted(text))"
      )
    }
  }

  /// Whether a text is an RFC 3339 date-time or full date.
  static func isInstant(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard matches(bytes.prefix(10), "dddd-dd-dd") else { return false }
    let date = String(decoding: bytes.prefix(10), as: UTF8.self)
    let parts = date.split(separator: "-").compactMap { Int($0) }
    guard (1...12).contains(parts[1]), (1...days(of: parts[1], in: parts[0])).contains(parts[2])
    else { return false }
    return bytes.count == 10 || isTime(bytes.dropFirst(10))
  }

  private static func isTime(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard matches(bytes.prefix(9), "Tdd:dd:dd") else { return false }
    let numbers = String(decoding: bytes.prefix(9).dropFirst(), as: UTF8.self)
      .split(separator: ":").compactMap { Int($0) }
    guard numbers[0] < 24, numbers[1] < 60, numbers[2] <= 60 else { return false }
    var rest = bytes.dropFirst(9)
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty else { return false }
      rest = rest.dropFirst(digits.count + 1)
    }
    if matches(rest, "Z") { return true }
    guard matches(rest, "+dd:dd") || matches(rest, "-dd:dd") else { return false }
    let zone = String(decoding: rest.dropFirst(), as: UTF8.self)
      .split(separator: ":").compactMap { Int($0) }
    return zone[0] < 24 && zone[1] < 60
  }

  /// Whether bytes match a pattern: `d` is a digit, letters match in either case, and all else
  /// matches itself.
  private static func matches(_ bytes: some Collection<UInt8>, _ form: String) -> Bool {
    bytes.count == form.utf8.count
      && zip(bytes, form.utf8).allSatisfy { byte, mark in
        switch mark {
        case UInt8(ascii: "d"): (0x30...0x39).contains(byte)
        case UInt8(ascii: "T"), UInt8(ascii: "Z"): byte == mark || byte == mark | 0x20
        default: byte == mark
        }
      }
  }

  private static func days(of month: Int, in year: Int) -> Int {
    let isLeap = (year.isMultiple(of: 4) && !year.isMultiple(of: 100)) || year.isMultiple(of: 400)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  /// Seconds since the year 0 in UTC of a text for which `isInstant` is true; a date is its first
  /// moment.
  private static func seconds(_ instant: String) -> Double {
    let bytes = Array(instant.utf8)
    func number(_ range: Range<Int>) -> Int {
      bytes[range].reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }
    let (year, month) = (number(0..<4), number(5..<7))
    let before = (1..<month).reduce(0) { $0 + days(of: $1, in: year) }
    let leapDays = year == 0 ? 0 : (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 + 1
    let midnight = (year * 365 + leapDays + before + number(8..<10) - 1) * 86_400
    guard bytes.count > 10 else { return Double(midnight) }
    let clock = number(11..<13) * 3_600 + number(14..<16) * 60 + number(17..<19)
    let rest = bytes[19...]
    let digits =
      rest.first == UInt8(ascii: ".") ? rest.dropFirst().prefix { $0 < 0x3A && $0 > 0x2F } : []
    let fraction = digits.reversed().reduce(0.0) { ($0 + Double($1 - 0x30)) / 10 }
    return Double(midnight + clock - zoneSeconds(bytes)) + fraction
  }

  /// Seconds east of UTC.
  private static func zoneSeconds(_ bytes: [UInt8]) -> Int {
    let zone = bytes.suffix(6)
    guard let sign = zone.first, "+-".utf8.contains(sign) else { return 0 }
    let digits = zone.dropFirst().compactMap { $0 == UInt8(ascii: ":") ? nil : Int($0) - 0x30 }
    let seconds = (digits[0] * 10 + digits[1]) * 3_600 + (digits[2] * 10 + digits[3]) * 60
    return sign == UInt8(ascii: "-") ? -seconds : seconds
  }
}
