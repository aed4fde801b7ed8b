public import GeoIndex

/// What is known of an answer before its first restaurant.
public struct AnswerSummary: Sendable, Hashable {
  /// How many restaurants follow.
  public let count: Int

  /// How many there would be without the query's limit.
  public let total: Int

  /// The smallest box around those that follow, by the smallest arc; nil where there are none.
  public let extent: BoundingBox?

  /// Whether the restaurants come with a distance.
  public let hasDistance: Bool

  /// What the index did; nil unless the query asked to be explained, and where no index was needed.
  public let statistics: SearchStatistics?

  /// Makes a summary.
  public init(
    count: Int,
    total: Int,
    extent: BoundingBox?,
    hasDistance: Bool,
    statistics: SearchStatistics? = nil
  ) {
    self.count = count
    self.total = total
    self.extent = extent
    self.hasDistance = hasDistance
    self.statistics = statistics
  }
}
