import GeoIndex
import GeoQuery

/// Reads a position in any form that feeds use, and describes what is wrong with it.
struct CoordinateReading {
  let coordinate: Coordinate

  /// Warnings about accepted values: numbers written as text.
  let warnings: [String]

  /// Reads both values; `isText` if the format writes every number as text, so that this causes no
  /// warning.
  init(latitude: JSONValue?, longitude: JSONValue?, isText: Bool = false) throws(FeedProblem) {
    var warnings: [String] = []
    let north = try Self.degrees(latitude, "latitude", &warnings)
    let east = try Self.degrees(longitude, "longitude", &warnings)
    if isText { warnings = [] }
    guard (-90...90).contains(north) else {
      let canBeSwapped = (-90...90).contains(east) && (-180...180).contains(north)
      throw FeedProblem(
        "latitude \(north) is not in -90...90"
          + (canBeSwapped ? "; are latitude and longitude swapped?" : "")
      )
    }
    guard let coordinate = Coordinate(latitude: north, longitude: east) else {
      throw FeedProblem("longitude \(east) is not in -180...180")
    }
    (self.coordinate, self.warnings) = (coordinate, warnings)
  }

  /// Makes a position that was found in another way, as warnings tell.
  init(_ coordinate: Coordinate, warnings: [String]) {
    (self.coordinate, self.warnings) = (coordinate, warnings)
  }

  /// A restaurant at this position.
  func restaurant(_ name: String, _ source: String) -> Restaurant {
    Restaurant(id: "", name: name, coordinate: coordinate, source: source)
  }

  /// Makes the center of an outline, because ways and areas have no position; it may cross ±180 if it is
  /// not wider than half the globe.
  init(middleOf corners: [(latitude: Double, longitude: Double)]) throws(FeedProblem) {
    let (north, south) = (corners.map(\.latitude).max(), corners.map(\.latitude).min())
    let longitudes = corners.map(\.longitude)
    guard let north, let south, let east = longitudes.max(), let west = longitudes.min() else {
      throw FeedProblem("the outline has no position")
    }
    guard east - west > 180 else {
      try self.init(middleOf: (west, south, east, north))
      return
    }
    let eastern = longitudes.filter { $0 >= 0 }.min() ?? west
    let western = longitudes.filter { $0 < 0 }.max() ?? east
    try self.init(middleOf: (eastern, south, western, north))
  }

  /// Makes the center of bounds; west > east crosses ±180.
  init(
    middleOf box: (west: Double, south: Double, east: Double, north: Double)
  ) throws(FeedProblem) {
    let crosses = box.west > box.east
    let width = box.east - box.west + (crosses ? 360 : 0)
    let isOnGlobe = [box.west, box.east].allSatisfy((-180...180).contains)
    guard isOnGlobe, width <= 180,
      let middle = Coordinate(
        latitude: (box.north + box.south) / 2,
        longitude: (box.west + width / 2) - (box.west + width / 2 > 180 ? 360 : 0)
      )
    else { throw FeedProblem("the outline has no center on the globe") }
    coordinate = middle
    warnings = ["position taken from the center of the outline's bounding box"]
  }

  private static func degrees(
    _ value: JSONValue?,
    _ name: String,
    _ warnings: inout [String]
  ) throws(FeedProblem) -> Double {
    let token: String
    switch value {
    case nil, .null?: throw FeedProblem("\(name) is missing")
    case .number(let digits)?: token = digits
    case .string(let text)?:
      let plain = text.trimmed
      guard let degrees = isDecimal(plain) ? plain : SexagesimalDegrees.decimal(plain, of: name)
      else { throw FeedProblem("\(name) \"\(shortened(text))\" is not a number") }
      token = degrees
      warnings.append("\(name) \"\(shortened(text))\" is text; read as a number")
    case let other?: throw FeedProblem("\(name) is \(other.kind), not a number")
    }
    guard let degrees = Double(token), degrees.isFinite else {
      throw FeedProblem("\(name) \(shortened(token)) is too large for a number")
    }
    return degrees
  }

  // MARK: - Positions that are one value

  /// Names of latitude and longitude in an object, the preferred ones first.
  private static let names = (
    latitude: ["latitude", "lat"], longitude: ["longitude", "lon", "lng", "long"]
  )

