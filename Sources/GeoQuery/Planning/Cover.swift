public import GeoIndex

/// A few places that together meet wants, and what becomes of each want.
public struct Cover: Sendable {
  /// How many wants the places meet.
  public let met: Int

  /// How many wants there are.
  public let of: Int

  /// The total amount of the wants that are met.
  public let value: Double

  /// Meters, as `CoverQuery.Cost` says; 0 without a place.
  public let cost: Double

  /// Whether no other group comes before this one, ids included; false if the deadline came first.
  public let isOptimal: Bool

  /// What is proven all the same if the answer may not be the best; else nil.
  public let bounds: Bounds?

  /// The places: in the order of the walk if that is the cost, else nearest first.
  public let places: [Place]

  /// What becomes of each want, in the order of the query.
  public let wants: [Outcome]

  /// The places as a page for writers; its distances are those from the center.
  public let page: Page

  /// What a search that was cut short has proven.
  public struct Bounds: Sendable, Hashable {
    /// No group meets more wants than this; or, if value is preferred, is worth more.
    public let met: Double

    /// No group that meets as much as the answer has fewer places.
    public let places: Int

    /// No group that meets as much as the answer with as few places costs less; meters.
    public let cost: Double
  }

  /// One of the places.
  public struct Place: Sendable, Hashable {
    /// The position in the snapshot.
    public let position: Int

    /// Meters from the center.
    public let distance: Double

    /// Which wants it meets, as indexes of the query's wants.
    public let meets: [Int]
  }

  /// What becomes of a want.
  public struct Outcome: Sendable, Hashable {
    /// Why a want is not met.
    public enum Reason: String, Sendable {
      /// No place has it.
      case nowhere
      /// No place within the greatest distance has it.
      case beyond
      /// The few places are needed for more.
      case places
    }

    /// The label of the want.
    public let label: String

    /// The position of the nearest chosen place that meets it; nil if it is not met.
    public let by: Int?

    /// How many places have it, wherever they are.
    public let places: Int

    /// How many of them are within the greatest distance.
    public let placesWithin: Int

    /// The nearest place that has it, however far; nil if there is none.
    public let nearest: Neighbor?

    /// Why it is not met; nil if it is.
    public let unmet: Reason?
  }
}
