import GeoQuery

/// Positions that are one value: WKT, a pair of numbers, or an object.
extension CoordinateReading {
  /// Names of members whose lists have longitude first, as GeoJSON's.
  static let longitudeFirst: Set<UTF8Key> = ["coordinates", "geopoint", "geopoint2d"]

  /// Names of latitude and longitude in an object, the preferred ones first.
  private static let names = (
    latitude: ["latitude", "lat"], longitude: ["longitude", "lon", "lng", "long"]
  )

  /// Reads a position: WKT, `(32.95, -96.82)` or `[32.95, -96.82]` with latitude first, an object
  /// with latitude and longitude, a GeoJSON Point, a text with such an object, or a list of two
  /// numbers.
  ///
  /// - Parameters:
  ///   - value: the position.
  ///   - name: the member's name, which tells the order of a list.
  /// - Throws: `FeedProblem` if it is none of these.
  init(point value: JSONValue, named name: String = "") throws(FeedProblem) {
    if case .array(let pair) = value, pair.count == 2 {
      let isLongitudeFirst = Self.longitudeFirst.contains(UTF8Key(bareName(name)))
      let (latitude, longitude) = isLongitudeFirst ? (pair[1], pair[0]) : (pair[0], pair[1])
      try self.init(latitude: latitude, longitude: longitude, isText: true)
      return
    }
    if case .string(let text) = value {
      if let inner = JSONValue(nestedIn: text), case .object = inner {
        try self.init(point: inner)
      } else if let pair = Self.pair(in: text) {
        try self.init(latitude: pair.latitude, longitude: pair.longitude, isText: true)
      } else {
        try self.init(wellKnownText: text)
      }
      return
    }
    let bag = MemberBag(value)
    if bag.value("type") == .string("Point"), case .array(let place)? = bag.value("coordinates"),
      (2...3).contains(place.count)
    {
      try self.init(latitude: place[1], longitude: place[0], isText: true)
      return
    }
    try self.init(
      latitude: Self.names.latitude.lazy.compactMap { bag.value($0) }.first,
      longitude: Self.names.longitude.lazy.compactMap { bag.value($0) }.first,
      isText: true
    )
  }

  /// Whether a value is such a position.
  static func isPoint(_ value: JSONValue, named name: String) -> Bool {
    (try? CoordinateReading(point: value, named: name)) != nil
  }

  /// The text before the numbers of `14 Belt Line Rd (32.95, -96.82)`; nil if there is none.
  static func text(besidePointIn text: String) -> String? {
    guard text.utf8.last == UInt8(ascii: ")"), pair(in: text) != nil,
      let open = text.lastIndex(of: "(")
    else { return nil }
    let beside = String(text[..<open]).trimmed
    return beside.isEmpty ? nil : beside
  }

  /// The numbers of `32.95, -96.82`, also in parentheses at the end of an address.
  private static func pair(in text: String) -> (latitude: JSONValue, longitude: JSONValue)? {
    guard text.utf8.count <= 1_000, !text.lowercased().contains("point") else { return nil }
    var inner = text.trimmed[...]
    if inner.utf8.first == UInt8(ascii: "["), inner.utf8.last == UInt8(ascii: "]") {
      inner = inner.dropFirst().dropLast()
    } else if inner.utf8.last == UInt8(ascii: ")") {
      guard let open = inner.lastIndex(of: "(") else { return nil }
      inner = inner[inner.index(after: open)...].dropLast()
    }
    let numbers = String(inner).parts(between: ",").map(\.trimmed)
    guard numbers.count == 2, numbers.allSatisfy(isDecimal) else { return nil }
    return (.string(numbers[0]), .string(numbers[1]))
  }

  /// Reads a point as well-known text: `POINT(-96.82 32.95)`, longitude first; a height and a
  /// leading `SRID=4326;` are allowed.
  ///
  /// - Throws: `FeedProblem` if the text has another form.
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
    // a collection of one point is that point
    let collections: Set = ["MULTIPOINT", "GEOMETRYCOLLECTION"]
    if let first = words.first?.uppercased(), collections.contains(first) {
      let tokens = words.dropFirst().filter { $0.uppercased() != "POINT" }
      if (2...3).contains(tokens.count), !rest.contains(",") {
        try self.init(
          latitude: .string(String(tokens[tokens.startIndex + 1])),
          longitude: .string(String(tokens[tokens.startIndex])),
          isText: true
        )
        return
      }
    }
    let kind = words.first?.uppercased()
    let numbers = Array(words.dropFirst().filter { !["Z", "M", "ZM"].contains($0.uppercased()) })
    let marks = rest.filter { $0 == "(" || $0 == ")" }
    guard kind == "POINT" || kind == "POINTZ", marks == "()", (2...4).contains(numbers.count) else {
      throw FeedProblem("\"\(shortened(text))\" is not a WKT point such as POINT(-96.82 32.95)")
    }
    try self.init(
      latitude: .string(String(numbers[1])),
      longitude: .string(String(numbers[0])),
      isText: true
    )
  }
}
