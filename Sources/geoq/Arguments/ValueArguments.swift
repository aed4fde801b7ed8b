import ArgumentParser
import GeoFeed
import GeoIndex
import GeoQuery
import GeoService

/// Parses a point: `LAT,LON`, `geo:LAT,LON`, or what `PositionText` reads.
///
/// Blanks around the numbers are ignored, and the separator may be a comma, a blank or a tab.
///
///     try parsePoint("32.7767, -96.7970")
///
/// - Throws: `ArgumentProblem` if the text has another form or a number is out of range.
func parsePoint(_ text: String) throws(ArgumentProblem) -> Coordinate {
  let trimmed = text.trimmingBlanks
  if trimmed.lowercased().begins(with: "geo:") {
    return try parseGeoURI(trimmed)
  }
  var fields = commaSeparated(trimmed)
  if fields.count == 1 {
    fields = trimmed.split { $0 == " " || $0 == "\t" }.map(String.init)
  }
  if fields.count == 2, let point = try point(latitude: fields[0], longitude: fields[1]) {
    return point
  }
  guard let point = PositionText.coordinate(in: trimmed) else {
    throw ArgumentProblem(expected: "LAT,LON", got: text)
  }
  return point
}

/// Parses a geo URI (RFC 5870): `geo:LAT,LON[,ALTITUDE][;NAME[=VALUE]]…`.
///
/// The altitude is ignored, and so is every parameter except `crs`, which must be `wgs84`.
private func parseGeoURI(_ text: String) throws(ArgumentProblem) -> Coordinate {
  let parts = String(text.unicodeScalars.dropFirst("geo:".count)).parts(between: ";")
  for parameter in parts.dropFirst() {
    // RFC 5870 §3.4.2: names and the value of crs are case-insensitive
    let words = UTF8Key(parameter.lowercased())
    guard words == "crs" || words.text.begins(with: "crs="), words != "crs=wgs84" else { continue }
    throw ArgumentProblem(expected: "crs=wgs84 or no crs", got: parameter)
  }
  let fields = commaSeparated(parts.first ?? "")
  guard (2...3).contains(fields.count), fields.allSatisfy({ parseDecimal($0) != nil }),
    let point = try point(latitude: fields[0], longitude: fields[1])
  else {
    throw ArgumentProblem(expected: "geo:LAT,LON", got: text)
  }
  return point
}

/// The point with these numbers; `nil` if they are not numbers.
private func point(
  latitude latitudeText: String,
  longitude longitudeText: String
) throws(ArgumentProblem) -> Coordinate? {
  guard let latitude = parseDecimal(latitudeText), let longitude = parseDecimal(longitudeText)
  else { return nil }
  guard (-90...90).contains(latitude) else {
    let isSwapped = (-180...180).contains(latitude) && (-90...90).contains(longitude)
    throw ArgumentProblem(
      "latitude \(latitudeText) is not in -90...90; points are LAT,LON"
        + (isSwapped ? ", did you swap them?" : "")
    )
  }
  guard (-180...180).contains(longitude) else {
    throw ArgumentProblem("longitude \(longitudeText) is not in -180...180")
  }
  return Coordinate(latitude: latitude, longitude: longitude)
}

/// The texts between commas, without the blanks around them.
func commaSeparated(_ text: some StringProtocol) -> [String] {
  String(text).parts(between: ",").map(\.trimmingBlanks)
}

/// Parses a box `W,S,E,N`, longitude first; blanks around the numbers are ignored.
///
///     try parseBox("-97, 32.5, -96.5, 33")
///
/// - Throws: `ArgumentProblem` if the text has another form, a number is out of range, or south is
///   north of north.
func parseBox(_ text: String) throws(ArgumentProblem) -> BoundingBox {
  let fields = commaSeparated(text)
  let numbers = fields.compactMap { parseDecimal($0) }
  guard fields.count == 4, numbers.count == 4 else {
    throw ArgumentProblem(expected: "W,S,E,N (longitude first)", got: text)
  }
  let sides = [("west", 180), ("south", 90), ("east", 180), ("north", 90)]
  for (index, side) in sides.enumerated() where numbers[index].magnitude > Double(side.1) {
    throw ArgumentProblem(
      "\(side.0) \(fields[index]) is not in -\(side.1)...\(side.1);"
        + " a box is W,S,E,N (longitude first)"
    )
  }
  guard numbers[1] <= numbers[3] else {
    throw ArgumentProblem("south \(fields[1]) is above north \(fields[3]); a box is W,S,E,N")
  }
  let box = BoundingBox(west: numbers[0], south: numbers[1], east: numbers[2], north: numbers[3])
  guard let box else { throw ArgumentProblem(expected: "W,S,E,N (longitude first)", got: text) }
  return box
}

/// Parses a distance, in meters: `500`, `1.5km`, `2 mi`, `300 FT`.
///
/// - Returns: A finite number of meters ≥ 0; a bare number is meters.
/// - Throws: `ArgumentProblem` if the text is not a distance.
func parseDistance(_ text: String) throws(ArgumentProblem) -> Double {
  let (number, factor) = DistanceUnits.split(text)
  guard let value = parseDecimal(number), (value * factor).isFinite else {
    throw ArgumentProblem(expected: "a distance such as 500, 1.5km, 2mi or 300ft", got: text)
  }
  guard value >= 0 else {
    throw ArgumentProblem("a distance is never negative, got \"\(terminalSafe(text))\"")
  }
  return value.magnitude * factor  // the magnitude of -0.0 is 0.0
}

