public import GeoIndex

/// A few places that together meet wants, and the outcome of each want.
public struct Cover: Sendable {
  /// The number of wants that the places meet.
  public let met: Int

  /// The number of wants.
  public let of: Int

  /// The total amount of the wants that are met.
  public let value: Double

  /// The cost in meters, as defined by `CoverQuery.Cost`; 0 without a place.
  public let cost: Double

  /// Whether no other group comes before this one, including the order by ids; false if the
  /// deadline ended the search.
  public let isOptimal: Bool

  /// The proven bounds, if the answer may not be the best; otherwise nil.
  public let bounds: Bounds?

  /// The places: in the order of the walk if that is the cost, otherwise nearest first.
  public let places: [Place]

  /// The outcome of each want, in the order of the query.
  public let wants: [Outcome]

  /// The places as a page for writers, with the distances from the center.
  public let page: Page

  /// The bounds that a search has proven when its time was up.
  public struct Bounds: Sendable, Hashable {
    /// No group meets more wants than this, or is worth more if value is preferred.
    public let met: Double

    /// No group that meets as much as the answer has fewer places than this.
    public let places: Int

    /// No group that meets as much as the answer, with this number of places, costs less; in
    /// meters.
    public let cost: Double
  }

  /// One of the places.
  public struct Place: Sendable, Hashable {
    /// The position in the snapshot.
    public let position: Int

    /// The distance from the center in meters.
    public let distance: Double

    /// The wants that it meets, as indexes of the query's wants.
    public let meets: [Int]
  }

  /// The outcome of a want.
  public struct Outcome: Sendable, Hashable {
    /// Why a want is not met.
    public enum Reason: String, Sendable {
      /// No place meets it.
      case nowhere
      /// No place within the maximum distance meets it.
      case beyond
      /// None of the chosen places meets it.
      case places
    }

    /// The label of the want.
    public let label: String

    /// The position of the nearest chosen place that meets it; nil if it is not met.
    public let by: Int?

    /// The number of places that meet it, at any distance.
    public let places: Int

    /// The number of places that meet it within the maximum distance.
    public let placesWithin: Int

    /// The nearest place that meets it, at any distance; nil if there is none.
    public let nearest: Neighbor?

    /// Why it is not met; nil if it is.
    public let unmet: Reason?
  }
}