  /// Reads a position: two numbers in a text or a list, WKT, WKB in hexadecimal digits, an object with
  /// latitude and longitude or with such coordinates, a GeoJSON Point, or a text with such an object.
  ///
  /// The member's name tells the order of two numbers, unless `order` does.
  init(
    point value: JSONValue,
    named name: String = "",
    order: PairOrder? = nil
  ) throws(FeedProblem) {
    if let pair = NumberPair(value, named: name) {
      try self.init(pair, order ?? pair.usualOrder)
      return
    }
    if case .string(let text) = value {
      if let inner = JSONValue(nestedIn: text), case .object = inner {
        try self.init(point: inner)
      } else if let point = try WellKnownBinary.point(in: text) {
        let (y, x) = (point.y.description, point.x.description)
        try self.init(latitude: .number(y), longitude: .number(x))
      } else if order != .longitudeFirst || text.contains(where: "NSEWnsew".contains),
        let place = PositionText.degrees(in: text)
      {
        let (y, x) = (place.latitude.description, place.longitude.description)
        try self.init(latitude: .number(y), longitude: .number(x))
      } else {
        try self.init(wellKnownText: text)
      }
      return
    }
    let fields = JSONFields(value)
    if fields.value("type") == .string("Point"),
      case .array(let place)? = fields.value("coordinates"),
      (2...3).contains(place.count)
    {
      try self.init(latitude: place[1], longitude: place[0], isText: true)
      return
    }
    for name in ["coordinates", "coordinate"] {
      guard let inner = fields.value(name), !inner.isNull else { continue }
      try self.init(point: inner, named: name, order: order)
      return
    }
    try self.init(
      latitude: Self.names.latitude.lazy.compactMap { fields.value($0) }.first,
      longitude: Self.names.longitude.lazy.compactMap { fields.value($0) }.first,
      isText: true
    )
  }

  /// Reads two numbers in an order.
  init(_ pair: NumberPair, _ order: PairOrder) throws(FeedProblem) {
    let (latitude, longitude) =
      order == .latitudeFirst ? (pair.first, pair.second) : (pair.second, pair.first)
    try self.init(latitude: latitude, longitude: longitude, isText: true)
  }

  /// Whether a value is such a position, of two numbers in any order.
  static func isPoint(_ value: JSONValue, named name: String) -> Bool {
    if let pair = NumberPair(value, named: name) {
      return pair.isPossible(.latitudeFirst) || pair.isPossible(.longitudeFirst)
    }
    return (try? CoordinateReading(point: value, named: name)) != nil
  }

  /// The text before the numbers of `14 Belt Line Rd (32.95, -96.82)`; nil if there is none.
  static func text(besidePointIn text: String) -> String? {
    guard text.utf8.last == UInt8(ascii: ")"), NumberPair(.string(text), named: "") != nil,
      let open = text.lastIndex(of: "(")
    else { return nil }
    let beside = String(text[..<open]).trimmed
    return beside.isEmpty ? nil : beside
  }

  /// Reads a point as well-known text: `POINT(-96.82 32.95)`, longitude first; a height and a
  /// leading `SRID=4326;` are allowed.
  init(wellKnownText text: String) throws(FeedProblem) {
    // only ASCII, because other text takes long to compare
    var rest = text.utf8.allSatisfy { $0 < 0x80 } ? Substring(text).drop { $0 == " " } : ""
    if rest.prefix(5).uppercased() == "SRID=" {
      guard rest.dropFirst(5).hasPrefix("4326;") else {
        throw FeedProblem("the point \"\(shortened(text))\" is not in WGS84 degrees (SRID 4326)")
      }
      rest = rest.dropFirst(10)
    }
    let words = rest.split { $0 == " " || $0 == "(" || $0 == ")" }
    let kind = words.first?.uppercased() ?? ""
    // a collection of one point is that point
    let isCollection = kind == "MULTIPOINT" || kind == "GEOMETRYCOLLECTION"
    let others = isCollection ? ["POINT"] : ["Z", "M", "ZM"]
    let numbers = words.dropFirst().filter { !others.contains($0.uppercased()) }.map(String.init)
    let isPoint =
      isCollection
      ? (2...3).contains(numbers.count) && !rest.contains(",")
      : (kind == "POINT" || kind == "POINTZ") && (2...4).contains(numbers.count)
        && rest.filter { $0 == "(" || $0 == ")" } == "()"
    guard isPoint else {
      throw FeedProblem("\"\(shortened(text))\" is not a WKT point such as POINT(-96.82 32.95)")
    }
    try self.init(latitude: .string(numbers[1]), longitude: .string(numbers[0]), isText: true)
  }
}

