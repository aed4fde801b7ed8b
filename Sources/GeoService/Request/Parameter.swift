/// A query parameter as it is declared: what the parser checks is what the OpenAPI document says.
struct Parameter: Hashable, Sendable {
  /// What a value has to be.
  enum Kind: Hashable, Sendable {
    /// A number in a range.
    case number(ClosedRange<Double>)
    /// A whole number from a least to a greatest; above that it is an error, or clamped.
    case integer(ClosedRange<Int>, clamps: Bool)
    /// 4 or 6 numbers.
    case box
    /// Any text that is not empty.
    case text
    /// A text that is not empty, of at most `ServiceLimits.textLength` bytes.
    case filter
    /// One or more such texts, at most `ServiceLimits.listEntries`, separated by commas.
    case filters
    /// One of these words.
    case word([String])
  }

  /// The name, case-sensitive.
  let name: String

  /// One sentence.
  let summary: String

  /// What a value has to be.
  let kind: Kind

  /// Whether the request is wrong without it.
  var isRequired = false

  /// What counts without it.
  var defaultValue: String?
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
    summary: "How many of the nearest.",
    kind: .integer(1...ServiceLimits.count, clamps: false),
    defaultValue: "10"
  )

  static let maximumDistance = Parameter(
    name: "max",
    summary: "Not farther than so many metres along the WGS84 ellipsoid; the boundary counts.",
    kind: .number(0...Double(ServiceLimits.radius))
  )

  static let radius = Parameter(
    name: "radius",
    summary: "Metres along the WGS84 ellipsoid; the boundary counts.",
    kind: .number(0...Double(ServiceLimits.radius)),
    isRequired: true
  )

  static let requiredBox = Parameter(
    name: "bbox",
    summary: boxSummary,
    kind: .box,
    isRequired: true
  )

  static let box = Parameter(name: "bbox", summary: boxSummary, kind: .box)

  private static let boxSummary =
    "West, south, east, north in degrees, longitude first; edges count, and west > east crosses the "
    + "antimeridian. Longitudes beyond -180...180 are wrapped; a box 360 degrees wide or wider is the "
    + "whole globe. Of six numbers the third and sixth, heights, are ignored."

  /// /req/core/fc-limit-definition.
  static let limit = Parameter(
    name: "limit",
    summary: "At most so many restaurants in the answer; more than the maximum gives the maximum.",
    kind: .integer(1...ServiceLimits.features, clamps: true),
    defaultValue: "10"
  )

  static let largeLimit = Parameter(
    name: "limit",
    summary: limit.summary,
    kind: limit.kind,
    defaultValue: "\(ServiceLimits.features)"
  )

  static let offset = Parameter(
    name: "offset",
    summary: "Leave out so many restaurants at the beginning.",
    kind: .integer(0...1_000_000_000, clamps: false),
    defaultValue: "0"
  )

  static let cursor = Parameter(
    name: "cursor",
    summary: "Where a page begins or ends: only as a next or prev link has it.",
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
      "Only this category, without regard to case and accents, also as a part of a list (Thai, Bars) "
      + "or a path (Dining > Thai). Any of several is a comma list, of at most "
      + "\(ServiceLimits.listEntries); each has at most \(ServiceLimits.textLength) bytes of UTF-8.",
    kind: .filters
  )

  static let city = Parameter(
    name: "city",
    summary:
      "Only in this city, without regard to case and accents; at most \(ServiceLimits.textLength) "
      + "bytes of UTF-8.",
    kind: .filter
  )

  static let text = Parameter(
    name: "q",
    summary:
      "Only where every word begins a word of name, category, address or city; at most "
      + "\(ServiceLimits.textLength) bytes of UTF-8.",
    kind: .filter
  )

  static let sortBy = Parameter(
    name: "sortby",
    summary: "The order; - for descending. Ties and everything else are by id.",
    kind: .word(SortKey.Field.allCases.flatMap { [$0.rawValue, "-" + $0.rawValue] })
  )

  static let format = Parameter(
    name: "f",
    summary: "The representation; it beats the header Accept.",
    kind: .word(["json", "html"])
  )

  static let token = Parameter(
    name: "token",
    summary: "The service's token: opens a session in a browser.",
    kind: .text
  )

  static let filters = [category, city, text]
}
