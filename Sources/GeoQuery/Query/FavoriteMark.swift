/// The mark of a favorite.
public struct FavoriteMark: Sendable, Hashable {
  /// When it was added: UTC, `2026-05-14T18:03:11Z`.
  public let since: String

  /// Whether the restaurant has left its feed, so that its values are the last known ones.
  public let isGone: Bool

  /// Makes a mark.
  package init(since: String, isGone: Bool) {
    self.since = since
    self.isGone = isGone
  }
}

/// No restaurant in the store has the requested id.
public struct UnknownRestaurant: Error, Sendable, Hashable, CustomStringConvertible {
  /// The id.
  public let id: String

  /// The most similar ids that exist, the most similar first; at most three.
  public let similar: [String]

  /// The unknown id.
  package init(id: String, similar: [String]) {
    self.id = id
    self.similar = similar
  }

  /// The id, and what to do.
  public var description: String {
    let advice =
      similar.isEmpty
      ? "geoq search NAME -f ids finds ids"
      : "did you mean \(similar.map { "\"\($0)\"" }.joined(separator: ", "))?"
    return "no restaurant has the id \"\(id)\"; \(advice)"
  }
}
