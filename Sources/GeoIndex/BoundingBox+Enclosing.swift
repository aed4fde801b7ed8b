extension BoundingBox {
  /// Makes the smallest box that holds every given position, or nil where there is none.
  ///
  /// The arc of longitude is the shortest one, so the box crosses the antimeridian where that is
  /// shorter. ``ExtentBuilder``, which this runs, states the rules for poles, ±180 and equal gaps.
  ///
  /// ```swift
  /// let ends = [170.0, -170.0].compactMap { Coordinate(latitude: 0, longitude: $0) }
  /// // BoundingBox(enclosing: ends) is 170.0,0.0,-170.0,0.0
  /// ```
  ///
  /// - Parameter coordinates: positions in any order; the order does not change the box.
  /// - Complexity: O(n) time in a single pass, constant memory.
  public init?(enclosing coordinates: some Sequence<Coordinate>) {
    var extent = ExtentBuilder()
    for coordinate in coordinates {
      extent.add(coordinate)
    }
    guard let box = extent.box else { return nil }
    self = box
  }
}
