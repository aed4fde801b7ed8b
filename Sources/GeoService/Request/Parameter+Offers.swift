/// The parameters of offers.
extension Parameter {
  static let offerWords = Parameter(
    name: "q",
    summary:
      "Only offers in which each of these words starts a word in name, description or categories; at most "
      + "\(ServiceLimits.textLength) bytes of UTF-8.",
    kind: .filter
  )

  static let offerCategory = Parameter(
    name: "category",
    summary:
      "Only offers of this category of their own, without regard to case and accents. Any of several "
      + "is a comma list, of at most \(ServiceLimits.listEntries).",
    kind: .filters
  )

  static let chain = Parameter(
    name: "chain",
    summary: "Only offers that name this chain, by its id or its name.",
    kind: .filter
  )

  static let ofRestaurant = Parameter(
    name: "restaurant",
    summary: "Only offers that this restaurant has, by its id.",
    kind: .text
  )

  static let optionalPointLatitude = Parameter(
    name: "lat",
    summary: "Degrees north of the point to measure from; with lon.",
    kind: latitude.kind
  )

  static let optionalPointLongitude = Parameter(
    name: "lon",
    summary: "Degrees east of the point to measure from; with lat.",
    kind: longitude.kind
  )

  static let offerLimit = Parameter(
    name: "limit",
    summary: "Maximum number of offers; values above the maximum give the maximum.",
    kind: .integer(1...ServiceLimits.offers, clamps: true),
    defaultValue: "100"
  )
}
