public import GeoIndex

/// Asks which few places near a point together have all, or most, of what is wanted.
///
/// The literature's collective spatial keyword query (X. Cao et al., SIGMOD 2011,
/// doi 10.1145/1989323.1989363; T. Guo et al., SIGMOD 2015, doi 10.1145/2723372.2723728).
public struct CoverQuery: Sendable {
  /// What a group of places costs, meters along the ellipsoid.
  public enum Cost: String, Sendable, CaseIterable {
    /// The largest distance from the center.
    case farthest
    /// The shortest way from the center through all places; it ends at the last.
    case walk
    /// The largest distance between two of the places; of equal ones, the least `farthest`.
    case spread
  }

  /// What counts most.
  public enum Preference: String, Sendable, CaseIterable {
    /// How many wants are met.
    case count
    /// The total amount of the wants that are met.
    case value
  }

  /// The point that distances are measured from.
  public var center: Coordinate

  /// What is wanted: 1 to 64 wants.
  public var wants: [Want]

  /// The greatest number of places: 1 to 5.
  public var places: Int

  /// Meters from the center; a place exactly that far away counts.
  public var maximumDistance: Double

  /// What a group of places costs.
  public var cost: Cost

  /// What counts most.
  public var preference: Preference

  /// When to give up and answer with the best found; nil for never.
  public var deadline: Deadline?

  /// Makes a query.
  public init(
    near center: Coordinate,
    wants: [Want],
    places: Int = 3,
    within maximumDistance: Double = .infinity,
    by cost: Cost = .farthest,
    preferring preference: Preference = .count,
    until deadline: Deadline? = nil
  ) {
    self.center = center
    self.wants = wants
    self.places = places
    self.maximumDistance = maximumDistance
    self.cost = cost
    self.preference = preference
    self.deadline = deadline
  }

  /// Checks the numbers.
  ///
  /// - Throws: `QueryError`.
  package func check() throws(QueryError) {
    try Self.checkCount(ofWants: wants.count)
    try Self.checkCount(ofPlaces: places)
    guard maximumDistance >= 0 else {
      throw QueryError("max", "must be zero or more meters")
    }
    for want in wants where !(want.amount >= 0 && want.amount <= 1e9) {
      throw QueryError("want", "the amount of \(want.label) must be 0 to 1000000000")
    }
  }

  /// How many wants there may be.
  public static let mostWants = 64

  /// How many places a group may have.
  public static let mostPlaces = 5

  /// Checks how many wants there are.
  ///
  /// - Throws: `QueryError`.
  package static func checkCount(ofWants count: Int) throws(QueryError) {
    guard (1...mostWants).contains(count) else {
      throw QueryError("want", "there must be 1 to \(mostWants) wants, not \(count)")
    }
  }

  /// Checks how many places a group may have.
  ///
  /// - Throws: `QueryError`.
  package static func checkCount(ofPlaces count: Int) throws(QueryError) {
    guard (1...mostPlaces).contains(count) else {
      throw QueryError("places", "must be 1 to \(mostPlaces), not \(count)")
    }
  }
}
