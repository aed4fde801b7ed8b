import GeoIndex

/// The answer to a query for all there is: read straight from the store in two passes, in order of id,
/// with no index and in constant memory.
struct Everything {
  /// What the first pass found.
  let summary: AnswerSummary

  /// How many match, whatever the query's limit.
  var total: Int { summary.total }

  private let filter: CompiledFilter?
  private let reader: StoreReader

  init(_ query: Query, _ reader: StoreReader) throws {
    let filter = CompiledFilter(query.filter)
    let limit = query.limit ?? .max
    self.filter = filter
    self.reader = reader
    guard let filter else {
      let total = try reader.count()
      let extent = try reader.extent(ofFirst: limit < total ? limit : nil)
      summary = Self.summary(count: min(total, limit), total: total, extent: extent)
      return
    }
    var extent = ExtentBuilder()
    var total = 0
    try reader.eachPlace { coordinate, texts in
      guard filter.matches(texts) else { return }
      if total < limit { extent.add(coordinate) }
      total += 1
    }
    summary = Self.summary(count: min(total, limit), total: total, extent: extent.box)
  }

  private static func summary(count: Int, total: Int, extent: BoundingBox?) -> AnswerSummary {
    AnswerSummary(count: count, total: total, extent: extent, hasDistance: false)
  }

  /// Visits the restaurants of the answer.
  func visit(_ body: (Match) throws -> Void) throws {
    var left = summary.count
    guard left > 0 else { return }
    try reader.eachRestaurant { restaurant in
      guard filter?.matches(restaurant.filterTexts) ?? true else { return true }
      try body(Match(restaurant: restaurant))
      left -= 1
      return left > 0
    }
  }
}

extension Restaurant {
  fileprivate var filterTexts: FilterTexts {
    FilterTexts(name: name, category: category, address: address.street, city: address.city)
  }
}
