/// One answer of a query with a center: a point and its distance.
///
/// Neighbors are ordered by distance, then by index.
public struct Neighbor: Sendable, Hashable, Comparable {
  /// The point's position in the collection that the tree was built from.
  public let index: Int

  /// Meters along the ellipsoid, as ``Coordinate/distance(to:)`` reports them.
  public let distance: Double

  /// Makes an answer.
  ///
  /// - Parameters:
  ///   - index: a position in the collection that the tree was built from.
  ///   - distance: meters, zero or more, not NaN.
  public init(index: Int, distance: Double) {
    self.index = index
    self.distance = distance
  }

  /// Whether an answer comes before another: nearer, or as near with the lower index.
  ///
  /// - Parameters:
  ///   - lhs: an answer.
  ///   - rhs: another answer.
  /// - Returns: true if `lhs` comes first.
  public static func < (lhs: Neighbor, rhs: Neighbor) -> Bool {
    lhs.distance < rhs.distance || (lhs.distance == rhs.distance && lhs.index < rhs.index)
  }
}
