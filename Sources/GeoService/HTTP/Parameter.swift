import GeoQuery

/// The declaration of a query parameter, from which both the parser and the OpenAPI document are
/// made.
struct Parameter: Hashable, Sendable {
  /// The accepted values.
  enum Kind: Hashable, Sendable {
    /// A number in a range.
    case number(ClosedRange<Double>)
    /// Meters in a range, or a number with one of the units m, km, mi and ft.
    case distance(ClosedRange<Double>)
    /// A whole number in a range; a greater one is an error, or is clamped.
    case integer(ClosedRange<Int>, clamps: Bool)
    /// 4 or 6 numbers.
    case box
    /// Any text that is not empty.
    case text
    /// A text that is not empty, of at most `ServiceLimits.textLength` bytes.
    case filter
    /// One or more such texts, at most `ServiceLimits.listEntries`, separated by commas.
    case filters
    /// Conditions joined by `and`, at most `ServiceLimits.conditions`.
    case conditions
    /// One or more ids, at most `ServiceLimits.ids`, separated by commas.
    case ids
    /// One of the given words.
    case word([String])
    /// An order by one or more of these keys, separated by commas.
    case order([Order.Key])
    /// A want, as `Want(parsing:)` reads it.
    case want
    /// Latitude and longitude, separated by a comma.
    case point
  }

  /// The name, case-sensitive.
  let name: String

  /// An alternative name.
  var otherName: String?

  /// A description in one sentence.
  var summary: String

  /// The accepted values.
  let kind: Kind

  /// Whether requests must have it.
  var isRequired = false

  /// The value if a request does not have it.
  var defaultValue: String?

  /// How often a request may have it, each time with another value.
  var maximumTimes = 1
}

extension Parameter {
  static let latitude = Parameter(
    name: "lat",
    summary: "Degrees north of the point to measure from.",
    kind: .number(-90...90),
    isRequired: true
  )

  static let longitude = Parameter(
    name: "lon",
    summary: "Degrees east of the point to measure from.",
    kind: .number(-180...180),
    isRequired: true
  )

  static let count = Parameter(
    name: "count",
    otherName: "k",
    summary: "The number of restaurants; k is another name for it.",
    kind: .integer(1...ServiceLimits.count, clamps: false),
    defaultValue: "10"
  )

  static let maximumDistance = Parameter(
    name: "max",
    summary:
      "The greatest distance along the WGS84 ellipsoid: meters, or a number with m, km, mi or ft "
      + "as in 1.5km; the boundary counts.",
    kind: .distance(0...Double(ServiceLimits.radius))
  )

  static let radius = Parameter(
    name: "radius",
    summary:
      "Meters along the WGS84 ellipsoid, or a number with m, km, mi or ft as in 1.5km; the boundary "
      + "counts.",
    kind: .distance(0...Double(ServiceLimits.radius)),
    isRequired: true
  )

  static let requiredBox = Parameter(
    name: "bbox",
    summary:
      "West, south, east, north in degrees, longitude first; edges count, and west > east crosses the "
      + "antimeridian. Longitudes beyond -180...180 are wrapped; a box 360 degrees wide or wider is the "
      + "whole globe. Of six numbers the third and sixth, heights, are ignored.",
    kind: .box,
    isRequired: true
  )

  static let box = requiredBox.optional()

  /// Names of the only reference system, as clients of OGC API – Features, Part 2 send them.
  private static let referenceSystems = [
    "http://www.opengis.net/def/crs/OGC/1.3/CRS84", "urn:ogc:def:crs:OGC:1.3:CRS84", "OGC:CRS84",
    "CRS84",
  ]

  static let boxCRS = Parameter(
    name: "bbox-crs",
    summary: "The reference system of bbox; there is only one.",
    kind: .word(referenceSystems)
  )

  static let crs = Parameter(
    name: "crs",
    summary: "The reference system of positions in the answer; there is only one.",
    kind: .word(referenceSystems)
  )

  /// /req/core/fc-limit-definition.
  static let limit = Parameter(
    name: "limit",
    summary: "Maximum number of restaurants; values above the maximum give the maximum.",
    kind: .integer(1...ServiceLimits.features, clamps: true),
    defaultValue: "10"
  )

  static let largeLimit = limit.optional(defaultValue: "\(ServiceLimits.features)")

  static let offset = Parameter(
    name: "offset",
    summary: "The number of restaurants to skip.",
    kind: .integer(0...1_000_000_000, clamps: false),
    defaultValue: "0"
  )

  static let cursor = Parameter(
    name: "cursor",
    summary: "The cursor of a page, as in a next or prev link.",
    kind: .text
  )