/// The order of two numbers in one value.
public enum PairOrder: String, Sendable, CaseIterable {
  /// Latitude, then longitude.
  case latitudeFirst = "lat,lon"
  /// Longitude, then latitude.
  case longitudeFirst = "lon,lat"

  /// The other order.
  var reversed: PairOrder { self == .latitudeFirst ? .longitudeFirst : .latitudeFirst }
}

/// Two numbers in one value: `[32.95, -96.82]`, or the text `32.95, -96.82` or `32,95 -96,82`, also in
/// parentheses at the end of an address.
struct NumberPair {
  let first: JSONValue
  let second: JSONValue

  /// The order, unless the feed or the user says otherwise.
  let usualOrder: PairOrder

  /// Names of members whose lists have longitude first, as GeoJSON's.
  private static let longitudeFirst: Set<UTF8Key> = [
    "coordinates", "geometrycoordinates", "geopoint", "geopoint2d",
  ]

  /// Finds two numbers; nil if the value is anything else.
  init?(_ value: JSONValue, named name: String) {
    var isList = false
    switch value {
    case .array(let numbers):
      // a third is a height
      guard (2...3).contains(numbers.count) else { return nil }
      (first, second, isList) = (numbers[0], numbers[1], true)
    case .string(let cell):
      guard cell.utf8.count <= 1_000, !cell.lowercased().contains("point") else { return nil }
      var inner = cell.trimmed[...]
      if inner.utf8.first == UInt8(ascii: "["), inner.utf8.last == UInt8(ascii: "]") {
        inner = inner.dropFirst().dropLast()
        isList = true
      } else if inner.utf8.last == UInt8(ascii: ")") {
        guard let open = inner.lastIndex(of: "(") else { return nil }
        inner = inner[inner.index(after: open)...].dropLast()
      }
      var numbers = String(inner).parts(between: ",").map(\.trimmed)
      if numbers.count != 2 || !numbers.allSatisfy(isDecimal) {
        // the comma may be in each number
        let words = String(inner).replacing(",", with: ".").split { " ;".contains($0) }
        numbers = words.map(String.init)
      }
      guard numbers.count == 2, numbers.allSatisfy(isDecimal) else { return nil }
      (first, second) = (.string(numbers[0]), .string(numbers[1]))
    default: return nil
    }
    let isGeoJSON = isList && Self.longitudeFirst.contains(UTF8Key(bareName(name)))
    usualOrder = isGeoJSON ? .longitudeFirst : .latitudeFirst
  }

  /// Whether the numbers are a position in an order.
  func isPossible(_ order: PairOrder) -> Bool {
    (try? CoordinateReading(self, order)) != nil
  }
}

/// A point in well-known binary, as PostGIS and geopandas write it: in hexadecimal digits.
enum WellKnownBinary {
  /// The point, which may be the only one of a collection; nil if the text is not well-known binary.
  static func point(in text: String) throws(FeedProblem) -> (x: Double, y: Double)? {
    var digits = Substring(text).utf8
    if digits.starts(with: "\\x".utf8) || digits.starts(with: "0x".utf8) {
      digits = digits.dropFirst(2)
    }
    guard digits.count >= 42, digits.starts(with: "00".utf8) || digits.starts(with: "01".utf8),
      digits.count.isMultiple(of: 2)
    else { return nil }
    let values = digits.prefix(400).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard values.count == min(digits.count, 400) else { return nil }
    var rest = stride(from: 0, to: values.count, by: 2)
      .map { UInt8(values[$0] << 4 | values[$0 + 1]) }[...]
    return try point(&rest)
  }

