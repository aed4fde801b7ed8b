public import GeoIndex

/// A query for a few places near a point that together meet all or most wants.
///
/// The literature calls this the collective spatial keyword query (X. Cao et al., SIGMOD 2011,
/// doi 10.1145/1989323.1989363); with the cost `spread` it resembles the m-closest keywords query
/// (T. Guo et al., SIGMOD 2015, doi 10.1145/2723372.2723723).
public struct CoverQuery: Sendable {
  /// The cost of a group of places, in meters along the ellipsoid.
  public enum Cost: String, Sendable, CaseIterable {
    /// The maximum distance from the center.
    case farthest
    /// The shortest walk from the center through all places, which ends at the last.
    case walk
    /// The maximum distance between two of the places; equal ones are ordered by `farthest`.
    case spread
  }

  /// What is maximized first.
  public enum Preference: String, Sendable, CaseIterable {
    /// The number of wants that are met.
    case count
    /// The total amount of the wants that are met.
    case value
  }

  /// The point from which distances are measured.
  public var center: Coordinate

  /// The wants: 1 to 64.
  public var wants: [Want]

  /// The maximum number of places: 1 to 5.
  public var places: Int

  /// The maximum distance from the center in meters, inclusive.
  public var maximumDistance: Double

  /// The cost of a group of places.
  public var cost: Cost

  /// What is maximized first.
  public var preference: Preference

  /// The time at which the search ends with the best group found; nil for no limit.
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

  /// The maximum number of wants.
  public static let mostWants = 64

  /// The maximum number of places of a group.
  public static let mostPlaces = 5

  /// Checks the number of wants.
  ///
  /// - Throws: `QueryError`.
  package static func checkCount(ofWants count: Int) throws(QueryError) {
    guard (1...mostWants).contains(count) else {
      throw QueryError("want", "there must be 1 to \(mostWants) wants, not \(count)")
    }
  }

  /// Checks the number of places.
  ///
  /// - Throws: `QueryError`.
  package static func checkCount(ofPlaces count: Int) throws(QueryError) {
    guard (1...mostPlaces).contains(count) else {
      throw QueryError("places", "must be 1 to \(mostPlaces), not \(count)")
    }
  }
}
