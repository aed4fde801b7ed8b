/// The parameters of offers.
extension Parameter {
  static let offerWords = Parameter(
    name: "q",
    summary:
      "Only where every word begins a word of the offer's name, description or categories; at most "
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
    summary: "At most so many offers in the answer; more than the maximum gives the maximum.",
    kind: .integer(1...ServiceLimits.offers, clamps: true),
    defaultValue: "100"
  )
}