/// The unit of distances in tables and messages: `--unit`, or the variable GEOQ_UNITS.
enum DistanceUnit: String, CaseIterable, ExpressibleByArgument {
  case m
  case km
  case mi
  case ft

  /// The name of the variable.
  static let variable = "GEOQ_UNITS"

  /// The unit that a command line or the environment names; nil for meters and kilometers, by size.
  ///
  /// - Throws: `ValidationError` if the variable has another value.
  static func chosen(_ arguments: [String]) throws -> DistanceUnit? {
    // the parser has checked an option
    let options = Array(arguments.prefix { $0 != "--" })
    if let option = lastValue(of: "--unit", in: options) { return DistanceUnit(rawValue: option) }
    guard let named = CommandContext.variable(variable), !named.isEmpty else { return nil }
    guard let unit = DistanceUnit(rawValue: named) else {
      throw ValidationError("\(variable): expected m, km, mi or ft, got \"\(terminalSafe(named))\"")
    }
    return unit
  }

  /// A distance rounded for people: whole meters and feet; kilometers and miles with three digits.
  func text(_ meters: Double) -> String {
    let value = meters / DistanceUnits.split("1" + rawValue).meters
    let isSmall = self == .m || self == .ft
    let scale = isSmall || value >= 99.95 ? 1.0 : value >= 9.995 ? 10 : 100
    let scaled = Int((value * scale).rounded())
    let decimals =
      scale == 1 ? "" : "." + String(scaled % Int(scale)).leftPadded(scale == 10 ? 1 : 2)
    return "\(grouped(scaled / Int(scale)))\(decimals) \(rawValue)"
  }
}

extension String {
  /// A number's text with zeros before it, so that it has this many digits.
  func leftPadded(_ digits: Int) -> String {
    String(repeating: "0", count: max(0, digits - count)) + self
  }
}

/// A distance rounded for people: `87 m`, `1.4 km`, `12 km`, `13,800 km`; in another unit if one is chosen.
///
/// Whole meters below a kilometer, one decimal below ten, whole kilometers beyond.
///
/// - Precondition: 0 ≤ `meters` ≤ 10¹².
func formatDistance(_ meters: Double) -> String {
  precondition((0...1e12).contains(meters), "A distance must be a finite number of meters ≥ 0.")
  if let unit = CommandContext.current.unit { return unit.text(meters) }
  if meters < 999.5 { return "\(Int(meters.rounded())) m" }
  let tenths = Int((meters / 100).rounded())
  if tenths < 100 { return "\(tenths / 10).\(tenths % 10) km" }
  return grouped(Int((meters / 1_000).rounded())) + " km"
}

/// The value of an option among arguments that are not parsed; nil if it is not there.
func lastValue(of option: String, in arguments: [String]) -> String? {
  if let place = arguments.lastIndex(of: option) {
    return arguments.dropFirst(place + 1).first ?? ""
  }
  return arguments.last { $0.hasPrefix(option + "=") }.map {
    String($0.dropFirst(option.count + 1))
  }
}

/// Rejects a number that a rule does not allow.
func require(_ number: Int?, in range: some RangeExpression<Int>, _ rule: String) throws {
  if let number, !range.contains(number) { throw ValidationError("\(rule), got \(number)") }
}

/// The error of an option whose value has another form.
func unexpected(_ option: String, _ value: String, _ expected: String) -> ValidationError {
  ValidationError("\(option): expected \(expected), got \"\(terminalSafe(value))\"")
}

/// A named place: `NAME=LAT,LON`.
struct PlaceArgument: ExpressibleByArgument {
  /// The maximum length of a name in bytes of UTF-8.
  private static let nameLength = 60

  let place: NamedPlace

  init?(argument: String) {
    guard let mark = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    let name = String(argument[..<mark]).trimmingBlanks
    let point = String(argument[argument.utf8.index(after: mark)...])
    guard (1...Self.nameLength).contains(name.utf8.count),
      let coordinate = try? parsePoint(point)
    else { return nil }
    place = NamedPlace(name: name, coordinate: coordinate)
  }
}

/// Parses a number as people write coordinates and distances: `12`, `-96.797`, `.5`, `+1.5e3`.
///
/// An optional sign, digits with at most one decimal point, and an optional exponent; ASCII only.
/// No hexadecimal, `inf`, `nan`, underscores, decimal commas or blanks.
///
/// - Returns: `nil` if the text has another form or its value is not finite, as in `1e400`.
func parseDecimal(_ text: some StringProtocol) -> Double? {
  decimal(String(text)).flatMap { $0.isFinite ? $0 : nil }
}

extension String {
  /// The help of an option, with the name of its value.
  func value(_ name: String) -> ArgumentHelp { ArgumentHelp(self, valueName: name) }
}

/// What is wrong with the value of an option: one sentence, without the option's name.
struct ArgumentProblem: Error, CustomStringConvertible, Equatable {
  /// The sentence, in lower case and without a period, as it follows `Error: --at: `.
  let description: String

  /// Makes a problem.
  init(_ description: String) {
    self.description = description
  }

  /// The problem of a value in the wrong form; control characters in it are made visible.
  init(expected form: String, got text: String) {
    description = "expected \(form), got \"\(terminalSafe(text.truncated(toWidth: 60)))\""
  }
}
