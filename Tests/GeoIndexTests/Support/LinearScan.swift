import GeoIndex

/// The oracle: every query by looking at every point.
struct LinearScan {
  let coordinates: [Coordinate]

  /// All points by (distance, index).
  func ranked(from center: Coordinate) -> [Neighbor] {
    coordinates.indices
      .map { Neighbor(index: $0, distance: center.distance(to: coordinates[$0])) }
      .sorted { ($0.distance, $0.index) < ($1.distance, $1.index) }
  }

  /// The first of a ranking that are near enough and allowed.
  static func nearest(
    _ count: Int,
    of ranked: [Neighbor],
    within maximumDistance: Double = .infinity,
    where allowed: BitSet? = nil
  ) -> [Neighbor] {
    var found: [Neighbor] = []
    for neighbor in ranked where neighbor.distance <= maximumDistance && found.count < count {
      if allowed?.contains(neighbor.index) ?? true { found.append(neighbor) }
    }
    return found
  }

  /// The positions of the points in a box, ascending.
  func positions(in box: BoundingBox, where allowed: BitSet? = nil) -> [Int] {
    coordinates.indices.filter {
      box.contains(coordinates[$0]) && (allowed?.contains($0) ?? true)
    }
  }
}