  /// /req/core/fc-time-definition.
  static let datetime = Parameter(
    name: "datetime",
    summary: "An RFC 3339 instant or interval; restaurants have no time, so all match.",
    kind: .text
  )

  static let category = Parameter(
    name: "category",
    summary:
      "Only this category, ignoring case and accents; it also matches a part of a list (Thai, Bars) "
      + "or a path (Dining > Thai). Separate several by commas to match any of them, at most "
      + "\(ServiceLimits.listEntries); each has at most \(ServiceLimits.textLength) bytes of UTF-8.",
    kind: .filters
  )

  static let city = Parameter(
    name: "city",
    summary:
      "Only in this city, ignoring case and accents; at most \(ServiceLimits.textLength) "
      + "bytes of UTF-8.",
    kind: .filter
  )

  static let text = Parameter(
    name: "q",
    summary:
      "Only restaurants in which each of these words starts a word in name, category, address or city; "
      + "at most \(ServiceLimits.textLength) bytes of UTF-8.",
    kind: .filter
  )

  static let filter = Parameter(
    name: "filter",
    summary:
      "Only restaurants that meet the conditions FIELD OP VALUE, joined by and: rating >= 4 and city = Dallas. "
      + "Operators are = != < <= > >= and ~ (contains); put a value that contains the word and in "
      + "quotes, single or double. At most \(ServiceLimits.conditions) conditions, a value at most "
      + "\(ServiceLimits.textLength) bytes of UTF-8. Fields are "
      + Condition.Field.allCases.map(\.usage).joined(separator: ", ")
      + ": a field of the feed without a key of its own; separate nested names by dots.",
    kind: .conditions
  )

  static let ids = Parameter(
    name: "ids",
    summary:
      "Only restaurants with one of these ids, at most \(ServiceLimits.ids), separated by commas.",
    kind: .ids
  )

  static let favorite = Parameter(
    name: "favorite",
    summary: "Only favorites. Requires read access to favorites.",
    kind: .word(["true"])
  )

  static let mark = Parameter(
    name: "mark",
    summary:
      "Marks the favorites in the answer with favorite: true. Requires read access to "
      + "favorites.",
    kind: .word(["favorite"])
  )

  static let by = Parameter(
    name: "by",
    summary: "The field whose values are counted.",
    kind: .word(Facet.fields.map(\.rawValue)),
    isRequired: true
  )

  static let optionalLatitude = latitude.optional(
    "Latitude of the center of a circle; requires lon and radius."
  )

  static let optionalLongitude = longitude.optional(
    "Longitude of the center of a circle; requires lat and radius."
  )

  static let optionalRadius = radius.optional()

  static let sortByAny = Parameter(
    name: "sortby",
    summary: sortBy.summary,
    kind: .order(Order.Key.allCases)
  )

  static let sortBy = Parameter(
    name: "sortby",
    summary:
      "The sort key, or several, each for what is equal by those before it; - sorts descending. "
      + "Missing values come last, ties are broken by id.",
    kind: .order(Order.Key.allCases.filter { $0 != .distance })
  )

  static let format = Parameter(
    name: "f",
    summary: "The representation; overrides the header Accept.",
    kind: .word(["json", "html"])
  )

  static let anyFormat = Parameter(
    name: "f",
    summary: "The representation; overrides the header Accept.",
    kind: .word(["json", "html", "csv"])
  )

  static let tableFormat = Parameter(
    name: "f",
    summary: "The representation; overrides the header Accept.",
    kind: .word(["json", "csv"])
  )

  static let jsonFormat = Parameter(
    name: "f",
    summary: "The representation; there is only one.",
    kind: .word(["json"])
  )

  static let token = Parameter(
    name: "token",
    summary: "The service's token: opens a session in a browser.",
    kind: .text
  )

  static let zoom = Parameter(
    name: "zoom",
    summary:
      "The zoom whose tiles are the cells; without it the greatest at which the box touches at most "
      + "\(ServiceLimits.chosenCells).",
    kind: .integer(0...TileAddress.maximumZoom, clamps: false)
  )

  static let filters = [category, city, text, filter, favorite]

  /// The same parameter where a request need not have it, perhaps with another description.
  func optional(_ summary: String? = nil, defaultValue: String? = nil) -> Parameter {
    var parameter = self
    parameter.isRequired = false
    parameter.summary = summary ?? self.summary
    parameter.defaultValue = defaultValue
    return parameter
  }

  /// Whether only services that keep favorites have it.
  var isOfFavorites: Bool { self == .favorite || self == .mark }
}
