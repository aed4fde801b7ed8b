import GeoQuery

/// The declaration of a query parameter, from which both the parser and the OpenAPI document are
/// made.
///
/// A reference: a request looks at some twenty of them, and a copy of each counted six references.
final class Parameter: Sendable {
  /// The accepted values.
  enum Kind: Hashable, Sendable {
    /// A number in a range.
    case number(ClosedRange<Double>)
    /// Meters up to `ServiceLimits.radius`, or a number with one of the units m, km, mi and ft.
    case distance
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
    /// A filter in the language of `filter-lang`, of at most `ServiceLimits.conditions` tests.
    case expression
    /// A field that restaurants are counted by, or `area`.
    case field
    /// A time of day, as `OpenAt` reads it.
    case time
    /// A date: `2026-12-24`.
    case day
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

  let kind: Kind

  /// An alternative name.
  let otherName: String?

  /// Whether requests must have it.
  let isRequired: Bool

  /// The value if a request does not have it.
  let defaultValue: String?

  /// How often a request may have it, each time with another value.
  let maximumTimes: Int

  /// A description in one sentence.
  let summary: String

  /// Declares a parameter, with its description at the end.
  init(
    _ name: String,
    _ kind: Kind,
    or otherName: String? = nil,
    isRequired: Bool = false,
    default defaultValue: String? = nil,
    times maximumTimes: Int = 1,
    summary: () -> String
  ) {
    self.name = name
    self.kind = kind
    self.otherName = otherName
    self.isRequired = isRequired
    self.defaultValue = defaultValue
    self.maximumTimes = maximumTimes
    self.summary = summary()
  }
}

extension Parameter {
  static let latitude = Parameter("lat", .number(-90...90), isRequired: true) {
    "Degrees north of the point to measure from."
  }

  static let longitude = Parameter("lon", .number(-180...180), isRequired: true) {
    "Degrees east of the point to measure from."
  }

  static let count = Parameter(
    "count",
    .integer(1...ServiceLimits.count, clamps: false),
    or: "k",
    default: "10"
  ) {
    "The number of restaurants; k is another name for it."
  }

  static let maximumDistance = Parameter("max", .distance) {
    "The greatest distance along the WGS84 ellipsoid: meters, or a number with m, km, mi or ft "
      + "as in 1.5km; the boundary counts."
  }

  static let radius = Parameter("radius", .distance, isRequired: true) {
    "Meters along the WGS84 ellipsoid, or a number with m, km, mi or ft as in 1.5km; the boundary "
      + "counts."
  }

  static let requiredBox = Parameter("bbox", .box, isRequired: true) {
    "West, south, east, north in degrees, longitude first; edges count, and west > east crosses the "
      + "antimeridian. Longitudes beyond -180...180 are wrapped; a box 360 degrees wide or wider is the "
      + "whole globe. Of six numbers the third and sixth, heights, are ignored."
  }

  static let box = requiredBox.optional()

  /// Names of the only reference system, as clients of OGC API – Features, Part 2 send them.
  private static let referenceSystems = [
    "http://www.opengis.net/def/crs/OGC/1.3/CRS84", "urn:ogc:def:crs:OGC:1.3:CRS84", "OGC:CRS84",
    "CRS84",
  ]

  static let boxCRS = Parameter("bbox-crs", .word(referenceSystems)) {
    "The reference system of bbox; there is only one."
  }

  static let crs = Parameter("crs", .word(referenceSystems)) {
    "The reference system of positions in the answer; there is only one."
  }

  /// /req/core/fc-limit-definition.
  static let limit = Parameter(
    "limit",
    .integer(1...ServiceLimits.features, clamps: true),
    default: "10"
  ) {
    "Maximum number of restaurants; values above the maximum give the maximum."
  }

  static let largeLimit = limit.optional(defaultValue: "\(ServiceLimits.features)")

  static let offset = Parameter("offset", .integer(0...1_000_000_000, clamps: false), default: "0")
  {
    "The number of restaurants to skip."
  }

  static let cursor = Parameter("cursor", .text) {
    "The cursor of a page, as in a next or prev link."
  }

  /// /req/core/fc-time-definition.
  static let datetime = Parameter("datetime", .text) {
    "An RFC 3339 instant or interval; restaurants have no time, so all match."
  }

  static let category = Parameter("category", .filters) {
    "Only this category, ignoring case and accents; it also matches a part of a list (Thai, Bars) "
      + "or a path (Dining > Thai). Separate several by commas to match any of them, at most "
      + "\(ServiceLimits.listEntries); each has at most \(ServiceLimits.textLength) bytes of UTF-8."
  }

  static let city = Parameter("city", .filter) {
    "Only in this city, ignoring case and accents; at most \(ServiceLimits.textLength) "
      + "bytes of UTF-8."
  }

  static let text = Parameter("q", .filter) {
    "Only restaurants in which each of these words starts a word in name, category, address or city; "
      + "at most \(ServiceLimits.textLength) bytes of UTF-8."
  }

