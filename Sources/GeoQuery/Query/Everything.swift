import GeoIndex

/// The answer to a query for all there is: read straight from the store in two passes, in order of id,
/// with no index and in constant memory.
struct Everything {
  /// What the first pass found.
  let summary: AnswerSummary

  private let reader: StoreReader

  init(_ reader: StoreReader) throws {
    let total = try reader.count()
    self.reader = reader
    summary = AnswerSummary(
      count: total,
      total: total,
      extent: try reader.extent(),
      hasDistance: false
    )
  }

  /// Visits the restaurants of the answer.
  func visit(_ body: (Match) throws -> Void) throws {
    try reader.eachRestaurant { restaurant in
      try body(Match(restaurant: restaurant))
      return true
    }
  }
}
