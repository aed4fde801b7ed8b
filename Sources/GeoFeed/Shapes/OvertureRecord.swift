import GeoQuery

/// Reads a place of Overture Maps: a Feature, or the same columns in a table.
enum OvertureRecord {
  private static let shape = RecordShape(
    id: ["id"],
    name: ["names.primary"],
    rules: [
      .init("taxonomy.primary", .category), .init("categories.primary", .category),
      .init("basic_category", .category), .init("addresses.freeform", .address),
      .init("addresses.locality", .city), .init("addresses.region", .state),
      .init("addresses.postcode", .postalCode), .init("addresses.country", .countryCode, .code),
      .init("addresses.country", .country, .country), .init("phones", .phone, .first(of: nil)),
      .init("websites", .website, .link), .init("brand.names.primary", .chain, .title),
      .init("operating_status", .closed, .sign("permanently_closed")),
    ]
  )

  /// Reads a Feature.
  ///
  /// - Throws: `FeedProblem` if it is not a Feature, or has no usable name or no Point.
  static func read(feature value: JSONValue, source: String) throws(FeedProblem) -> RecordReading {
    let parts = try FeatureParts(value, takesOutlines: false)
    return try shape.read(parts.properties, id: parts.id, at: parts.position, source: source)
  }

  /// Reads a row, whose nested columns are JSON texts.
  ///
  /// - Throws: `FeedProblem` if it has no usable name.
  static func read(
    row: MemberBag,
    at position: CoordinateReading,
    source: String
  ) throws(FeedProblem) -> RecordReading {
    try shape.read(row, at: position, source: source)
  }
}