  private static func point(
    _ bytes: inout ArraySlice<UInt8>
  ) throws(FeedProblem) -> (x: Double, y: Double) {
    let isLittle = bytes.popFirst() == 1
    let type = try UInt32(truncatingIfNeeded: number(4, isLittle, &bytes))
    if type & 0x2000_0000 != 0 {
      let system = try number(4, isLittle, &bytes)
      guard system == 4326 else {
        throw FeedProblem("the point has the SRID \(system), not WGS84 degrees (SRID 4326)")
      }
    }
    // the dimensions are in the high bits, or in the thousands
    switch type & 0x0FFF_FFFF % 1_000 {
    case 1:
      let x = try Double(bitPattern: number(8, isLittle, &bytes))
      let y = try Double(bitPattern: number(8, isLittle, &bytes))
      guard x.isFinite, y.isFinite else { throw FeedProblem("the point is empty") }
      return (x, y)
    case 4, 7:
      guard try number(4, isLittle, &bytes) == 1 else {
        throw FeedProblem("the geometry is not one point")
      }
      return try point(&bytes)
    default: throw FeedProblem("the geometry is not a point")
    }
  }

  private static func number(
    _ count: Int,
    _ isLittle: Bool,
    _ bytes: inout ArraySlice<UInt8>
  ) throws(FeedProblem) -> UInt64 {
    guard bytes.count >= count else { throw FeedProblem("the point ends too early") }
    let part = bytes.prefix(count)
    bytes = bytes.dropFirst(count)
    return (isLittle ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// Degrees as people write them: `52°29'37.0"N`, `96° 49.5' W`, `N 52.49`, `−96,82`.
enum SexagesimalDegrees {
  /// The signs for degrees, minutes and seconds.
  private static let signs: [Set<Unicode.Scalar>] = [
    ["°", "º", "˚", "d", "D"], ["'", "′", "’", "´", "m"], ["\"", "″", "”", "“", "s"],
  ]

  /// The same as a plain decimal number; nil for another text.
  ///
  /// Only the last part may have a fraction, with a point or a comma. A hemisphere's letter comes
  /// first or last, without a sign, and must be one of the axis. Without a letter or a sign for
  /// degrees there is only one part, because `52 29` may be anything. A number in the south or west is
  /// negative.
  static func decimal(_ text: String, of axis: String) -> String? {
    guard text.utf8.count <= 60 else { return nil }
    var scalars = Array(text.unicodeScalars)
    let hemispheres: [Unicode.Scalar: Bool] =
      axis == "latitude"
      ? ["N": false, "n": false, "S": true] : ["E": false, "e": false, "W": true, "w": true]
    var isNegative: Bool?
    // a small s stands for seconds
    if let first = scalars.first, let found = hemispheres[first] {
      isNegative = found
      scalars.removeFirst()
    } else if let last = scalars.last, let found = hemispheres[last] {
      isNegative = found
      scalars.removeLast()
    }
    guard let parts = parts(of: scalars, isLettered: isNegative != nil) else { return nil }
    var degrees = 0.0
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      guard let value = GeoQuery.decimal(part), isLast || Int(part) != nil else { return nil }
      guard index == 0 || (0..<60).contains(value) else { return nil }
      degrees += value.magnitude / [1, 60, 3_600][index]
    }
    let hasSign = parts[0].utf8.first == UInt8(ascii: "-")
    if hasSign, isNegative != nil { return nil }
    if parts.count == 1 { return (isNegative == true ? "-" : "") + parts[0] }
    return "\(isNegative ?? hasSign ? -degrees : degrees)"
  }

  /// The numbers of degrees, minutes and seconds, one to three; nil if there is anything else.
  private static func parts(of scalars: [Unicode.Scalar], isLettered: Bool) -> [String]? {
    var (parts, number, hasSign, signedCount) = ([String](), "", false, 0)
    for scalar in scalars {
      switch scalar {
      case "0"..."9", "+": number.unicodeScalars.append(scalar)
      case ".", ",": number += "."
      case "-", "\u{2212}", "\u{2013}": number += "-"
      case " ", "\u{A0}", "\u{202F}", ":":
        if !number.isEmpty { parts.append(number) }
        number = ""
        hasSign = hasSign || scalar == ":"
      default:
        if !number.isEmpty { parts.append(number) }
        number = ""
        guard (1...3).contains(parts.count), signs[parts.count - 1].contains(scalar) else {
          // two apostrophes are a sign for seconds
          guard parts.count == 3, signs[1].contains(scalar) else { return nil }
          continue
        }
        if signedCount == parts.count { return nil }
        (hasSign, signedCount) = (true, parts.count)
      }
    }
    if !number.isEmpty { parts.append(number) }
    let isKnown = parts.count == 1 || hasSign || isLettered
    return (1...3).contains(parts.count) && isKnown ? parts : nil
  }
}
