public import GeoIndex

/// What is known of an answer before its first restaurant.
public struct AnswerSummary: Sendable, Hashable {
  /// How many restaurants follow.
  public let count: Int

  /// How many there would be without the query's limit and cursor.
  public let total: Int

  /// The smallest box around those that follow, by the smallest arc; nil where there are none.
  public let extent: BoundingBox?

  /// Whether the restaurants come with a distance.
  public let hasDistance: Bool

  /// Whether the restaurants come as favourites.
  public let hasFavorites: Bool

  /// What the index did; nil unless the query asked to be explained, and where no index was needed.
  public let statistics: SearchStatistics?

  /// The cursor of the answers that follow these; nil where none follow, and without a limit.
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
  /// Whether answers of this kind have a key, each of them or some.
  func has(_ field: RestaurantField) -> Bool {
    switch field {
    case .distance: hasDistance
    case .favoriteSince, .gone: hasFavorites
    default: true
    }
  }
}
