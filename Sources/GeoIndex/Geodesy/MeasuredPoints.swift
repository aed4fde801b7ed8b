/// Positions with their points in space, for many distances between them.
package struct MeasuredPoints: Sendable {
  private let points: [SurfacePoint]

  /// Computes the points of the positions.
  package init(_ coordinates: [Coordinate]) {
    points = coordinates.map(SurfacePoint.init)
  }

  /// Meters between two of them, as ``Coordinate/distance(to:)`` reports them.
  package func distance(_ one: Int, _ other: Int) -> Double {
    Geodesic.distance(from: points[one], to: points[other])
  }
}
