/// What makes a restaurant somebody's favourite.
public struct FavoriteMark: Sendable, Hashable {
  /// When it was added: UTC, `2026-05-14T18:03:11Z`.
  public let since: String

  /// Whether the restaurant has left its feed; what is known of it is then what it was last.
  public let isGone: Bool

  /// Makes a mark.
  package init(since: String, isGone: Bool) {
    self.since = since
    self.isGone = isGone
  }
}

/// Nobody in the store has an id that was asked for.
public struct UnknownRestaurant: Error, Sendable, Hashable, CustomStringConvertible {
  /// The id.
  public let id: String

  /// The nearest ids that there are, the most similar first; at most three.
  public let similar: [String]

  /// An id that nobody has.
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