  static let filter = Parameter("filter", .expression) {
    "Only restaurants for which this is true, in the language of filter-lang. In geoq's own: FIELD OP VALUE, "
      + "joined by and, or, not and parentheses, as in rating >= 4 and (city = Dallas or city = Plano). "
      + "Operators are = != < <= > >= ~ (contains), in ('a', 'b'), is null and is not null; case and accents "
      + "are ignored, and a value with such a word is put in quotes, single or double. "
      + "At most \(ServiceLimits.conditions) tests, a value at most "
      + "\(ServiceLimits.textLength) bytes of UTF-8. Fields are "
      + Condition.Field.allCases.filter { $0 != .favorite }.map(\.usage).joined(separator: ", ")
      + ": a field of the feed without a key of its own; separate nested names by dots."
  }

  static let filterLanguage = Parameter(
    "filter-lang",
    .word(FilterLanguage.allCases.map(\.rawValue) + ["cql-text"]),
    default: FilterLanguage.short.rawValue
  ) {
    "The language of filter: geoq's own, or CQL2 (OGC 21-065r2), in which texts are compared exactly and "
      + "geometry is a property; cql-text is read as cql2-text."
  }

  static let filterCRS = Parameter("filter-crs", .word(referenceSystems)) {
    "The reference system of positions in filter; there is only one."
  }

  static let within = Parameter("within", .filter) {
    "Only restaurants in this saved area or on its edge: its name, as geoq area list has it. "
      + "POST /search takes an outline itself."
  }

  static let open = Parameter("open", .time) {
    "Only restaurants that are open at this time by their own clocks: now, 12:30, Fri 12:30 or "
      + "2026-12-24 12:30. Without a date it is today or the next such day, by the server's clock."
  }

  static let openUnknown = Parameter("open-unknown", .word(["true"])) {
    "With open: also restaurants whose hours are not known."
  }

  static let ids = Parameter("ids", .ids) {
    "Only restaurants with one of these ids, at most \(ServiceLimits.ids), separated by commas."
  }

  static let favorite = Parameter("favorite", .word(["true"])) {
    "Only favorites. Requires read access to favorites."
  }

  static let mark = Parameter("mark", .word(["favorite"])) {
    "Marks the favorites in the answer with favorite: true. Requires read access to "
      + "favorites."
  }

  /// The value of `by` for counts by saved areas.
  static let area = "area"

  static let by = Parameter("by", .field, isRequired: true) {
    "The field whose values are counted, one of \(Facet.allFields.map(\.usage).joined(separator: ", ")), "
      + "or area for the saved areas. Lists are counted by entry; a restaurant in two areas counts in both, "
      + "and value is null for those without a value and those in no area."
  }

  static let facetLimit = limit.optional(
    "The maximum number of values; values above the maximum give the maximum.",
    defaultValue: "\(ServiceLimits.features)"
  )

  static let optionalLatitude = latitude.optional(
    "Latitude of the center of a circle; requires lon and radius."
  )

  static let optionalLongitude = longitude.optional(
    "Longitude of the center of a circle; requires lat and radius."
  )

  static let optionalRadius = radius.optional()

  static let sortByAny = Parameter("sortby", .order(Order.Key.allCases)) {
    sortBy.summary
  }

  static let sortBy = Parameter("sortby", .order(Order.Key.allCases.filter { $0 != .distance })) {
    "The sort key, or several, each for what is equal by those before it; - sorts descending. "
      + "Missing values come last, ties are broken by id."
  }

  static let format = format("json", "html")
  static let anyFormat = format("json", "html", "csv")
  static let tableFormat = format("json", "csv")
  static let planFormat = format("json", "geojson", "html")

  private static func format(_ words: String...) -> Parameter {
    Parameter("f", .word(words)) { "The representation; overrides the header Accept." }
  }

  static let jsonFormat = Parameter("f", .word(["json"])) {
    "The representation; there is only one."
  }

  static let token = Parameter("token", .text) {
    "The service's token: opens a session in a browser."
  }

  static let zoom = Parameter("zoom", .integer(0...TileAddress.maximumZoom, clamps: false)) {
    "The zoom whose tiles are the cells; without it the greatest at which the box touches at most "
      + "\(ServiceLimits.chosenCells)."
  }

  static let filters = [
    category, city, text, filter, filterLanguage, within, open, openUnknown, favorite,
  ]

  /// The same parameter where a request need not have it, perhaps with another description.
  func optional(_ summary: String? = nil, defaultValue: String? = nil) -> Parameter {
    let summary = summary ?? self.summary
    return Parameter(name, kind, or: otherName, default: defaultValue, times: maximumTimes) {
      summary
    }
  }

  /// Whether only services that keep favorites have it.
  var isOfFavorites: Bool { self === Parameter.favorite || self === Parameter.mark }
}
