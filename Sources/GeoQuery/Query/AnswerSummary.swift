public import GeoIndex

/// The summary of an answer, which is known before its first restaurant.
public struct AnswerSummary: Sendable, Hashable {
  /// The number of restaurants in the answer.
  public let count: Int

  /// The number of restaurants without the query's limit and cursor.
  public let total: Int

  /// The smallest box around them, by the smallest arc; nil if there are none.
  public let extent: BoundingBox?

  /// Whether the restaurants have a distance.
  public let hasDistance: Bool

  /// Whether the restaurants are marked as favorites.
  public let hasFavorites: Bool

  /// The index statistics; nil unless the query asked for them, or if no index was needed.
  public let statistics: SearchStatistics?

  /// The cursor of the next page; nil if there is none, or without a limit.
  public let next: String?

  /// Makes a summary.
  public init(
    count: Int,
    total: Int,
    extent: BoundingBox?,
    hasDistance: Bool,
    hasFavorites: Bool = false,
    statistics: SearchStatistics? = nil,
    next: String? = nil
  ) {
    self.count = count
    self.total = total
    self.extent = extent
    self.hasDistance = hasDistance
    self.hasFavorites = hasFavorites
    self.statistics = statistics
    self.next = next
  }
}

extension AnswerSummary {
  /// Whether answers of this kind can have a key.
  func has(_ field: RestaurantField) -> Bool {
    switch field {
    case .distance: hasDistance
    case .favoriteSince, .gone: hasFavorites
    default: true
    }
  }
}
